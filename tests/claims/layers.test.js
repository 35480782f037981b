// The models of claims whose experiment has none: the same numbers as their run, at the cell that is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as concatenation from '../../src/claims/concatenation.js';
import * as extrapolation from '../../src/claims/extrapolation.js';
import * as length from '../../src/claims/length.js';
import { ownModel } from './own-model.js';
import * as positionWise from '../../src/claims/position-wise.js';
import * as scaleGradients from '../../src/claims/scale-gradients.js';
import { largestDifference, median, rowsOf } from '../../src/claims/shared/numbers.js';
import * as superposition from '../../src/claims/superposition.js';
import * as weightsExplain from '../../src/claims/weights-explain.js';
import { gf } from './check.js';

const SEED = 3;
const LAYER = 'encoder.layers.0';

/**
 * The model of a claim after it has read a row, and tensors by the layer's names.
 * @param {number} number @param {import('../../src/claims/index.js').Params} params
 */
async function opened(number, params) {
  const { model, rows, cell } = await ownModel(gf, number, {
    ...params,
    ...(number !== 8 && number !== 23 && { seed: SEED }),
  });
  const read = (/** @type {number} */ row) => {
    model.forward({ ids: rows[row], capture: true });
    return (/** @type {string} */ name) => /** @type {any} */ (model.tensor(`${LAYER}.${name}`));
  };
  return { model, rows, cell, read };
}

/** The weight at the cell that is shown. @param {any} weights @param {any} cell */
const weightAt = ({ data, shape: [, , queries, keys] }, { head, row, key }) =>
  data[(head * queries + row) * keys + key];

test('1: the query whose gradient is the median, its scores unscaled, its own key without weight', async () => {
  for (const d_k of [8, 64]) {
    const { model, cell, read } = await opened(1, { d_k });
    const weights = read(0)('self_attn.weights');
    const row = rowsOf({ data: weights.data, shape: [17, 17] })[16];
    assert.equal(row[16], 0);
    assert.equal(weightAt(weights, cell), Math.max(...row));
    const { query, key } = scaleGradients.drawn(SEED, d_k);
    const all = gf.attention(query, key, key, { scale: 1 }).weights.data;
    const far = Array.from({ length: 128 }, (_, q) =>
      largestDifference(row.slice(0, 16), all.slice(16 * q, 16 * q + 16)),
    );
    const nearest = far.indexOf(Math.min(...far));
    assert.ok(far[nearest] < 1e-5, `${far[nearest]}`);
    const { norms, unscaled } = scaleGradients.measure(gf, SEED, d_k);
    const distances = norms.map((norm) => Math.abs(norm - median(norms)));
    assert.equal(distances[nearest], Math.min(...distances));
    assert.ok(Math.abs(norms[nearest] - unscaled) < 0.02);
    // A temperature of √d_k is the scale.
    model.forward({ ids: [...Array(17).keys()], capture: true, temperature: Math.sqrt(d_k) });
    const scaled = gf.attention(query, key, key).weights.data.slice(16 * nearest, 16 * nearest + 16);
    const turned = /** @type {any} */ (model.tensor(`${LAYER}.self_attn.weights`)).data.slice(16 * 17, 16 * 17 + 16);
    assert.ok(largestDifference(turned, scaled) < 1e-5);
    model.free();
  }
});

test('what opens has the nodes of its experiment and no more, and ends at what the sublayer gives', async () => {
  const attention = 'tokens embedding attention';
  for (const [number, params, nodes, last] of /** @type {const} */ ([
    [1, {}, attention, 'self_attn.out'],
    [8, {}, 'tokens embedding ffn', 'ffn.out'],
    [11, {}, attention, 'self_attn.out'],
    [12, {}, 'tokens embedding ffn', 'ffn.out'],
    [12, { sublayer: 'attention' }, attention, 'self_attn.out'],
    [15, {}, attention, 'self_attn.out'],
    [21, {}, attention, 'self_attn.out'],
    [23, {}, attention, 'self_attn.out'],
  ])) {
    const { model, rows, read } = await opened(number, params);
    const data = [...read(0)(last).data];
    assert.equal(
      model
        .graph()
        .map(({ kind }) => kind)
        .join(' '),
      nodes,
      `${number}`,
    );
    const { output } = model.forward({ ids: rows[0] });
    assert.deepEqual([...output.data], data, `${number}`);
    model.free();
  }
});

