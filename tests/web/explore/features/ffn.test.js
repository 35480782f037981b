// The FFN's map: its columns in each order, its colours, dead neurons, those that are set by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../../web/draw/canvas.js';
import { positiveScale, probabilityScale, signedScale } from '../../../../web/draw/color.js';
import { bendOf, byColumn, neuronMap, withOthers } from '../../../../web/draw/neuron-map.js';
import { neuronOrder, shownNeurons } from '../../../../web/explore/shared/neurons.js';
import { NOTHING } from '../../../../web/models/catalogue.js';
import { arrange, chain, descending } from '../../../../web/explore/shared/order.js';
import { allShown, numberOf } from '../../checks.js';
import { active, shipped } from '../../corpus.js';
import { gf, open, openGiven } from '../table.js';

const { ffn } = await import('../../../../web/explore/features/ffn.js');

const NAME = 'encoder.layers.2.ffn.activation';
const LINK = 'model=creek&head=3.1&row=12&neurons=index';

test('orders: descending is stable, a chain goes to the likest, a matrix is arranged once', () => {
  const data = Float32Array.of(1, 3, 3, 0, 5, 4, 5, 9);
  assert.deepEqual([...descending(data, 4)], [1, 2, 0, 3]);
  assert.deepEqual([...descending(data, 4, 1)], [3, 0, 2, 1]);
  assert.equal(descending(data, 4, 1), descending(data, 4, 1));
  const order = descending(data, 4);
  assert.deepEqual([...arrange(data, 4, order)], [3, 3, 1, 0, 4, 5, 5, 9]);
  assert.equal(arrange(data, 4, order), arrange(data, 4, order));
  assert.deepEqual(chain(Float32Array.of(1, 0.1, 0.9, 0.1, 1, 0.2, 0.9, 0.2, 1), 3), [0, 2, 1]);
});

test('root colours of signed values: 0 stays the middle, a quarter of the limit is half of the way', () => {
  const pixels = new Uint32Array(5);
  const scale = signedScale('light', 4, true);
  fillPixels(pixels, { rows: 1, columns: 5, data: Float32Array.of(-4, -1, 0, 1, 4), scale, scheme: 'light' });
  assert.deepEqual(
    [...pixels],
    [0, 63.5, 127, 190.5, 254].map((i) => scale.table[Math.floor(i + 0.5)]),
  );
});

test('where nothing is negative the colours run one way, from 0', () => {
  const pixels = new Uint32Array(3);
  const scale = positiveScale('light', 5);
  fillPixels(pixels, { rows: 1, columns: 3, data: Float32Array.of(0, 2.5, 5), scale, scheme: 'light' });
  const { table } = probabilityScale('light');
  assert.deepEqual([...pixels], [table[0], table[128], table[255]]);
});

test('opens on the strongest neuron of the word; before the activation the scale has two sides', async () => {
  const page = await open(ffn, LINK);
  assert.deepEqual(page.needs(), [NAME]);
  const { data, shape } = /** @type {any} */ (page.result().tensors.get(NAME));
  const width = shape[2];
  for (const row of [12, 7]) {
    await page.change({ cursor: { ...page.state().cursor, row } });
    const values = data.subarray(row * width, (row + 1) * width);
    const most = Math.max(...values);
    assert.match(page.all('.map-readout bdi')[0], new RegExp(`, neuron ${values.indexOf(most)}$`));
    allShown(page.all('.map-readout strong').map(numberOf), [most], `row ${row}`);
  }
  const scale = () => page.all('.legend-scale')[0];
  assert.match(scale(), /^0/, 'ReLU: a scale from 0');
  const zeros = data.filter((/** @type {number} */ value) => value === 0).length;
  const dead = Array.from({ length: width }, (_, n) =>
    Array.from({ length: shape[1] }, (__, row) => data[row * width + n]).every((value) => value === 0),
  ).filter(Boolean).length;
  const [fact] = page.all('.view-fact');
  const share = ((100 * zeros) / data.length).toFixed(1);
  assert(fact.startsWith(`${share} % of the values are exactly 0; ${dead} of`), fact);
  await page.choose('.quantity', 'pre_activation');
  assert.deepEqual(page.needs(), ['encoder.layers.2.ffn.pre_activation']);
  assert.match(scale(), /−/);
});

