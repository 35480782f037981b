// The reader's journey through the workspace, what decided an answer, and the page in a frame of another site.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { load } from 'glassformer';
import { formatShare } from '../../../web/draw/numbers.js';
import { host } from '../hosts.js';
import { listedAnswers } from '../browser.js';
import { creekFeatures, shipped } from '../in-node.js';
import { texts } from '../checks.js';
import { until } from '../engines.js';
import { click, eventually, fill, gone, open, point, quiet, there } from './steps.js';

const TIRED = 'The dog did not jump over the creek because it was tired.';
const ROW = 9; // its “it”
const OFF = { layer: 2, head: 1 };

/** The likeliest word at “it” in Node, and its share. @param {import('./steps.js').Tour} tour @param {object} [run] */
function answerOf({ gf }, text = TIRED, run = {}) {
  const { model, ids, vocabulary, probabilities } = shipped(gf, 'creek');
  model.forward({ ids: ids(text.toLowerCase().replace('.', ' .')), capture: true, ...run });
  const row = probabilities().data.subarray(ROW * vocabulary.length, (ROW + 1) * vocabulary.length);
  const share = Math.max(...row);
  return { word: vocabulary[row.indexOf(share)], share: formatShare(share) };
}

/**
 * Whether all of an element is in the window, before the reader scrolls.
 * @param {import('./steps.js').EnginePage} page
 * @param {string} selector
 */
const isWhole = (page, selector) =>
  page.evaluate((selector) => {
    scrollTo({ top: 0, behavior: 'instant' }); // where `point` has scrolled
    const { top, bottom, height } = document.querySelector(selector)?.getBoundingClientRect() ?? { height: 0 };
    return height > 0 && top >= 0 && bottom <= innerHeight + 0.5;
  }, selector);

/**
 * The first answer, and after a change how it is written.
 * @param {import('./steps.js').Tour} tour @param {{word: string, share: string}} wanted
 */
const answers = (tour, { word, share }) =>
  eventually(async () => {
    const [first, written] = (await listedAnswers(/** @type {any} */ (tour.page)))[0] ?? [];
    assert.equal(first, word);
    assert.equal(String(written).split('→').at(-1)?.trim(), share);
  });
const AT = `creek&layout=workspace&text=${encodeURIComponent(TIRED)}&row=${ROW}&head=3.2`;

