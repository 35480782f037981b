import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { and, makeGate, makeSquare, square, xor } from '../../src/tasks/index.js';

const answer = (rule) => (batch) => {
  const { data, shape } = batch.vectors;
  const C = shape[2];
  const output = data.map((_, i) => rule(...data.slice(i - (i % C), i - (i % C) + C)));
  return { output: { data: output, shape } };
};

describe('gates', () => {
  test("four points, both outputs are the gate's", () => {
    for (const [task, bits] of [
      [and, [0, 0, 0, 1]],
      [xor, [0, 1, 1, 0]],
    ]) {
      const { vectors, labels } = task.batches(1).next().value;
      assert.deepEqual([...vectors.data], [0, 0, 0, 1, 1, 0, 1, 1]);
      assert.deepEqual(
        [...labels.data],
        bits.flatMap((bit) => [bit, bit]),
      );
      assert.deepEqual(
        [vectors.shape, labels.shape],
        [
          [1, 4, 2],
          [1, 4, 2],
        ],
      );
      assert.deepEqual(task.heldOut(), task.batches(5).next().value);
      assert.deepEqual(
        [task.config.d_model, task.config.d_ff, task.config.activation, task.trainer.loss],
        [2, 12, 'relu', 'mse'],
      );
    }
  });

  test('perfect scores exact; the best planes have error 1/16 and 1/4, and the first classifies AND', async () => {
    const score = (task, rule) => task.score(answer(rule), task.heldOut());
    assert.deepEqual(await score(and, (a, b) => a * b), {
      error: 0,
      largest: 0,
      classified: 1,
      output: [0, 0, 0, 0, 0, 0, 1, 1],
      exact: true,
    });
    assert.equal((await score(xor, (a, b) => a + b - 2 * a * b)).exact, true);
    const plane = await score(and, (a, b) => a / 2 + b / 2 - 0.25);
    assert.deepEqual([plane.error, plane.exact, plane.classified], [1 / 16, false, 1]);
    const flat = await score(xor, () => 0.5);
    assert.deepEqual([flat.error, flat.exact, flat.classified], [0.25, false, 0.5]);
  });

  test('bad options and outputs are refused', async () => {
    assert.equal(makeGate({ activation: 'none', hidden: 2 }).config.activation, 'none');
    assert.throws(() => makeGate({ gate: 'or' }), { code: 'unknown', parameter: 'gate', value: 'or' });
    assert.throws(() => makeGate({ hidden: 0 }), { code: 'range', parameter: 'hidden', value: 0 });
    assert.throws(() => makeGate({ activation: 'tanh' }), { code: 'unknown', parameter: 'activation' });
    assert.throws(() => and.batches('x'), { code: 'type', parameter: 'seed' });
    await assert.rejects(
      and.score(() => ({ output: { data: [1], shape: [1] } }), and.heldOut()),
      { code: 'shape', parameter: 'predict(...).output' },
    );
  });
});

describe('square', () => {
  test('256 points of [-1,1]; held-out points lie between them', () => {
    const { vectors, labels } = square.batches(1).next().value;
    assert.deepEqual([vectors.shape, vectors.data[0], vectors.data[255]], [[1, 256, 1], -1, 1]);
    vectors.data.forEach((x, i) => assert(Math.abs(labels.data[i] - x * x) < 1e-6));
    const trained = new Set(vectors.data);
    const held = square.heldOut().vectors.data;
    held.forEach((x, i) => assert(!trained.has(x) && x > vectors.data[i] && x < vectors.data[i + 1]));
    assert.equal(held.length, 255);
  });

  test('the best error with N kinks is that of RECIPES.md, and the chord line reaches it', async () => {
    const best = [4, 8, 16, 32].map((hidden) => makeSquare({ hidden }).bestError);
    assert.deepEqual(
      best.map((e) => e.toFixed(4)),
      ['0.0200', '0.0062', '0.0017', '0.0005'],
    );
    const n = 8;
    const h = 2 / (n + 1);
    const line = (x) => {
      const left = -1 + Math.min(n, Math.floor((x + 1) / h)) * h;
      return left * left + (x - left) * (2 * left + h) - (h * h) / 8;
    };
    const score = await square.score(answer(line), square.heldOut());
    assert(score.largest <= square.bestError + 1e-6 && score.largest > 0.9 * square.bestError, `${score.largest}`);
  });

  test('kinks start inside: anywhere, or at equal distances', () => {
    const task = makeSquare({ hidden: 16 });
    for (const even of [false, true]) {
      const start = task.initial(3, { even });
      const { data: weight, shape } = start['linear1.weight'];
      const { data: bias } = start['linear1.bias'];
      assert.deepEqual([shape, start['linear1.bias'].shape], [[16, 1], [16]]);
      const kinks = [...weight].map((w, i) => -bias[i] / w).sort((a, b) => a - b);
      assert(weight.every((w) => Math.abs(w) === 1) && weight.includes(1) && weight.includes(-1));
      assert(kinks.every((x) => x > -1 && x < 1));
      if (even) kinks.forEach((x, i) => assert(Math.abs(x - (-1 + ((i + 1) * 2) / 17)) < 1e-6));
    }
    assert.deepEqual(task.initial(3), task.initial(3));
    assert.notDeepEqual(task.initial(4), task.initial(3));
  });
});

test('a page treats them as the others: initial weights, what is learned, points in numbers', async () => {
  const batch = xor.heldOut();
  assert.deepEqual(xor.show(batch, 1), { input: [0, 1], labels: [1, 1] });
  const prediction = { output: { data: [0, 0, 0.95, 0.5, 1, 1, 0, 0], shape: [1, 4, 2] } };
  assert.deepEqual(xor.show(batch, 1, prediction).right, [true, false]);
  assert.equal(xor.isLearned(await xor.score(() => prediction)), false);
  assert.equal(and.isLearned(await and.score(answer((a, b) => a * b))), true);
  assert.equal(square.isLearned(await square.score(answer((x) => x * x + 0.11))), false);
  assert.deepEqual([...square.initial(1)['linear1.weight'].shape], [8, 1]);
  assert.ok(square.about.goal && !('headScore' in square));
});