test('neurons by number, value, similarity and activity', async () => {
  const page = await open(ffn, LINK);
  const { data, shape } = /** @type {any} */ (page.result().tensors.get(NAME));
  const [, tokens, width] = shape;
  const numbers = Array.from({ length: width }, (_, i) => i);
  const shares = active(shipped(gf, 'creek').read('encoder', 2));
  const column = (/** @type {number} */ n) => Array.from({ length: tokens }, (_, row) => data[row * width + n]);
  const cosine = (/** @type {number} */ a, /** @type {number} */ b) => {
    const [x, y] = [a, b].map(column);
    const product = x.reduce((sum, each, i) => sum + each * y[i], 0);
    return product && product / Math.hypot(...x) / Math.hypot(...y);
  };
  const similarity = (/** @type {number[]} */ order) =>
    order.slice(1).reduce((sum, n, i) => sum + cosine(order[i], n), 0) / (order.length - 1);
  const falls = (/** @type {number[]} */ values) => values.every((each, i) => i === 0 || each <= values[i - 1]);
  /** @type {Record<string, (order: number[]) => boolean>} */
  const right = {
    token: (order) => falls(order.map((n) => data[12 * width + n])),
    similar: (order) => similarity(order.slice(0, 64)) > 2 * similarity(numbers.slice(0, 64)),
    active: (order) => falls(order.map((n) => shares[n])),
  };
  for (const [name, check] of Object.entries(right)) {
    await page.choose('.arrangement', name);
    const order = [...(neuronOrder(page.result(), page.state()) ?? [])];
    assert.deepEqual(
      order.toSorted((a, b) => a - b),
      numbers,
      name,
    );
    assert(check(order), `${name}: ${order}`);
  }
  await page.choose('.arrangement', 'index');
  assert.equal(neuronOrder(page.result(), page.state()), null);
});

test('each order asks for what it takes, and the chosen neuron stays the same', async () => {
  const page = await open(ffn, `${LINK}&neuron=7`);
  const { data, shape } = /** @type {any} */ (page.result().tensors.get(NAME));
  const value = data[12 * shape[2] + 7];
  for (const [order, need] of [
    ['token', []],
    ['similar', ['@similar/encoder/2']],
    ['active', ['@corpus/encoder/2']],
    ['index', []],
  ]) {
    await page.choose('.arrangement', String(order));
    assert.deepEqual(page.needs(), [NAME, ...need]);
    assert.match(page.all('.map-readout bdi')[0], /^row it, neuron 7$/, String(order));
    allShown(page.all('.map-readout strong').map(numberOf), [value], String(order));
    const corpus = page.result().derived.get('@corpus/encoder/2');
    const said = corpus && `${[...corpus.active].filter((share) => share === 0).length} neurons are dead.`;
    assert.equal(page.all('.view-fact')[0].endsWith(said ?? 'on this text).'), true, page.all('.view-fact')[0]);
  }
});

test('the keyboard moves to the neuron that stands there, and opens its card unless the reader closed it', async () => {
  const page = await open(ffn, LINK.replace('index', 'token'));
  const { data, shape } = /** @type {any} */ (page.result().tensors.get(NAME));
  const order = descending(data.slice(12 * shape[2], 13 * shape[2]), shape[2]);
  await page.press('[role=application]', 'ArrowRight');
  assert.equal(page.state().cursor.neuron, order[1]);
  assert.equal(page.state().neuronCard, true);
  await page.change({ neuronCard: false });
  await page.press('[role=application]', 'ArrowRight');
  assert.equal(page.state().neuronCard, false, 'what the reader closed stays closed');
  await page.choose('.colours', 'root');
  assert.equal(page.state().ffnColours, 'root');
});

test('a neuron that is set by hand has a mark and a description', async () => {
  const page = await open(ffn, LINK);
  const change = { what: 'neuron', kind: 'encoder', layer: 2, neuron: 7, to: 2 };
  await page.change(/** @type {any} */ ({ interventions: [change] }));
  const map = page.root.querySelector('[role=application]');
  assert.match(map?.ariaDescription ?? '', /^Set by hand: neuron 7 /);
  assert.equal(page.root.querySelectorAll('.map-mark').length, 1);
  await page.change({ interventions: [] });
  assert.equal(map?.ariaDescription, '');
});

test('what is said of the activation, and without an FFN or a text', async () => {
  for (const [link, words] of /** @type {[string, RegExp][]} */ ([
    ['activation=relu', /ReLU sets negative pre-activations to 0: with random weights, about half of them\.$/],
    ['activation=gelu', /GELU.* moves negative pre-activations smoothly towards 0\.$/],
    ['activation=none', /the two linear maps are equivalent to one\.$/],
    ['d_ff=0', /^Feed-forward network No FFN to show: no tokens, or d_ff is 0\./],
    ['text=', /^Feed-forward network No FFN to show: no tokens, or d_ff is 0\./],
  ]))
    assert.match((await open(ffn, link)).text(), words);
  assert.deepEqual((await open(ffn, 'd_ff=0')).needs(), []);
});