/** @param {import('./steps.js').Tour} tour */
export default function journey(tour) {
  test('flip a word, ask why, try without a head, undo; an own sentence', async () => {
    const { page } = tour;
    await open(tour, AT);
    await answers(tour, answerOf(tour));
    for (const text of [TIRED.replace('tired', 'deep'), TIRED]) {
      await click(page, '.flip');
      await answers(tour, answerOf(tour, text));
    }
    await point(page, '#heatmap', ROW, 1, true);
    await eventually(async () => {
      assert.match((await texts(page, '#computation-title'))[0], /^Why \d+\s%\?$/);
      assert.match((await texts(page, '#why-panel'))[0], /it attends to dog/);
      assert(await isWhole(page, '#why-panel'));
    });
    await click(page, '#try .switch');
    await answers(tour, answerOf(tour, TIRED, { ablate: [OFF] }));
    await there(page, '.answers-before');
    assert(await isWhole(page, '#answers'));
    await click(page, '#try button', 'Undo');
    await gone(page, '.answers-before');
    await answers(tour, answerOf(tour));
    await fill(page, '#text', 'My sister bought a bike because it was cheap');
    await there(page, '.answers-none');
    assert.match(
      (await texts(page, '.answers-none'))[0],
      /^The model does not know \d of 9 words, so it gives no answer/,
    );
    assert.deepEqual(await texts(page, '.answers-list'), []);
    await click(page, '.answers-tries button');
    await there(page, '.answers-list li');
    await quiet(page);
  });

  test('the first screen, the FFN that decides, a neuron over the corpus, tired against deep, undo', async () => {
    const { page, gf, url } = tour;
    await page.goto(`${url}empty.html`);
    await page.evaluate(() => localStorage.removeItem('glassformer-opened'));
    await page.goto(url);
    for (const next of ['.token.flip', '#opening .primary', '#model-graph .head.behind', '#opening .primary']) {
      await there(page, next);
      await click(page, next);
    }
    await there(page, '.decision-ffn');
    const { model, ids, vocabulary } = shipped(gf, 'creek');
    const name = 'encoder.layers.1.ffn.out';
    const at = { name, index: [0, ROW, null] };
    model.forward({ ids: ids(TIRED.toLowerCase().replace('tired.', 'deep .')), capture: true });
    const { data, shape } = model.tensor(name);
    const value = data.slice(ROW * shape[2], (ROW + 1) * shape[2]);
    model.forward({ ids: ids(TIRED.toLowerCase().replace('.', ' .')), capture: true, patches: [{ ...at, value: 0 }] });
    const { data: off } = gf.softmax(model.tensor('logits'));
    const left = formatShare(off[ROW * vocabulary.length + vocabulary.indexOf('dog')]);
    const [, said] =
      /Layer 2, FFN makes the difference at it: switched off there, dog is left with ([^;]+);/.exec(
        (await texts(page, '.decision-steps li')).join(' ').replace(/\s+/g, ' '),
      ) ?? [];
    assert.equal(said, left.replace(/\s/, ' '));
    await click(page, '.decision-ffn');
    await answers(tour, answerOf(tour, TIRED, { patches: [{ ...at, value }] }));
    await click(page, '#try button', 'Undo');
    await answers(tour, answerOf(tour));
    await click(page, '.decision-close');

    await click(page, '#model-graph .model-graph-node.ffn', 1);
    await there(page, '#neurons button');
    await click(page, '#neurons button');
    await there(page, '#neuron [data-number=active]');
    assert.equal((await texts(page, '.neuron-key mark')).length, 8);
    const tints = () =>
      page.evaluate(() => [...document.querySelectorAll('.token[data-fires=above]')].map((each) => each.textContent));
    await eventually(async () => assert((await tints()).includes('it')));

    await click(page, '#try-more summary');
    await click(page, '#interventions button', 'Pin this state');
    await click(page, '.flip');
    await there(page, '.compare-panel .map-grid');
    await answers(tour, answerOf(tour, TIRED.replace('tired', 'deep')));
    await click(page, '#interventions button', 'Unpin');
    await click(page, '.flip');
    await answers(tour, answerOf(tour));
    await quiet(page);
  });
}

/** No neuron turns the answer, a feature does. @param {import('./steps.js').Tour} tour */
export function features(tour) {
  test('from an FFN’s neurons to the features after it: one of them off turns the answer, undo', async () => {
    const { page } = tour;
    await open(tour, AT);
    await answers(tour, answerOf(tour));
    await click(page, '#model-graph .model-graph-node.ffn', 1);
    await click(page, '#ffn .tabs button', 'Features');
    await there(page, '#feature-map');
    assert.match((await texts(page, '#feature-map'))[0], /The 96 neurons of this layer each answer to several things/);
    await click(page, '#model-graph .model-graph-node.dot', 3); // the stream after layer 2
    await click(page, '#find-features');
    await there(page, '#feature-map progress');
    await until(page, () => Boolean(document.querySelector('#feature-card .feature-examples')), undefined, 240_000);
    assert.deepEqual(await texts(page, '#feature-card-title'), ['Pronoun for animal']);
    const { made } = await creekFeatures(await load({ variant: 'simd' }));
    assert.equal(
      await page.evaluate(() => document.querySelector('[data-sha256]')?.getAttribute('data-sha256')),
      createHash('sha256').update(made.save()).digest('hex'),
      'the same bytes as in Node',
    );
    const [, off] = /creek (\d+(?:\.\d+)?\s%)/.exec((await texts(page, '.feature-curve'))[0]) ?? [];
    assert(off, 'its curve is of dog and creek');
    await click(page, '.feature-try [role=switch]');
    await eventually(async () => {
      const [[word]] = await listedAnswers(/** @type {any} */ (page));
      assert.equal(word, 'creek');
      assert.deepEqual(await texts(page, '#feature-strip-title'), ['No neuron turns this answer. One feature does.']);
      assert.match((await texts(page, '#arcs'))[0], /was \d+\s%/);
    });
    await click(page, '#try button', 'Undo');
    await answers(tour, answerOf(tour));
    await gone(page, '#feature-strip-title');
    await click(page, '#feature-map .tabs button', 'Lengths');
    await there(page, '#residual-stream');
    await quiet(page);
  });
}

