// A token's strongest neurons and one neuron's card: every number is the module's own answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { formatShare, shortValue } from '../../../../web/draw/numbers.js';
import { corpus as census } from '../../../../web/explore/shared/corpus.js';
import { allShown, checkKey, checkWords, numberOf, saidBy } from '../../checks.js';
import { shipped } from '../../corpus.js';
import { open } from '../table.js';

const { html } = await import('lit-html'); // once there is a document
const { neuron } = await import('../../../../web/explore/features/neuron.js');
const { neuronWhy } = await import('../../../../web/explore/features/neuron-why.js');
const { reading } = await import('../../../../web/explore/shared/examples.js');

const gf = await load();
/** This document, asked as a browser's page is. */
const here = { evaluate: async (/** @type {(argument: any) => any} */ act, /** @type {any} */ all) => act(all) };

/** @typedef {Awaited<ReturnType<typeof open>>} Page */

/** @param {Page} page */
const pinned = (page) => Number(page.root.querySelector('.neuron-card')?.getAttribute('data-neuron'));

const NAME = 'encoder.layers.2.ffn.activation';

test('the corpus is asked for, and the card opened, once the reader sees it', async () => {
  reading.isSeen = false; // as a new page has it
  const page = await open(neuron, 'layout=page&model=creek&head=3.1&row=12');
  assert.deepEqual(page.needs(), [NAME, '@neurons/encoder/2']);
  assert.equal(page.root.querySelector('details.neuron-card')?.open, false);
  assert.equal(page.root.querySelector('.neuron-key'), null);
  await page.see();
  assert.deepEqual(page.needs(), [NAME, '@neurons/encoder/2', '@corpus/encoder/2', '@nearest/encoder/2/12/']);
  assert.equal(page.root.querySelector('details.neuron-card')?.open, true);

  const own = shipped(gf, 'creek');
  const rows = own.read('encoder', 2);
  const after = /** @type {any} */ (page.result().tensors.get(NAME));
  const width = after.shape[2];
  const values = after.data.subarray(12 * width, 13 * width);
  const top = [...values.keys()].sort((a, b) => values[b] - values[a]).slice(0, 8);
  assert.deepEqual(
    page.all('.neuron-strongest button'),
    top.map((each) => `Neuron ${each}`),
  );
  allShown(
    page.all('.neuron-strongest .number').map(numberOf),
    top.map((each) => values[each]),
    'strongest',
  );
  const said = (/** @type {number} */ each) =>
    saidBy(gf, own, {
      stack: 'encoder',
      layer: 2,
      neuron: each,
      gain: 'encoder.layers.2.norm2.weight',
      table: 'tok_emb.weight',
    });
  assert.deepEqual(
    page.all('.neuron-says bdi'),
    top.map((each) => own.vocabulary[said(each).words[0].id]),
  );
  for (const each of top.slice(0, 2)) {
    await page.click(`li[data-neuron="${each}"] button`);
    assert.deepEqual([page.state().cursor.neuron, page.state().neuronCard, pinned(page)], [each, true, each]);
    assert.deepEqual(page.all('.neuron-strongest [aria-pressed=true]'), [`Neuron ${each}`]);
    const { words } = said(each);
    await checkWords(here, words, own.vocabulary);
    await checkKey(here, rows, each);
  }
  await page.click('summary');
  assert.deepEqual([page.state().neuronCard, page.root.querySelector('details.neuron-card')?.open], [false, false]);
  assert.deepEqual(page.needs(), [NAME, '@neurons/encoder/2'], 'nor is the corpus asked for');
});

test('Why has the strongest two in their sentences, once the reader sees it', async () => {
  reading.isSeen = false;
  const page = await open(neuronWhy, 'model=creek&head=2.1&row=12&neuron=53');
  assert.deepEqual(page.all('.why-examples li'), ['…']);
  await page.see();
  assert(page.needs().includes('@corpus/encoder/1'));
  const [first, second, ...more] = page.all('.why-examples li');
  assert.deepEqual(more, []);
  const { places, values, ids, active } = /** @type {any} */ (page.result().derived.get('@corpus/encoder/1'));
  const most = places.length / active.length;
  const own = shipped(gf, 'creek');
  for (const [i, said] of [first, second].entries()) {
    const at = 53 * most + i;
    assert.match(said, new RegExp(`\\b${own.vocabulary[ids[places[at]]]}\\b`));
    assert.equal(page.all('.why-examples mark')[i], own.vocabulary[ids[places[at]]]);
    assert(said.endsWith(shortValue(values[at])), said);
  }
});