test('of many neurons the first have columns, and the chosen one wherever it stands', () => {
  const last = Int32Array.of(5, 4, 3, 2, 1, 0);
  for (const [order, from, most, chosen, shown] of /** @type {[Int32Array | null, number, number, number, any][]} */ ([
    [null, 0, 3, 1, [0, 1, 2]],
    [null, 0, 3, 4, [0, 1, 2, 4]],
    [null, 3, 3, 1, [1, 3, 4, 5]],
    [null, 4, 3, 5, [4, 5]],
    [last, 0, 2, 5, [5, 4]],
    [last, 0, 2, 0, [5, 4, 0]],
    [last, 2, 2, 5, [5, 3, 2]],
    [last, 2, 2, 0, [3, 2, 0]],
  ]))
    assert.deepEqual(shownNeurons(order, 6, { from, most, chosen }), shown, `${order} ${from} ${most} ${chosen}`);
});

test('all others are one column: of each row their value of largest size', () => {
  const data = Float32Array.of(1, -5, 2, 3, 0, 4, -9, 8, 0, 7, 0, NaN);
  assert.deepEqual([...withOthers(data, 4, [1])], [-5, 3, 4, -9, 7, NaN]);
  assert.deepEqual([...withOthers(data, 4, [3, 0])], [3, 1, -5, 8, 0, -9, NaN, 0, 7]);
});

test('by neuron each column ends at its own largest size; a column of zeros stays 0', () => {
  assert.deepEqual([...byColumn(Float32Array.of(2, 0, -1, -4, 0, 4), 3)], [0.5, 0, -0.25, -1, 0, 1]);
});

test('the symmetric logarithm bends at the median size, so that an outlier leaves the others their colours', () => {
  const data = Float32Array.of(-0.2, 0.1, 0, 0.3, -0.2, 0.2, 0.1, 100);
  assert.equal(bendOf(data), 0.2);
  assert.equal(bendOf(new Float32Array(3)), 1);
  const map = (/** @type {any} */ colours, /** @type {any} */ quantity) =>
    neuronMap({
      ...{ title: '', quantity, words: ['a', 'b'], neurons: 4, data, scheme: 'light', cursor: { row: 0, column: 0 } },
      colours,
    });
  const { matrix, scaleTitle } = map('symlog', 'product');
  assert.equal(scaleTitle, 'Product, log beyond ±0.2');
  assert.deepEqual(matrix.scale.ticks, ['−100', '0', '100']);
  const pixels = new Uint32Array(8);
  fillPixels(pixels, matrix);
  const { table } = signedScale('light', 1);
  const whole = Math.log(1 + 100 / 0.2);
  for (const [i, value] of data.entries()) {
    const share = 0.5 + (Math.sign(value) * Math.log(1 + Math.abs(value) / 0.2)) / whole / 2;
    const at = table.indexOf(pixels[i]);
    assert.ok(Math.abs(at - share * 254) <= 0.51, `${value}: ${at}, not ${share * 254}`);
  }
  fillPixels(pixels, map('linear', 'product').matrix);
  assert.equal(new Set(pixels.subarray(0, 7)).size, 1, 'on the plain scale they are bleached');
  const { scale } = map('symlog', 'activation').matrix; // which has values below 0, too
  assert.equal(scale.low, -1);
  assert.equal(map('neuron', 'product').scaleTitle, 'Product, of each neuron’s largest');
  assert.equal(map('root', 'product').scaleTitle, 'Product, square root');
});

/** A gated network of many neurons, with one outlier. */
const MANY = { layers: 2, d_ff: 200, d_model: 16, heads: 2, vocabulary: 30 };
const gated = gf.createModel({
  ...{ ...MANY, kind: 'decoder', norm: 'pre', normKind: 'rms', finalNorm: true, positions: 'rotary', head: 'linear' },
  ...{ ffn: 'gated', activation: 'silu', ffnBias: false, seed: 5 },
});
const IDS = [5, 9, 12, 7, 9, 2];
await openGiven({
  name: 'many',
  label: { label: 'many', does: 'gated' },
  entry: { ...NOTHING, input: 'prompt', token: /\S+/g, longest: Infinity, text: IDS.join(' '), facts: [] },
  file: gated.save(),
});
const WIDE = 'model=many&head=2.1&part=ffn';