/** Chromium's own tests show this in more detail. @param {import('./steps.js').Tour} tour */
export function embed(tour) {
  test('a link with embed=1 in a frame of another site, served as npm start does', async () => {
    const { page, url, append } = tour;
    const link = new URLSearchParams({ model: 'creek', text: TIRED, head: '3.2', row: String(ROW), embed: '1' });
    // A page of another origin sees nothing of its frame, so that says by itself what it shows.
    const restore = append(
      'watch.js',
      `if (self !== top) setInterval(() => top.postMessage({ problems,
        answer: document.querySelector('#answers .answers-list li bdi')?.textContent,
        isMapShown: document.querySelector('#heatmap canvas')?.checkVisibility(),
        isBarShown: document.querySelector('.places').checkVisibility() }, '*'), 100);`,
    );
    const lesson = await host(
      () => `<!doctype html><link rel="icon" href="data:,"><title>Lesson</title>
        <script>addEventListener('message', ({ data }) => (self.seen = data));</script>
        <iframe title="Figure" width="900" height="680" src="${url}#/explore?${link}"></iframe>`,
    );
    try {
      await page.goto(`http://localhost:${lesson.port}/`);
      const seen = await until(page, () => Reflect.get(self, 'seen')?.answer && Reflect.get(self, 'seen'));
      assert.deepEqual(seen, { problems: [], answer: answerOf(tour).word, isMapShown: true, isBarShown: false });
    } finally {
      restore();
      await page.goto(`${url}empty.html`);
      lesson.close();
    }
  });
}

/** One engine shows this for all. @param {import('./steps.js').Tour} tour */
export function decided(tour) {
  test('what decided this: a link cut, by Node’s number, a vector put back, and all heads', async () => {
    const { page, gf } = tour;
    await open(tour, AT);
    await click(page, '#decide');
    await there(page, '.decision-links .number');
    const words = (await texts(page, '.decision-links li'))[0].replace(/\s+/g, ' ');
    const [, layer, head, row, key, from, to] =
      /layer (\d), head (\d) (\S+) → (\S+) (\S+) → (\S+) %/.exec(words) ?? assert.fail(words);
    const { model, ids, vocabulary, probabilities } = shipped(gf, 'creek');
    const tokens = TIRED.toLowerCase().replace('.', ' .').split(' ');
    const dog = (/** @type {object} */ run) => {
      model.forward({ ids: ids(tokens.join(' ')), capture: true, ...run });
      return 100 * probabilities().data[ROW * vocabulary.length + vocabulary.indexOf('dog')];
    };
    const place = [Number(head) - 1, ...[row, key].map((word) => tokens.indexOf(word.toLowerCase()))];
    const name = `encoder.layers.${Number(layer) - 1}.self_attn.weights`;
    const cut = { patches: [{ name, index: [0, ...place], value: 0 }] };
    for (const [shown, computed] of [
      [from, dog({})],
      [to, dog(cut)],
    ])
      assert(Math.abs(Number(shown) - Number(computed)) <= 0.5, `${shown} ${computed}`);
    const dot = '#decision .decision-dot.on[data-at^="1 "]';
    await click(page, dot);
    await there(page, `${dot}[aria-pressed="true"]`);
    await click(page, dot);
    await there(page, `${dot}[aria-pressed="false"]`);
    await click(page, '.decision-close');
    await click(page, '#open-heads');
    await there(page, '#all-heads .head[aria-pressed="true"]');
    await click(page, '#all-heads .head[aria-pressed="true"]');
    await there(page, '#heatmap');
    await quiet(page);
  });
}