test('translate: a decoder neuron has output words, an encoder neuron has none', async () => {
  const own = shipped(gf, 'translate');
  const decoder = await open(neuron, 'layout=page&model=translate&attention=cross&head=2.1');
  const { words } = saidBy(gf, own, {
    stack: 'decoder',
    layer: 1,
    neuron: pinned(decoder),
    gain: 'decoder.layers.1.norm3.weight',
    table: 'tgt_emb.weight',
  });
  await checkWords(here, words, own.targetVocabulary);
  await checkKey(here, own.read('decoder', 1), pinned(decoder));
  assert.match(decoder.text(), /The marked token is the decoder’s input/);
  const encoder = await open(neuron, 'layout=page&model=translate&attention=encoder&head=1.1');
  assert.match(encoder.all('.neuron-value')[0], /promotes no tokens directly/);
  await checkKey(here, own.read('encoder', 0), pinned(encoder));
  const bare = await open(neuron, 'layout=page&model=untrained&kind=encoder-decoder&attention=decoder');
  assert.match(bare.all('.neuron-value')[0], /no output table/);
});

test('untrained: the corpus is the text itself, and there are no output words', async () => {
  const page = await open(neuron, 'layout=page&model=untrained');
  const { data, shape } = /** @type {any} */ (page.result().tensors.get('encoder.layers.0.ffn.activation'));
  const column = Array.from({ length: shape[1] }, (_, row) => data[row * shape[2] + pinned(page)]);
  const top = column.filter((value) => value > 0).sort((a, b) => b - a);
  allShown(page.all('.neuron-key li .number').map(numberOf), top.slice(0, 8), 'key');
  assert.equal(page.all('[data-number=active]')[0], formatShare(top.length / shape[1]).replace(/\s/, ' '));
  assert.match(page.all('.neuron-key')[0], /the text itself \(untrained model\)/);
  assert.match(page.all('.neuron-value')[0], /no output table/);
  assert.equal((await open(neuron, 'layout=page&model=untrained&d_ff=0')).text(), '');
  assert.equal((await open(neuron, 'layout=page&model=untrained&text=')).text(), '');
});

test('nothing offers to save a card that has left the page', async () => {
  const page = await open(neuron, 'layout=page&model=untrained');
  /** @type {(string | undefined)[]} */
  const names = [];
  document.addEventListener('figurechange', (event) => names.push(/** @type {any} */ (event).detail?.name));
  await page.change({ cursor: { ...page.state().cursor, neuron: 5 } });
  assert.equal(names.at(-1), 'Neuron 5');
  await page.change({ settings: { ...page.state().settings, d_ff: 0 } });
  assert.deepEqual([names.at(-1), page.text()], [undefined, '']);
});

test('while the corpus is read the reader types on, and gets the new text’s numbers', async () => {
  const page = await open(neuron, 'layout=page&model=continue');
  await page.change({ neuronCard: false });
  const isRead = page.change({ neuronCard: true, settings: { ...page.state().settings, residual: false } });
  await page.change({ text: 'One day a dog' });
  await isRead;
  const { row } = page.state().cursor;
  const [name] = page.needs();
  const { data, shape } = /** @type {any} */ (page.result().tensors.get(name));
  assert.equal(page.result().plan.tokens.decoder?.words.length, 4);
  const most = Math.max(...data.subarray(Math.min(row, 3) * shape[2], (Math.min(row, 3) + 1) * shape[2]));
  allShown([numberOf(page.all('.neuron-strongest .number')[0])], [most], 'of the new text');
  assert.match(page.all('.neuron-key')[0], /of the [\d,]+ tokens of the corpus/);
});

/** The corpus of creek, read by one model that has run on a text of its own. @param {object} [more] */
function passes(more = {}) {
  const own = shipped(gf, 'creek');
  const ids = own.corpus.ids[0];
  own.model.forward({ ids, capture: true });
  const context = {
    ...{ gf, name: 'creek', config: own.config, model: own.model, corpus: () => own.corpus, ids, targetIds: null },
    ...{ originals: [], interventions: [], ...more },
  };
  /** @param {any} given @param {string} [stop] */
  const whole = (given, stop) => {
    let [answer, parts] = [/** @type {any} */ (census(given, 'encoder', '0', /** @type {any} */ (stop))), 1];
    for (; answer.unfinished; parts++) answer = census(given, 'encoder', '0');
    return { ...answer, parts };
  };
  return { own, context, whole };
}