/** Numbers of a row in double, by the formulas alone. @param {number} row */
function computed(row) {
  gated.forward({ ids: IDS, capture: true });
  const { d_ff: neurons, d_model: width, vocabulary } = MANY;
  const weights = gated.weights();
  const read = (/** @type {string} */ name) => /** @type {Float32Array} */ (weights.get(name)?.data);
  const of = (/** @type {string} */ name) => /** @type {Float32Array} */ (gated.tensor(name)?.data);
  const product = of('decoder.layers.1.ffn.product').subarray(row * neurons, (row + 1) * neurons);
  const logits = of('logits').subarray(row * vocabulary, (row + 1) * vocabulary);
  const [id, against] = [...logits.keys()].sort((a, b) => logits[b] - logits[a]);
  const [second, table, gain] = ['decoder.layers.1.linear2.weight', 'generator.weight', 'decoder.norm.weight'].map(
    read,
  );
  const scale = Math.sqrt(of('decoder.norm.mean_square')[row] + 1e-5);
  const column = (/** @type {number} */ n) => Array.from({ length: width }, (_, c) => second[c * neurons + n]);
  const effects = Array.from(product, (value, n) =>
    column(n).reduce(
      (sum, each, c) => sum + ((value * each * gain[c]) / scale) * (table[id * width + c] - table[against * width + c]),
      0,
    ),
  );
  const lengths = Array.from(product, (value, n) => Math.abs(value) * Math.hypot(...column(n)));
  return { product, effects, lengths, id, against };
}

/** Neurons by the size of their numbers. @param {number[]} values */
const bySizeOf = (values) => [...values.keys()].sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]));

/** @param {Awaited<ReturnType<typeof open>>} page */
const columns = (page) => page.all('.map-columns bdi').map(Number);

test('many neurons open by the length they add at the token; by effect: on the answer’s lead', async () => {
  const page = await open(ffn, `${WIDE}&row=3`);
  assert.equal(page.state().neuronOrder, 'contribution', 'the link need not say it');
  assert.equal(page.state().ffnColours, 'symlog');
  for (const row of [3, 5]) {
    await page.change({ cursor: { ...page.state().cursor, row } });
    const { effects, lengths, product, id, against } = computed(row);
    const strongest = bySizeOf([...product])[0];
    for (const [name, values, said] of /** @type {const} */ ([
      ['effect', effects, `the lead of ${id} over ${against} at ${IDS[row]}`],
      ['contribution', lengths, `the length of the vector that each neuron adds at ${IDS[row]}`],
    ])) {
      await page.choose('.arrangement', name);
      assert.deepEqual(
        [...(neuronOrder(page.result(), page.state()) ?? [])].slice(0, 64),
        bySizeOf(values).slice(0, 64),
      );
      assert(page.all('.view-fact')[0].includes(said), page.all('.view-fact')[0]);
      const [shown] = page.all(`[data-number=${name}]`);
      assert.equal(numberOf(shown), Number(values[strongest].toPrecision(2)), name);
      assert.equal(shown.startsWith('+'), name === 'effect' && values[strongest] > 0);
    }
    await page.choose('.arrangement', 'effect');
    await page.change({ alone: true });
    assert(page.all('.view-fact')[0].includes(`to the logit of ${id} at`));
    await page.change({ alone: false });
  }
});

/**
 * Lets every element be as wide as it says, until the test ends.
 * @param {import('node:test').TestContext} t @param {() => number} width
 */
function inWidth(t, width) {
  const elements = HTMLElement.prototype;
  const kept = Object.getOwnPropertyDescriptor(elements, 'clientWidth');
  Object.defineProperty(elements, 'clientWidth', { configurable: true, get: width });
  t.after(() => {
    if (kept) Object.defineProperty(elements, 'clientWidth', kept);
    else Reflect.deleteProperty(elements, 'clientWidth');
  });
}

/** The next frame, and what is drawn after it. */
const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

test('as many columns of 15 px as fit beside the words, the chosen one and the rest', async (t) => {
  let now = 0;
  inWidth(t, () => now);
  for (const [width, most] of [
    [641, 33],
    [567, 28],
    [366, 15],
    [2000, 64],
  ]) {
    now = width;
    const page = await open(ffn, `${WIDE}&row=3`);
    await frame();
    assert.equal(page.all('.neuron-pages [role=status]')[0], `1–${most} of 200`);
    assert.ok(104 + 15 * (most + 2) <= width);
  }
});