test('8: the output at x = 3 is the run’s, with the same neurons active from 1 on', async () => {
  for (const activation of ['relu', 'gelu', 'silu']) {
    const { model, cell, read } = await opened(8, { activation });
    const tensor = read(0);
    const { at3 } = await extrapolation.run(gf, { activation });
    assert.equal(Math.fround(tensor('ffn.out').data[cell.row]), Math.fround(Number(at3)));
    const rows = rowsOf({ data: tensor('ffn.activation').data, shape: [9, 16] });
    assert.equal(rows[cell.row][Number(cell.neuron)], Math.max(...rows[cell.row]));
    const active = rows.slice(4).map((row) => row.map((value) => value > 0));
    if (activation === 'relu') for (const each of active) assert.deepEqual(each, active[0]);
    model.free();
  }
});

test('11: the two heads say XOR with the error of the run', async () => {
  const { model, rows, read } = await opened(11, {});
  assert.deepEqual([...rows].sort(), [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ]);
  let squares = 0;
  rows.forEach(([a, b], row) => {
    const { data } = read(row)('self_attn.out');
    for (const each of data) squares += (each - Number(a !== b)) ** 2 / 16;
  });
  const { twoHeads } = await superposition.run(gf, { seed: SEED, seeds: 1 });
  assert.ok(Math.abs(squares - twoHeads[0]) < 1e-6, `${squares} ${twoHeads[0]}`);
  model.free();
});

test('12: the second text changes the rows that the run found changed, by the same', async () => {
  for (const [sublayer, tensor] of /** @type {const} */ ([
    ['FFN', 'ffn.out'],
    ['attention', 'self_attn.out'],
  ])) {
    const { model, cell, read } = await opened(12, { sublayer });
    const [x, edited] = [0, 1].map((row) => read(row)(tensor).data);
    const { differences } = await positionWise.run(gf, { sublayer, seed: SEED, seeds: 1 });
    const [expected] = /** @type {number[][]} */ (differences);
    const found = Array.from(edited, (one, i) => one - x[i]);
    if (sublayer === 'FFN') assert.deepEqual(found, expected);
    else assert.ok(largestDifference(found, expected) < 1e-6);
    assert.equal(sublayer === 'FFN' ? cell.row : cell.key, positionWise.EDITED);
    assert.equal(cell.neuron !== null, sublayer === 'FFN');
    model.free();
  }
});

test('15: the output of the layer is the claim’s', async () => {
  for (const projection of ['W^O', 'none']) {
    const { model, read } = await opened(15, { projection });
    const { x, weights } = concatenation.drawn(SEED, projection);
    const { output } = gf.multiHeadAttention(x, { weights, heads: concatenation.HEADS });
    assert.ok(largestDifference(read(0)('self_attn.out').data, output.data) < 1e-6);
    model.free();
  }
});

test('21: weights and output are the claim’s; the row is the one whose other weights are farthest', async () => {
  const params = { keys: 8, scale: 2 };
  const { model, cell, read } = await opened(21, params);
  const run = await weightsExplain.run(gf, { ...params, d_v: 4, seed: SEED, seeds: 1 });
  const [[weights], [others], [output]] = /** @type {number[][][]} */ ([run.weights, run.others, run.output]);
  const tensor = read(0);
  assert.ok(largestDifference(tensor('self_attn.weights').data, weights) < 1e-5);
  const made = rowsOf({ data: tensor('self_attn.out').data, shape: [8, 36] }).flatMap((row) => row.slice(0, 4));
  assert.ok(largestDifference(made, output) < 1e-5);
  const far = Array.from({ length: 8 }, (_, row) =>
    weights.slice(8 * row, 8 * row + 8).reduce((sum, one, i) => sum + Math.abs(one - others[8 * row + i]), 0),
  );
  assert.equal(cell.row, far.indexOf(Math.max(...far)));
  model.free();
});

test('23: the match has the weight that the run found, among 16 and 64 keys', async () => {
  for (const gap of [3, 15]) {
    const { model, rows, cell, read } = await opened(23, { gap });
    const numbers = await length.run(gf, { gap });
    assert.ok(Math.abs(weightAt(read(0)('self_attn.weights'), cell) - Number(numbers.at16)) < 1e-6);
    assert.equal(rows[1].length, 64);
    const weight = weightAt(read(1)('self_attn.weights'), { head: 0, row: 0, key: 32 });
    assert.ok(Math.abs(weight - Number(numbers.at64)) < 1e-6);
    model.free();
  }
});