test('the corpus: read in parts, kept for the same switches and texts, read anew for others', () => {
  const { own, context, whole } = passes();
  const first = whole(context);
  assert.equal(first.ids.length, own.corpus.ids.flat().length);
  const again = whole(context);
  assert.equal(again.parts, 1);
  assert.deepEqual(again.values, first.values);
  const config = { ...own.config, scoreScale: false };
  const model = gf.createModel(config);
  model.loadWeights(own.weights, { strict: false });
  const unscaled = whole({ ...context, config, model });
  assert.notDeepEqual(unscaled.values, first.values);
  assert.equal(whole(context).parts, 1);
  const others = { ids: own.corpus.ids.slice(0, 5), targetIds: null };
  const few = whole({ ...context, corpus: () => others });
  assert.deepEqual([few.ids.length, few.starts.length, few.of], [others.ids.flat().length, 5, 5]);
});

test('the corpus: the numbers of each neuron are those of the passes, sentence by sentence', () => {
  const { own, context, whole } = passes();
  const found = whole(context);
  const rows = own.read('encoder', 0);
  const bin = (/** @type {number} */ value) => [...Array(24).keys()].findLast((i) => !i || value >= 2 ** (i / 2 - 6));
  for (const neuron of [0, 7, 50, 95]) {
    const values = rows.map(({ values: each }) => each[neuron]);
    const counts = Array(24).fill(0);
    for (const value of values) if (value > 0) counts[Number(bin(value))]++;
    assert.deepEqual([...found.bins.subarray(24 * neuron, 24 * neuron + 24)], counts, `neuron ${neuron}`);
    const total = counts.reduce((a, b) => a + b);
    for (const [i, count] of counts.entries()) {
      const [place, value] = [found.binPlaces[24 * neuron + i], found.binValues[24 * neuron + i]];
      assert.equal(place >= 0, count > 0);
      if (count) assert.deepEqual([Math.fround(values[place]), bin(value)], [value, i]);
    }
    const places = [...found.randomPlaces.subarray(4 * neuron, 4 * neuron + 4)].filter((place) => place >= 0);
    assert.equal(new Set(places).size, Math.min(4, total));
    for (const [i, place] of places.entries()) {
      assert.equal(found.randomValues[4 * neuron + i], values[place]);
      assert(values[place] > 0);
    }
  }
  // Drawn from all of it: the mean place of many is about the middle.
  const drawn = [...found.randomPlaces].filter((place) => place >= 0);
  const mean = drawn.reduce((a, b) => a + b) / drawn.length / rows.length;
  assert(Math.abs(mean - 0.5) < 0.08, `${mean}`);
});

test('the corpus: nothing that is changed counts, the model is left as it was, and it stops where it is', () => {
  const head = { what: 'head', kind: 'encoder', layer: 1, head: 0, to: 0 };
  const plain = passes();
  const { context, whole, own } = passes({ interventions: [head] });
  const logits = () => [...own.model.tensor('logits').data];
  const patches = [{ name: 'encoder.layers.1.self_attn.head_outputs', index: [0, 0, null, null], value: 0 }];
  own.model.forward({ ids: context.ids, capture: true, patches });
  const before = logits();
  const first = /** @type {any} */ (census(/** @type {any} */ (context), 'encoder', '0'));
  assert.deepEqual(logits(), before, 'as its run left it');
  if (first.unfinished) {
    const part = whole(context, 'stop');
    assert.equal(part.parts, 1);
    assert(part.starts.length >= first.done && part.starts.length < part.of);
    assert.equal(part.ids.length, own.corpus.ids.slice(0, part.starts.length).flat().length);
  }
  assert.deepEqual(whole(context).values, plain.whole(plain.context).values);
});

test('a neuron in a link by layer and number; a name that the reader gives stays in it', async () => {
  const page = await open(neuron, 'model=creek&row=12&neuron=2.88');
  await page.see();
  const { selection, cursor, graph } = page.state();
  assert.deepEqual([selection.layer, selection.head, cursor.neuron, graph.node], [1, 0, 88, 'ffn']);
  const input = /** @type {HTMLInputElement} */ (page.root.querySelector('.neuron-name'));
  for (const [typed, name] of [
    [' pronoun ', 'pronoun'],
    ['x'.repeat(50), 'x'.repeat(40)],
  ]) {
    input.value = typed;
    input.dispatchEvent(new document.defaultView.Event('change', { bubbles: true }));
    await page.change({});
    assert.deepEqual(page.state().neuronNames, [{ stack: 'encoder', layer: 1, neuron: 88, name }]);
    assert.match(page.all('.neuron-card summary')[0], new RegExp(`^Neuron 88 “?${name}”?: what activates it`));
  }
  input.value = '';
  input.dispatchEvent(new document.defaultView.Event('change', { bubbles: true }));
  await page.change({});
  assert.deepEqual(page.state().neuronNames, []);
});

