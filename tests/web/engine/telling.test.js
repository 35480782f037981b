// Which head a model opens at: the one farthest from even attention and from what needs no reading of the text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'glassformer';
import { departureOf, tellingHead } from '../../../web/engine/telling.js';
import { filesIn } from '../../hub.js';

const gf = await load();
const SIZE = 8;

/** @param {(row: number, key: number) => number} weight @param {boolean} [causal] */
function headOf(weight, causal = false) {
  const rows = Array.from({ length: SIZE }, (_, row) => {
    const all = Array.from({ length: SIZE }, (__, key) => (causal && key > row ? 0 : weight(row, key)));
    const sum = all.reduce((a, b) => a + b, 0);
    return all.map((each) => (sum ? each / sum : 0));
  });
  return Float32Array.from(rows.flat());
}

/** Nearly all of a row's weight, as a softmax gives it: rows with fewer than three weights are not counted. */
const most = (/** @type {boolean} */ isThere) => (isThere ? 1 : 0.001);
/** Heads that need no reading of the text. @type {Record<string, (row: number, key: number) => number>} */
const FIXED = {
  even: () => 1,
  'the token before': (row, key) => most(key === Math.max(0, row - 1)),
  itself: (row, key) => most(row === key),
  'the first token': (_, key) => most(key === 0),
  'the last token': (_, key) => most(key === SIZE - 1),
};
/** Each query has a key of its own. @param {number} row @param {number} key */
const content = (row, key) => (key === [0, 0, 0, 1, 0, 2, 3, 1][row] ? 1 : 0.02);

test('fixed patterns depart by nothing, a head with a key for each query by much, with and without a mask', () => {
  for (const causal of [false, true]) {
    for (const [name, weight] of Object.entries(FIXED)) {
      if (causal && name === 'the last token') continue; // the mask hides it
      assert(departureOf(headOf(weight, causal), SIZE) < 0.13, name);
    }
    assert(departureOf(headOf(content, causal), SIZE) > 0.4);
  }
  assert.equal(departureOf(new Float32Array([1]), 1), 0);
});

test('any head: between 0 and 1, no larger than the mean distance from even and from the token before', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: SIZE ** 2, maxLength: SIZE ** 2 }),
      (values) => {
        const weights = headOf((row, key) => values[row * SIZE + key]);
        const rows = Array.from({ length: SIZE }, (_, row) => [...weights.subarray(row * SIZE, (row + 1) * SIZE)]);
        const mean = (/** @type {(row: number[], at: number) => number} */ of) =>
          rows.reduce((sum, row, at) => sum + of(row, at) / SIZE, 0);
        const even = mean((row) => row.reduce((sum, each) => sum + Math.max(0, each - 1 / SIZE), 0));
        const before = mean((row, at) => 1 - (row[at - 1] ?? 0));
        const departure = departureOf(weights, SIZE);
        assert(departure >= 0 && departure <= Math.min(even, before) + 1e-6, `${departure}, ${even}, ${before}`);
      },
    ),
  );
});

/** @param {import('glassformer').Model} model @param {number[]} ids @param {'encoder' | 'decoder'} kind */
function resultOf(model, ids, kind) {
  model.forward({ ids, capture: true });
  const { layers, heads } = /** @type {any} */ (model.config);
  const names = Array.from({ length: layers }, (_, layer) => `${kind}.layers.${layer}.self_attn.weights`);
  return {
    plan: { settings: { kind, layers, heads }, tokens: { [kind]: { words: ids.map(String) } } },
    tensors: new Map(names.map((name) => [name, /** @type {any} */ (model.tensor(name))])),
  };
}

test('checkpoints of GPT-2’s and of today’s block, and Austen: no head departs more than the one chosen', async () => {
  /** @type {[string, any, 'encoder' | 'decoder'][]} */
  const models = await Promise.all(
    /** @type {const} */ (['gpt2-2l', 'bert-2l', 'llama3-2l', 'qwen3-2l', 'mistral-2l-window']).map(async (name) => {
      const files = filesIn(new URL(`../../checkpoints/${name}/`, import.meta.url));
      const [config, weights] = ['config.json', 'model.safetensors'].map((each) => new Blob([files[each]]));
      const { model } = await gf.loadModel(/** @type {any} */ ({ config, weights }));
      return [name, model, name.startsWith('bert') ? 'encoder' : 'decoder'];
    }),
  );
  const austen = await gf.loadModel(new URL('../../../web/models/austen.safetensors', import.meta.url));
  models.push(['austen', austen.model, 'decoder']);
  for (const [name, model, kind] of models) {
    const ids = [5, 9, 12, 7, 9, 30, 2, 12, 9, 12];
    const result = /** @type {any} */ (resultOf(model, ids, kind));
    const selection = { kind, layer: 0, head: 0 };
    const chosen = tellingHead(result, /** @type {any} */ ({ selection }));
    assert(chosen, name);
    const size = ids.length ** 2;
    const { layers, heads } = model.config;
    const all = Array.from({ length: layers * heads }, (_, i) => {
      const [layer, head] = [Math.floor(i / heads), i % heads];
      const { data } = result.tensors.get(`${kind}.layers.${layer}.self_attn.weights`);
      return { layer, head, departure: departureOf(data.subarray(head * size, (head + 1) * size), ids.length) };
    });
    const own = all.find(({ layer, head }) => layer === chosen.layer && head === chosen.head);
    assert.equal(own?.departure, Math.max(...all.map(({ departure }) => departure)), name);
    assert.equal(tellingHead(result, /** @type {any} */ ({ selection: { ...selection, mean: true } })), null);
    model.free();
  }
});
