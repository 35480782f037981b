// The bench must be able to say no: what it measures with is held to known answers. Times themselves are no test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median, normal, paired, quantile, ratio } from './harness.js';
import { byFrame } from './page-frames.js';
import { CHAINS, loops } from './peak.js';
import { reader } from './read.js';
import * as reference from './reference.js';
import { check, gelu, layerNorm, matmul, softmax, transpose } from './reference.js';
import { ADAMW, LOOPS, WORKLOADS, problem } from './workloads.js';

test('medians, ratios and seeded inputs', () => {
  assert.equal(median([3, 1, 2]), 2);
  assert.equal(median([4, 1, 2, 3]), 2.5);
  assert.equal(quantile([4, 1, 3, 2], 0.5), 2);
  assert.equal(quantile([4, 1, 3, 2], 0.95), 4);
  assert.equal(ratio(2, 5), 2.5);
  assert.deepEqual(normal(1)(4), normal(1)(4));
  assert.notDeepEqual(normal(1)(4), normal(2)(4));
});

test('contestants take turns in every round, and the slower one is measured slower', async () => {
  let now = 0; // ms, of a clock that nobody else's work moves
  const spin = (ms) => () => void (now += ms);
  const turns = [];
  const timings = await paired(
    {
      slow: () => {
        turns.push('slow');
        spin(2)();
      },
      fast: async () => {
        turns.push('fast');
        spin(1)();
      },
    },
    { rounds: 3, minMs: 2, warmupMs: 1, clock: () => now },
  );
  assert.deepEqual(timings.slow, { median: 2, min: 2, samples: [2, 2, 2] });
  assert.deepEqual(timings.fast, { median: 1, min: 1, samples: [1, 1, 1] });
  const switches = turns.slice(turns.indexOf('fast')).filter((name, i, all) => i && name !== all[i - 1]).length;
  assert(switches >= 3, `${turns}`);
});

test('the work of a frame is that of the tasks since the frame before', () => {
  const task = (ts, tdur) => ({ name: 'ThreadControllerImpl::RunTask', ts, tdur });
  const frame = (ts) => ({ name: 'Commit', ts });
  const paint = { name: 'Paint', ts: 21_000, tdur: 900 }; // within a task
  const events = [frame(9000), task(0, 10_000), frame(21_500), task(20_000, 2000), paint, task(12_000, 3000)];
  assert.deepEqual(byFrame(events), [5]);
  assert.deepEqual(byFrame([...events, task(30_000, 1000), frame(40_000)]), [5, 1]);
});

test('a wrong result is refused', () => {
  const right = Float64Array.of(1, -2, 0);
  check('right', Float32Array.of(1, -2.000001, 0), right);
  for (const wrong of [
    [1, -2.001, 0],
    [1, NaN, 0],
    [1, -2],
    [1, -2, 1e-4],
  ]) {
    assert.throws(() => check('wrong', Float32Array.from(wrong), right), /wrong:/);
  }
});

test('the reference agrees with values known', () => {
  const a = [1, 2, 3, 4, 5, 6],
    b = [1, 0, 2, 1, 0, 3];
  assert.deepEqual([...matmul(a, b, 2, 3, 2)], [5, 11, 14, 23]);
  assert.deepEqual([...matmul(a, transpose(b, 3, 2), 2, 3, 2, true)], [5, 11, 14, 23]);
  const near = (x, y) => x.forEach((v, i) => assert(Math.abs(v - y[i]) < 1e-14, `${x}`));
  near(softmax([0, Math.log(3)], 1, 2), [0.25, 0.75]);
  near(layerNorm([1, 3], [2, 2], [0, 1], 0, 2), [-2, 3]);
  near(gelu([0, 1, -8]), [0, 0.841344746068543, 0]);
});

test('gradients of the reference are the slopes of its functions', () => {
  const h = 1e-6,
    C = 5;
  const { x, w } = problem({ name: '', group: '', kind: 'layerNormBackward', size: { R: 2, C } });
  const y = softmax(x, 2, C);
  const forms = {
    softmax: [(/** @type {Float64Array} */ v) => softmax(v, 2, C), reference.softmaxBackward(w.dy, y, C)],
    layerNorm: [
      (/** @type {Float64Array} */ v) => layerNorm(v, w.weight, w.bias, 1e-5, C),
      reference.layerNormBackward(w.dy, x, w.weight, 1e-5, C),
    ],
    gelu: [gelu, reference.geluBackward(w.dy, x)],
  };
  for (const [name, [f, dx]] of Object.entries(forms)) {
    dx.forEach((slope, i) => {
      const [more, less] = [h, -h].map((by) => f(Float64Array.from(x, (v, at) => v + (at === i ? by : 0))));
      const wanted = w.dy.reduce((sum, g, at) => sum + (g * (more[at] - less[at])) / (2 * h), 0);
      assert(Math.abs(slope - wanted) < 1e-7, `${name} ${i}: ${slope}, not ${wanted}`);
    });
  }
});

test('attention and AdamW of the reference agree with values known', () => {
  // Scores 0 and log 3 over sqrt 1: weights 1/4 and 3/4 in one head; the other head sees 0 alone.
  const key = [0, 0, Math.log(3), 0];
  const output = reference.heads([1, 1, 1, 1], key, [4, 2, 8, 6], 2, 2, 2);
  [7, 4, 7, 4].forEach((value, i) => assert(Math.abs(output[i] - value) < 1e-14, `${output}`));
  const [stepped] = reference.adamw([2], [3], { ...ADAMW, epsilon: 0 });
  assert(Math.abs(stepped - (2 - 2e-5 - 1e-3)) < 1e-15, String(stepped));
});

test('the peak loop computes: x = 0.9999 x + 0.0001 in each chain goes to 1', async () => {
  const { simd } = await loops();
  assert(Math.abs(simd() - CHAINS) < 0.01);
});

test('the plain read passes all whole 128 bytes, and returns the sum of every fourth float', () => {
  const memory = new WebAssembly.Memory({ initial: 1 });
  new Float32Array(memory.buffer).forEach((_, i, floats) => (floats[i] = i));
  assert.equal(reader(memory)(64, 400), 24 * 62); // 16, 20 ... 108
});

test('workloads have names of their own', () => {
  assert.equal(new Set(WORKLOADS.map(({ name }) => name)).size, WORKLOADS.length);
  assert.equal(new Set(LOOPS.map(({ name }) => name)).size, LOOPS.length);
});