test('examples: the strongest, over the range, at random; a histogram with the token’s own bin', async () => {
  const page = await open(neuron, 'model=creek&row=12&neuron=2.88');
  await page.see();
  const rows = shipped(gf, 'creek').read('encoder', 1);
  const values = rows.map(({ values: each }) => each[88]).filter((value) => value > 0);
  const shown = () => page.all('.neuron-key li .number').map(Number);
  assert.deepEqual(page.all('.neuron-key .tabs button'), ['strongest', 'over its range', 'at random']);
  const strongest = shown();
  assert.equal(strongest.length, 8);
  await page.click('.neuron-key .tabs button:nth-child(2)');
  const range = shown();
  assert.deepEqual(
    range,
    range.toSorted((a, b) => b - a),
  );
  assert(range.length === 6 && range[0] < strongest[7] && range[5] < strongest[0] / 8, `${range}`);
  await page.click('.neuron-key .tabs button:nth-child(3)');
  assert.equal(page.root.querySelector('.tabs [aria-pressed=true]')?.textContent, 'at random');
  const random = shown();
  assert.equal(random.length, 4);
  for (const each of [...range, ...random])
    assert(
      values.some((value) => Math.abs(value - each) < 1e-4),
      `${each} is no activation`,
    );

  const bars = [...page.root.querySelectorAll('.neuron-histogram rect')];
  const bin = (/** @type {number} */ value) => Math.max(0, Math.floor(2 * Math.log2(value)) + 12);
  const counts =
    Map.groupBy?.(values, bin) ??
    new Map([...new Set(values.map(bin))].map((at) => [at, values.filter((value) => bin(value) === at)]));
  const [first, last] = [Math.min(...counts.keys()), Math.max(...counts.keys())];
  assert.equal(bars.length, last - first + 1);
  const most = Math.max(...[...counts.values()].map(({ length }) => length));
  for (const [i, bar] of bars.entries())
    assert(Math.abs(Number(bar.getAttribute('height')) - (counts.get(first + i)?.length ?? 0) / most) < 1e-9);
  const { data, shape } = /** @type {any} */ (page.result().tensors.get('encoder.layers.1.ffn.activation'));
  const own = data[page.state().cursor.row * shape[2] + 88];
  assert.deepEqual(
    bars.flatMap((bar, i) => (bar.classList.contains('here') ? [first + i] : [])),
    own > 0 ? [bin(own)] : [],
  );
  assert.equal((await open(neuron, 'model=untrained&part=ffn')).root.querySelector('.neuron-own'), null, 'no words');
});

test('the sentence is tinted by the neuron, and says where it is strongest; it goes when the FFN does', async () => {
  const { encoderTokens } = await import('../../../../web/explore/features/tokens.js');
  const all = {
    ...neuron,
    needs: neuron.needs,
    render: (/** @type {any} */ context, /** @type {any} */ tools) =>
      html`${encoderTokens.render({ ...context, local: { from: -1, at: -1 } }, tools)}${
        context.state.graph.node === 'ffn' ? neuron.render(context, tools) : ''
      }`,
  };
  const page = await open(/** @type {any} */ (all), 'model=creek&row=12&neuron=2.88');
  await page.see();
  const tokens = () => /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('.token')]);
  const shows = () => {
    const { data, shape } = /** @type {any} */ (page.result().tensors.get('encoder.layers.1.ffn.activation'));
    const values = tokens().map((_, row) => data[row * shape[2] + Number(page.state().cursor.neuron)]);
    const most = Math.max(...values);
    assert.deepEqual(
      tokens().map(({ dataset, style }) => [dataset.fires, style.getPropertyValue('--fires')]),
      values.map((value) => [value > 0 ? 'above' : '', `${Math.round((30 * value) / (most || 1))}%`]),
    );
    const word = page.result().plan.tokens.encoder?.words[values.indexOf(most)];
    const said = page.all('.neuron-here span')[0];
    if (most) assert.match(said, new RegExp(`^In the text above: at most ${most.toFixed(4)}, at ${word}\\.$`));
    else assert.equal(said, 'In the text above: 0 at every token.');
    return most;
  };
  assert(shows() > 0);
  await page.click('.neuron-here button');
  assert.equal(page.state().cursor.neuron, 88);
  await page.change({ text: 'the cat sat on the mat .' });
  shows();
  await page.change({ graph: { ...page.state().graph, node: 'attention' } });
  assert(tokens().every(({ dataset }) => !dataset.fires));
});

