// The first lesson and the textbook: every page, its numbers by Node, what it points at, what the reader does; then the
// reader's own state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attentionPages } from '../../../web/lessons/attention.js';
import { modelPages } from '../../../web/lessons/model.js';
import { startPages } from '../../../web/lessons/first.js';
import { shipped } from '../in-node.js';
import { numberOf, texts } from '../checks.js';
import { KNOWN, chooseHead, click, eventually, open, point, quiet } from './steps.js';

const pages = /** @type {any[]} */ ([...startPages, ...attentionPages, ...modelPages]);

/** @typedef {import('./steps.js').Tour} Tour */
/** @typedef {(page: import('./steps.js').EnginePage) => Promise<unknown>} Action */

const norm = (/** @type {Iterable<number>} */ values) => Math.hypot(...values);
const total = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
const dot = (/** @type {number[]} */ a, /** @type {number[]} */ b) => total(a.map((value, i) => value * b[i]));
const largest = (/** @type {number[]} */ values) => values.indexOf(Math.max(...values));
const spread = (/** @type {number[]} */ values) =>
  Math.exp(-total(values.map((value) => (value ? value * Math.log(value) : 0))));

const FIRST = 'the dog did not jump over the creek because it was tired .';

/**
 * A shipped model in Node after its pass over the page's text.
 * @param {Tour} tour
 * @param {string} name
 * @param {string} [text]
 */
function passed({ gf }, name, text = name === 'continue' ? 'one day a hungry fox saw a red ball . the' : KNOWN) {
  const own = shipped(gf, name);
  const ids = own.ids(text);
  let written = /** @type {number[]} */ ([]);
  if (name === 'translate') {
    const [begin, end] = ['[BOS]', '[EOS]'].map((word) => own.targetVocabulary.indexOf(word));
    written = [...own.model.generateSync({ targetIds: [begin], sourceIds: ids, maxTokens: 24, endId: end }).newIds];
    own.model.forward({ sourceIds: ids, targetIds: [begin, ...written.slice(0, -1)], capture: true });
  } else own.model.forward({ ids, capture: true });
  const words = (own.targetVocabulary ?? own.vocabulary).slice();
  const { data, shape } = own.probabilities();
  const width = Number(shape.at(-1));
  /** The last axis of a tensor at an index. @param {string} tensor @param {number[]} index */
  const at = (tensor, ...index) => {
    const found = own.model.tensor(tensor);
    const size = Number(found.shape.at(-1));
    const start = index.reduce((sum, i, axis) => sum * found.shape[axis] + i, 0);
    return [...found.data.subarray(start * size, (start + 1) * size)];
  };
  const answers = (/** @type {number} */ row) =>
    words
      .map((/** @type {string} */ word, /** @type {number} */ id) => ({ word, id, p: data[row * width + id] }))
      .sort((/** @type {any} */ a, /** @type {any} */ b) => b.p - a.p);
  return { ...own, ids, words: text.split(' '), written, at, answers };
}

/**
 * The answer's remaining probability in the first lesson, without one part of the model.
 * @param {Tour} tour
 */
function leftOf({ gf }) {
  const own = shipped(gf, 'creek');
  const ids = own.ids(FIRST);
  const width = own.vocabulary.length;
  const dog = own.vocabulary.indexOf('dog');
  return (/** @type {string} */ name, /** @type {(number | null)[]} */ index) => {
    own.model.forward({ ids, patches: [{ name: `encoder.layers.${name}`, index, value: 0 }] });
    return own.probabilities().data[9 * width + dog];
  };
}

/**
 * Of each page, by its id: what its numbers and words must be, and the action that completes it.
 * @param {ReturnType<typeof passed>} creek
 * @param {ReturnType<typeof passed>} translate
 * @param {ReturnType<typeof passed>} story
 * @param {ReturnType<typeof passed>} first of the first lesson
 * @param {ReturnType<typeof leftOf>} left
 * @returns {Record<string, {numbers: Record<string, number>, words?: string[], action: Action}>}
 */
