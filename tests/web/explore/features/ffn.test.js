// The FFN's map: its columns in each order, its colours, dead neurons, those that are set by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fillPixels } from '../../../../web/draw/canvas.js';
import { positiveScale, probabilityScale, signedScale } from '../../../../web/draw/color.js';
import { neuronOrder } from '../../../../web/explore/shared/neurons.js';
import { arrange, chain, descending } from '../../../../web/explore/shared/order.js';
import { allShown, numberOf } from '../../checks.js';
import { active, shipped } from '../../corpus.js';
import { gf, open } from '../table.js';

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
