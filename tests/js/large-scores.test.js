// Attention with large scores and grouped heads: errors of the weights grow with the scores, by no more than their
// magnitude says, in both variants; which of them is nearer to double precision changes from case to case.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { engines, withModelOf } from './engines.js';
import { matrix, random, softmax } from './reference.js';

const [T, C, HEADS, GROUPS, WIDTH] = [6, 16, 4, 2, 4];
const CONFIG = /** @type {const} */ ({
  ...{ kind: 'attention', d_model: C, heads: HEADS, keyValueHeads: GROUPS, causal: true },
  ...{ attentionBias: false, attentionOutBias: false },
});
const CASES = 100;
const EPSILON = 2 ** -24; // half a step of float32

/** @param {number} seed @param {number} size of the inputs */
function caseOf(seed, size) {
  const r = random(seed);
  return {
    vectors: r.tensor([1, T, C], size),
    projection: r.tensor([(HEADS + 2 * GROUPS) * WIDTH, C], 0.5),
    out: r.tensor([C, HEADS * WIDTH], 0.5),
  };
}

/** The sums of products, and of their magnitudes. @param {number[]} a @param {number[]} b */
const dot = (a, b) => a.reduce(([sum, size], x, i) => [sum + x * b[i], size + Math.abs(x * b[i])], [0, 0]);

/** Weights in double precision, and how far a float32 pass may be from them, whatever its order. @param {any} given */
function exactly({ vectors, projection }) {
  const x = matrix(vectors, 0);
  const projected = x.map((row) => matrix(projection).map((w) => dot(row, w)));
  const head = (/** @type {number} */ t, /** @type {number} */ from) => projected[t].slice(from, from + WIDTH);
  const [truth, bounds, scores] = [[], [], []];
  for (let h = 0; h < HEADS; h++) {
    const keys = (HEADS + Math.floor(h / (HEADS / GROUPS))) * WIDTH;
    for (let t = 0; t < T; t++) {
      const q = head(t, h * WIDTH);
      const row = Array.from({ length: t + 1 }, (_, s) => {
        const k = head(s, keys);
        let [score, error] = [0, 0];
        for (let i = 0; i < WIDTH; i++) {
          const [[a, sizeA], [b, sizeB]] = [q[i], k[i]];
          score += a * b;
          // C roundings in each number of q and k, then WIDTH in the score, and one by the scale.
          error += EPSILON * (C * (sizeA * Math.abs(b) + Math.abs(a) * sizeB) + (WIDTH + 1) * Math.abs(a * b));
        }
        return { score: score / Math.sqrt(WIDTH), error: error / Math.sqrt(WIDTH) };
      });
      const top = Math.max(...row.map(({ score }) => score));
      const most = Math.max(...row.map(({ error }) => error));
      const weights = softmax(row.map(({ score }) => score));
      truth.push(...weights, ...Array(T - 1 - t).fill(0));
      // Softmax subtracts the top, which rounds, and has some roundings of its own; weights below 2^-126 are 0.
      const bound = row.map(
        ({ score, error }, s) => weights[s] * Math.expm1(error + most + EPSILON * (top - score + T + 4)) + 2 ** -126,
      );
      bounds.push(...bound, ...Array(T - 1 - t).fill(0));
      scores.push(...row.map(({ score }) => Math.abs(score)));
    }
  }
  return { truth, bounds, largest: Math.max(...scores) };
}

/** @param {any} gf @param {any} given */
const weightsOf = (gf, { vectors, projection, out }) =>
  withModelOf(gf, CONFIG, (model) => {
    model.loadWeights({ in_proj_weight: projection, 'out_proj.weight': out });
    model.forward({ vectors, capture: true });
    return model.tensor('weights').data;
  });

/** @param {number} size */
function measured(size) {
  const sums = engines.map(() => ({ squares: 0, used: 0, nearer: 0 }));
  let largest = 0;
  for (let seed = 0; seed < CASES; seed++) {
    const given = caseOf(seed, size);
    const { truth, bounds, largest: score } = exactly(given);
    largest = Math.max(largest, score);
    const worst = engines.map((gf, i) => {
      let most = 0;
      for (const [at, weight] of weightsOf(gf, given).entries()) {
        const error = Math.abs(weight - truth[at]);
        if (error) sums[i].used = Math.max(sums[i].used, error / bounds[at]);
        sums[i].squares += error ** 2;
        most = Math.max(most, error);
      }
      return most;
    });
    if (worst.length > 1 && worst[0] !== worst[1]) sums[Number(worst[1] < worst[0])].nearer++;
  }
  return { sums, largest };
}

const names = engines.map(({ variant }) => variant).join(', ');
for (const [size, least] of [
  [1, 1],
  [4, 30],
  [16, 500],
])
  test(`weights of scores beyond ${least} are off by no more than those say (${names})`, (t) => {
    const { sums, largest } = measured(size);
    assert.ok(largest > least, `${largest}`);
    for (const [i, { used }] of sums.entries()) {
      assert.ok(used > 0.01 && used <= 1, `${engines[i].variant}: ${used} of the bound`);
    }
    if (sums.length < 2) return;
    const [simd, relaxed] = sums;
    const ratio = Math.sqrt(relaxed.squares / simd.squares);
    t.diagnostic(`relaxed ${ratio} times as far (RMS), nearer ${relaxed.nearer}, simd ${simd.nearer} of ${CASES}`);
    t.diagnostic(`of the bound: ${simd.used}, ${relaxed.used}`);
    for (const { nearer } of sums) assert.ok(nearer > CASES / 10, `${nearer} of ${CASES}`);
    assert.ok(ratio > 0.8 && ratio < 1.25, `${ratio}`);
  });