function known(creek, translate, story, first, left) {
  const it = creek.answers(12)[0];
  const last = (/** @type {string} */ name, /** @type {number} */ row, head = 1) =>
    creek.at(`encoder.layers.2.self_attn.${name}`, 0, head, row);
  const scores = last('scores', 12);
  const weights = last('weights', 12);
  const token = (/** @type {number} */ row) => (/** @type {any} */ page) => click(page, '#tokens-encoder .token', row);
  const own = (/** @type {string} */ name, row = 12) => creek.at(name, 0, row);
  const positions = (/** @type {number} */ row) => creek.at('encoder.positions', row);
  const neurons = (/** @type {number} */ row, name = 'activation') => own(`encoder.layers.2.ffn.${name}`, row);
  const active = (/** @type {number} */ row) => neurons(row).filter((value) => value > 0).length;
  const rows = creek.words.map((_, row) => row);
  const previous = (/** @type {number} */ layer, /** @type {number} */ head) =>
    total(
      story.words.slice(1).map((_, i) => story.at(`decoder.layers.${layer}.self_attn.weights`, 0, head, i + 1)[i]),
    ) /
    (story.words.length - 1);
  const cosine = (/** @type {string} */ one, /** @type {string} */ two) =>
    dot(own(one), own(two)) / norm(own(one)) / norm(own(two));
  const source = translate.at('encoder.layers.0.self_attn.weights', 0, 0, 5);
  const target = translate.at('decoder.layers.0.self_attn.weights', 0, 0, 4);
  const french = translate.written.map((id) => translate.targetVocabulary[id]);
  const read = ['[BOS]', ...french];
  const cross = translate.written.map((_, row) => {
    const heads = Array.from({ length: translate.config.heads }, (__, head) =>
      translate.at('decoder.layers.1.multihead_attn.weights', 0, head, row),
    );
    return heads[0].map((__, key) => total(heads.map((each) => each[key])) / heads.length);
  });
  const dog = translate.words.indexOf('dog');
  const next = story.answers(3); // a causal model: what follows changes nothing
  const mask = story.words.length;
  const row6 = story.words[6];
  const [tired] = first.answers(9);
  const other = (/** @type {any} */ page) => click(page, '.book-tool button', 1);
  /** Heads without which the answer falls below 50 %. @param {number | null} row where it is off; null: all */
  const decisive = (row) =>
    [0, 1, 2, 3, 4, 5].filter((i) => left(`${i >> 1}.self_attn.head_outputs`, [0, i % 2, row, null]) < 0.5).length;
  const ffn = (/** @type {number} */ layer) => left(`${layer}.ffn.out`, [0, null, null]);

  return {
    what: { numbers: { vocabulary: 147, examples: 128000, p: tired.p }, words: ['it', 'dog'], action: async () => {} },
    arc: {
      numbers: { weight: first.at('encoder.layers.2.self_attn.weights', 0, 1, 9)[1] },
      words: ['it', 'dog'],
      action: token(4),
    },
    flip: { numbers: { p: tired.p }, words: ['dog', 'it', 'dog'], action: other },
    which: {
      numbers: {
        ...{ layers: 3, heads: 2, p: tired.p, every: decisive(null), here: decisive(9) },
        ...{ f1: ffn(0), f2: ffn(1), f3: ffn(2) },
      },
      words: ['dog', 'it', 'dog'],
      action: (page) => chooseHead(page, 5).then(() => other(page)),
    },
    tokens: { numbers: { tokens: 14, vocabulary: 147, id: creek.ids[12] }, words: ['it'], action: token(5) },
    embedding: {
      numbers: {
        size: 48,
        length: norm(own('encoder.embedding', 0)),
        words: 0,
        places: norm(own('encoder.input', 0).map((value, i) => value - own('encoder.input', 5)[i])),
      },
      words: ['The', 'the'],
      action: other,
    },
    positions: {
      numbers: { position: 12, length: norm(positions(12)), p: it.p },
      words: ['creek', 'it'],
      action: other,
    },
    waves: {
      numbers: {
        position: 6,
        self: dot(positions(6), positions(6)),
        a: 5,
        b: 6,
        c: 7,
        before: dot(positions(5), positions(6)),
        after: dot(positions(6), positions(7)),
      },
      action: token(3),
    },
    qkv: {
      numbers: { size: 24, q: norm(last('query', 12)), k: norm(last('key', 1)), v: norm(last('value', 1)) },
      words: ['it', 'creek'],
      action: (page) => point(page, '#heatmap', 12, 7, true),
    },
    scores: {
      numbers: { score: scores[1], low: Math.min(...scores), high: Math.max(...scores) },
      words: ['it', 'creek'],
      action: (page) => point(page, '#heatmap', 12, scores.indexOf(Math.min(...scores)), true),
    },
    scale: {
      numbers: {
        size: 24,
        root: Math.sqrt(24),
        score: scores[11],
        scaled: scores[11] / Math.sqrt(24),
        most: Math.max(...weights),
        mean: total(rows.map((row) => Math.max(...last('weights', row)))) / rows.length,
      },
      words: ['it'],
      action: other,
    },
    mask: {
      numbers: { all: mask ** 2, open: (mask * (mask + 1)) / 2, later: 0 },
      words: [row6],
      action: (page) => point(page, '#heatmap', 2, 5, true),
    },
    softmax: {
      numbers: { sum: 1, weight: last('weights', 12, 0)[1], keys: spread(last('weights', 12, 0)) },
      words: ['it', 'creek'],
      action: other,
    },
    values: {
      numbers: {
        weight: weights[1],
        v: norm(last('value', 1)),
        av: weights[1] * norm(last('value', 1)),
        z: norm(last('head_outputs', 12)),
      },
      words: ['it', 'creek'],
      action: other,
    },
    heads: {
      numbers: { size: 12, width: 48, heads: 8, before: previous(1, 0) },
      action: (page) => chooseHead(page, largest([0, 1, 2, 3].map((head) => previous(0, head)))),
    },
    concatenation: {
      numbers: {
        heads: 2,
        size: 24,
        width: 48,
        concat: norm(own('encoder.layers.2.self_attn.concat')),
        out: norm(own('encoder.layers.2.self_attn.out')),
        p: it.p,
      },
      words: ['it', 'creek'],
      action: other,
    },
    residual: {
      numbers: {
        x: norm(own('encoder.input')),
        change: norm(own('encoder.layers.0.self_attn.out')),
        sum: norm(own('encoder.layers.0.residual1')),
        p: it.p,
      },
      words: ['it', 'creek'],
      action: other,
    },
    'layer-norm': {
      numbers: {
        mean: creek.at('encoder.layers.0.norm1.mean', 0)[12],
        variance: creek.at('encoder.layers.0.norm1.variance', 0)[12],
        length: norm(own('encoder.layers.0.norm1.out')),
      },
      words: ['it'],
      action: other,
    },
    ffn: {
      numbers: { width: 48, hidden: 96, active: active(12) },
      words: ['it'],
      action: token(rows.findIndex((row) => active(row) < active(12))),
    },
    activation: {
      numbers: {
        neuron: 0,
        before: neurons(12, 'pre_activation')[0],
        after: Math.max(0, neurons(12, 'pre_activation')[0]),
        negative: neurons(12, 'pre_activation').filter((value) => value < 0).length,
        hidden: 96,
      },
      words: ['it'],
      action: other,
    },
    neuron: {
      numbers: { neuron: largest(neurons(12)), value: Math.max(...neurons(12)), p: it.p },
      words: ['it', 'creek'],
      action: other,
    },
    stack: {
      numbers: {
        layers: 3,
        first: cosine('encoder.input', 'encoder.layers.0.out'),
        last: cosine('encoder.layers.1.out', 'encoder.layers.2.out'),
      },
      words: ['it'],
      action: async (page) => {
        const nodes = await texts(page, '#model-graph .model-graph-node');
        await enter(
          page,
          '#model-graph .model-graph-node',
          nodes.findIndex((text) => /FFN/.test(text)),
        );
      },
    },
    encoder: {
      numbers: { tokens: 14, after: total(source.slice(6)) },
      words: [translate.words[5]],
      action: (page) => point(page, '#heatmap', 2, 5, true),
    },
    decoder: {
      numbers: { seen: 5, weight: Math.max(...target) },
      words: [french[4], read[largest(target)]],
      action: (page) => enter(page, '#model-graph .cross .head', 0),
    },
    cross: {
      numbers: { layer: 2, weight: Math.max(...cross[0]) },
      words: [french[0], translate.words[largest(cross[0])]],
      action: (page) => point(page, '#heatmap', largest(cross.map((row) => row[dog])), 3, true),
    },
    logits: {
      numbers: {
        vocabulary: 147,
        z: own('logits')[it.id],
        p: it.p,
        z2: own('logits')[creek.answers(12)[1].id],
        p2: creek.answers(12)[1].p,
      },
      words: ['it', 'creek', creek.answers(12)[1].word],
      action: token(rows.findIndex((row) => creek.answers(row)[0].p > it.p + 0.01)),
    },
    temperature: {
      numbers: {
        p: next[0].p,
        t: 0.8,
        sharp: 1 / total(next.map(({ p }) => (p / next[0].p) ** (1 / 0.8))),
        words: spread(next.map(({ p }) => p)),
      },
      words: [story.words[3], next[0].word],
      action: (page) => click(page, '#generation button', 0),
    },
    training: {
      numbers: { steps: 2000, examples: 128000, loss: -Math.log(it.p), vocabulary: 147, chance: Math.log(147) },
      words: ['it', 'creek'],
      action: other,
    },
  };
}