test('over the corpus without the neuron: counted by passes with it off, sentence by sentence', async () => {
  const page = await open(neuron, 'model=creek&row=12&neuron=2.88');
  await page.see();
  assert(!page.needs().some((name) => name.startsWith('@neuron-effect')), 'not before it is asked');
  await page.click('.neuron-asks');
  assert.deepEqual([page.state().neuronOff, page.state().cursor.neuron], [true, 88]);
  const { model, corpus, vocabulary } = shipped(gf, 'creek');
  const off = [{ name: 'encoder.layers.1.ffn.activation', index: [null, null, 88], value: 0 }];
  let [tokens, turned, nats] = [0, 0, 0];
  const turns = /** @type {[number, string][]} */ ([]);
  for (const ids of corpus.ids) {
    const [plain, without] = [[], off].map((patches) => {
      const { data, shape } = model.forward({ ids, capture: true, patches }).logits;
      return gf.softmax({ data: data.slice(), shape }).data;
    });
    const width = vocabulary.length;
    for (const row of ids.keys()) {
      const [p, q] = [plain, without].map((each) => each.subarray(row * width, (row + 1) * width));
      const [from, to] = [p, q].map((each) => each.indexOf(Math.max(...each)));
      nats += p.reduce((sum, each, i) => sum + (each ? each * Math.log(each / q[i]) : 0), 0);
      tokens++;
      if (from === to) continue;
      turned++;
      const shares = [p, q].map((each) => formatShare(each[from]).replace('\u00a0', ' '));
      turns.push([p[from] - q[from], `${vocabulary[from]} ${shares.join(' → ')}, then ${vocabulary[to]}`]);
    }
  }
  const [, shown, all, mean] =
    /^The answer is another one at (\d+) of ([\d,]+) tokens \(.*\), (\S+) nats on average\.$/.exec(
      page.all('.neuron-off [role=status]')[0],
    ) ?? assert.fail(page.all('.neuron-off')[0]);
  assert.deepEqual([Number(shown), all], [turned, tokens.toLocaleString('en')]);
  assert(Math.abs(Number(mean) - nats / tokens) < 0.06 * (nats / tokens), `${mean}, ${nats / tokens}`);
  const expected = turns
    .sort((a, b) => b[0] - a[0])
    .slice(0, 4)
    .map(([, said]) => said);
  assert.deepEqual(
    page.all('.neuron-off li span').map((each) => each.replaceAll('\u00a0', ' ')),
    expected,
  );
  assert.deepEqual(page.all('.neuron-off mark').length, 4);
  for (const link of ['model=translate&part=ffn', 'model=untrained&part=ffn'])
    assert.equal((await open(neuron, link)).root.querySelector('.neuron-asks'), null, link);
});

test('the neurons with the most similar keys, by cosine; one is chosen by a click', async () => {
  for (const [link, stack, layer, chosen] of /** @type {[string, string, number, number | null][]} */ ([
    ['model=creek&row=12&neuron=2.88', 'encoder', 1, 88],
    ['model=creek&row=12&head=3.1&part=ffn', 'encoder', 2, null],
    ['model=continue&row=2&neuron=1.0', 'decoder', 0, 0],
  ])) {
    const page = await open(neuron, link);
    await page.see();
    const { model } = shipped(gf, link.slice(6).split('&')[0]);
    const { data, shape } = model.tensor(`${stack}.layers.${layer}.linear1.weight`);
    const key = (/** @type {number} */ n) => [...data.subarray(n * shape[1], (n + 1) * shape[1])];
    const own = chosen ?? pinned(page);
    const dot = (/** @type {number[]} */ a, /** @type {number[]} */ b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
    const cosine = (/** @type {number} */ n) => dot(key(n), key(own)) / Math.hypot(...key(n)) / Math.hypot(...key(own));
    const best = [...Array(shape[0]).keys()]
      .filter((n) => n !== own)
      .sort((a, b) => cosine(b) - cosine(a))
      .slice(0, 4);
    const buttons = page.all('.neuron-nearest button');
    assert.deepEqual(
      buttons.map((each) => Number(each.split(' ')[1])),
      best,
      link,
    );
    for (const [i, each] of buttons.entries())
      assert(Math.abs(Number(each.split(' ')[2].replace('−', '-')) - cosine(best[i])) < 0.006, each);
    await page.click('.neuron-nearest button');
    assert.equal(page.state().cursor.neuron, best[0]);
  }
});