test('a size that its own answer undoes is answered once, and a hidden map keeps its columns', async (t) => {
  const columnsNow = () => document.querySelectorAll('.map-columns bdi').length;
  let measured = 0;
  let isOpen = true;
  // As a scrollbar does: with few columns the page is wide, with many it is narrow.
  inWidth(t, () => (measured++, !isOpen ? 0 : columnsNow() > 20 ? 366 : 641));
  const page = await open(ffn, `${WIDE}&row=3`);
  for (let i = 0; i < 20; i++) await frame();
  assert(measured < 9, `measured ${measured} times in 20 frames`);
  const shown = page.all('.neuron-pages [role=status]')[0];
  assert.match(shown, /^1–(15|33) of 200$/);
  isOpen = false;
  await page.change({ cursor: { ...page.state().cursor, row: 2 } });
  await frame();
  assert.equal(page.all('.neuron-pages [role=status]')[0], shown);
});

test('64 columns with their numbers, all others in the last; it and ‹ › turn to the next 64', async (t) => {
  inWidth(t, () => 1200);
  const page = await open(ffn, `${WIDE}&row=3&neuron=0&neurons=effect`);
  const order = bySizeOf(computed(3).effects);
  const shows = (/** @type {number} */ from, /** @type {string} */ said) => {
    const shown = shownNeurons(Int32Array.from(order), 200, {
      from,
      most: 64,
      chosen: page.state().cursor.neuron ?? -1,
    });
    assert.deepEqual(columns(page).slice(0, -1), shown);
    assert.equal(page.all('.map-columns bdi').at(-1), 'rest');
    assert.equal(page.all('.neuron-pages [role=status]')[0], said);
    assert.equal(page.all('.neuron-pages button')[1], `${200 - shown.length} others ›`);
  };
  shows(0, '1–64 of 200');
  const before = page.set.length;
  await page.click('.neuron-pages button:last-child');
  shows(64, '65–128 of 200');
  assert.equal(page.set.length, before, 'the chosen neuron, and so the link, stays');
  await page.click('.neuron-pages button:first-child');
  shows(0, '1–64 of 200');
  await page.press('[role=application]', 'End');
  shows(64, '65–128 of 200');
  await page.press('[role=application]', 'End');
  await page.press('[role=application]', 'End');
  shows(192, '193–200 of 200');
  assert(/** @type {any} */ (page.root.querySelector('.neuron-pages button:last-child')).disabled);
  await page.press('[role=application]', 'End');
  shows(0, '1–64 of 200');
  await page.press('[role=application]', 'ArrowUp');
  assert.deepEqual([page.state().cursor.row, page.state().cursor.neuron], [2, 0]);
  await page.change({ cursor: { ...page.state().cursor, row: 3, neuron: order[150] } });
  assert.equal(columns(page).indexOf(order[150]), 64, 'chosen outside, it has the next column');
  assert.match(page.all('.map-readout bdi')[0], new RegExp(`, neuron ${order[150]}$`));
});

test('the legend names its scale; products have a sign, and what is said of them knows it', async () => {
  const page = await open(ffn, `${WIDE}&row=3`);
  const legend = () => page.all('.legend > span')[0];
  for (const [name, said] of [
    ['symlog', /^SiLU\(gate\) × up, log beyond ±/],
    ['neuron', /^SiLU\(gate\) × up, of each neuron’s largest$/],
    ['root', /^SiLU\(gate\) × up, square root$/],
    ['linear', /^SiLU\(gate\) × up$/],
  ]) {
    await page.choose('.colours', String(name));
    assert.match(legend(), /** @type {RegExp} */ (said));
  }
  const { data } = /** @type {any} */ (page.result().tensors.get('decoder.layers.1.ffn.product'));
  const below = data.filter((/** @type {number} */ value) => value < 0).length / data.length;
  const [fact] = page.all('.view-fact');
  const said = `${(100 * below).toFixed(0)} % of the values are below 0: there a neuron adds the opposite of its value`;
  assert(fact.replaceAll('\u00a0', ' ').includes(said), fact);
  assert.doesNotMatch(fact, /exactly 0|dead/);
});

test('without an answer the order by effect is that by contribution, and the menu leaves it out', async () => {
  const page = await open(ffn, 'model=untrained&d_ff=200&row=3&neurons=effect');
  assert.deepEqual(
    [...page.root.querySelectorAll('.arrangement option')].map((each) => each.getAttribute('value')),
    ['contribution', 'token', 'similar', 'active', 'index'],
  );
  const { data, shape } = /** @type {any} */ (page.result().tensors.get('encoder.layers.0.ffn.activation'));
  const { norms } = page.result().derived.get('@neurons/encoder/0');
  const lengths = Array.from(norms, (each, n) => Math.abs(data[3 * shape[2] + n]) * Number(each));
  assert.deepEqual([...(neuronOrder(page.result(), page.state()) ?? [])].slice(0, 20), bySizeOf(lengths).slice(0, 20));
});