/** Nothing to show outside of what scrolls, and some of it in sight. @param {string} selector */
const isSeen = (selector) => {
  const part = document.querySelector(selector);
  const box = part?.getBoundingClientRect();
  const book = document.getElementById('book')?.getBoundingClientRect();
  if (!part || !box || !book || !part.checkVisibility() || box.width < 10 || box.height < 5) return false;
  const left = book.right < innerWidth ? book.right : 0;
  const bottom = book.right < innerWidth ? innerHeight : book.top;
  return box.right > left && box.left < innerWidth && box.bottom > 0 && box.top < bottom;
};

/**
 * By the keyboard, as WebKit finds no part of a scroller that is stuck at the top while the book is beside it.
 * @param {import('./steps.js').EnginePage} page @param {string} selector @param {number} n
 */
async function enter(page, selector, n) {
  await page.evaluate(
    ([selector, n]) => /** @type {HTMLElement} */ (document.querySelectorAll(String(selector))[Number(n)]).focus(),
    [selector, n],
  );
  await page.press('Enter');
}

/**
 * Reads a page of the book, all at once.
 * @param {import('./steps.js').EnginePage} page @param {string} target
 * @returns {Promise<{title: string, words: string[], numbers: [string, string][], isRinged: boolean}>}
 */
const shownPage = (page, target) =>
  page.evaluate(
    (target) => ({
      title: document.querySelector('#book-title')?.textContent,
      words: [...document.querySelectorAll('.book-text bdi')].map((each) => each.textContent),
      numbers: [...document.querySelectorAll('.book-text [data-number]')].map((each) => [
        each.getAttribute('data-number'),
        each.textContent,
      ]),
      isRinged: document.querySelector(target)?.matches('.book-target'),
    }),
    target,
  );

/** A key in the book. @param {import('./steps.js').EnginePage} page @param {string} key */
async function press(page, key) {
  await page.evaluate(() => document.getElementById('book')?.focus({ preventScroll: true }));
  await page.press(key);
}

/** @param {import('./steps.js').EnginePage} page */
const done = (page) => page.evaluate(() => document.querySelector('.book-task')?.getAttribute('data-done'));

/** The state of the page, all but the book. @param {import('./steps.js').EnginePage} page */
const address = (page) => page.evaluate(() => location.hash);

/** @param {Tour} tour */
export default function book(tour) {
  test('book: each page has its numbers, its target and its task; then all is as it was', async () => {
    const { page } = tour;
    const all = known(
      passed(tour, 'creek'),
      passed(tour, 'translate'),
      passed(tour, 'continue'),
      passed(tour, 'creek', FIRST),
      leftOf(tour),
    );
    assert.deepEqual(
      pages.map(({ id }) => id).filter((id) => !all[id]),
      [],
      'every page is known',
    );
    await open(tour, 'creek&layout=page');
    await page.evaluate(() => localStorage.removeItem('glassformer-book'));
    await open(tour, 'creek&layout=page&text=the+cat+sat+on+the+mat+.&head=2.1&row=1&key=4&scoreScale=0');
    await eventually(async () => assert.match(await address(page), /scoreScale=0/));
    const before = await address(page);
    const value = (await texts(page, '#heatmap strong'))[0];
    await click(page, '#book-button');
    for (const [i, { id, target, title, task }] of pages.entries()) {
      if (i) await press(page, 'ArrowRight');
      const { numbers, words = [], action } = all[id];
      await eventually(async () => {
        const said = await shownPage(page, target);
        assert.equal(said.title, title);
        assert.deepEqual(said.words, words, id);
        const names = said.numbers.map(([name]) => name);
        assert.deepEqual([...new Set(names)].sort(), Object.keys(numbers).sort(), `${id}: each number is checked`);
        for (const [name, text] of said.numbers) {
          const wanted = numbers[name];
          const unit = /%/.test(text) ? 0.1 : Number.isInteger(wanted) && !text.includes('.') ? 0 : 0.01;
          const shown = numberOf(text.replaceAll(',', '').replace('\u00a0', ' '));
          const computed = /%/.test(text) ? 100 * wanted : wanted;
          assert(Math.abs(shown - computed) <= unit / 2 + 2e-4, `${id} ${name}: shown ${text}, computed ${computed}`);
        }
        assert(said.isRinged, `${id}: a ring around ${target}`);
        assert(await page.evaluate(isSeen, target), `${id} points at ${target}`);
      });
      if (!task) continue;
      assert.equal(await done(page), 'false', id);
      await page.evaluate(() => dispatchEvent(new Event('wheel'))); // the reader scrolls, so the book does not
      await action(page).catch((error) => assert.fail(`${id}: ${error.message}`));
      await eventually(async () =>
        assert.equal(await done(page), 'true', `${id} is completed: ${await address(page)}`),
      );
      const [said, seen] = await page.evaluate(() =>
        ['.book-text', '.book-seen'].map((each) => document.querySelector(each)?.textContent ?? ''),
      );
      assert(seen && !/…|NaN/.test(seen + said), `${id}: with the task done “${said}”, “${seen}”`);
    }
    await eventually(async () => assert.match(await address(page), /book=24/));
    await click(page, '.book-close');
    await eventually(async () => {
      assert.equal(await address(page), before);
      assert.equal((await texts(page, '#heatmap strong'))[0], value);
    });
    assert.equal(await page.evaluate(() => document.querySelectorAll('.book-target, .book-control').length), 0);
    await quiet(page);
  });
}
