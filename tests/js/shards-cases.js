// Small models with batches that have all they take, to be trained in shards.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { random as generator } from './reference.js';

export const random = (/** @type {number} */ seed) => generator(seed).next;

export const DECODER = { kind: 'decoder', vocabulary: 20, d_model: 8, heads: 2, layers: 1, head: 'tied', seed: 3 };
export const ids = (/** @type {any} */ r, B, T, limit = 20) => ({
  data: Int32Array.from({ length: B * T }, () => Math.floor(r() * limit)),
  shape: [B, T],
});
const vectors = (/** @type {any} */ r, ...shape) => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, () => 2 * r() - 1),
  shape,
});
/** Targets, of which each fifth or so does not count. */
const labels = (/** @type {any} */ r, B, T, limit = 20) => {
  const { data, shape } = ids(r, B, T, limit);
  return { data: data.map((id) => (r() < 0.2 ? -100 : id)), shape };
};

/** Batches with all that such a model takes. @type {Record<string, any>} */
export const KINDS = {
  decoder: {
    config: DECODER,
    settings: { dropout: 0.2, labelSmoothing: 0.1, clip: 0.5, seed: 9, schedule: 'cosine', warmup: 5, steps: 50 },
    batch: (r, B) => ({ ids: ids(r, B, 6), labels: labels(r, B, 6) }),
  },
  today: {
    config: {
      ...DECODER,
      ...{ d_model: 12, heads: 4, keyValueHeads: 2, headWidth: 6, qkNorm: true, attentionOutBias: false },
      ...{ normKind: 'rms', norm: 'pre', finalNorm: true, positions: 'rotary', ffn: 'gated', activation: 'silu' },
    },
    settings: { dropout: 0.1, weightDecay: 0.1, clip: 1, seed: 4 },
    batch: (r, B) => ({ ids: ids(r, B, 6), labels: labels(r, B, 6) }),
  },
  'side by side': {
    config: {
      ...DECODER,
      ...{ norm: 'pre', finalNorm: true, positions: 'rotary', ropeWidth: 2, parallel: true, layers: 2 },
    },
    settings: { dropout: 0.1, weightDecay: 0.1, clip: 1, seed: 5 },
    batch: (r, B) => ({ ids: ids(r, B, 6), labels: labels(r, B, 6) }),
  },
  'encoder-decoder': {
    config: { ...DECODER, kind: 'encoder-decoder', head: 'linear', norm: 'pre', finalNorm: true },
    settings: { dropout: 0.1, optimizer: 'sgd', momentum: 0.9, frozen: ['encoder'], learningRate: 0.1 },
    batch: (r, B) => ({
      sourceIds: ids(r, B, 5),
      sourcePadding: { data: Uint8Array.from({ length: B * 5 }, (_, i) => Number(i % 5 === 4)), shape: [B, 5] },
      targetIds: ids(r, B, 3),
      mask: vectors(r, 3, 3),
      labels: labels(r, B, 3),
    }),
  },
  encoder: {
    config: { ...DECODER, kind: 'encoder', vocabulary: 0, head: 'none' },
    settings: { loss: 'mse', dropout: 0.3, optimizer: 'adam', weightDecay: 0.1 },
    batch: (r, B) => ({ vectors: vectors(r, B, 4, 8), labels: vectors(r, B, 4, 8) }),
  },
  attention: {
    config: { kind: 'attention', d_model: 8, heads: 2, seed: 3 },
    settings: { loss: 'linear', optimizer: 'sgd' },
    batch: (r, B) => ({ vectors: vectors(r, B, 3, 8), memory: vectors(r, B, 2, 8), labels: vectors(r, B, 3, 8) }),
  },
  'feed-forward': {
    config: { kind: 'feed-forward', d_model: 8, d_ff: 12, heads: 1, seed: 3 },
    settings: { loss: 'mse' },
    batch: (r, B) => ({ vectors: vectors(r, B, 1, 8), labels: vectors(r, B, 1, 8) }),
  },
};

/** All that decides how training goes on, and what the last step said. */
export const hash = (trainer, report) => {
  const { weights, moment1, moment2, steps } = trainer.state();
  const all = createHash('sha256');
  for (const block of [weights, moment1, moment2]) all.update(block);
  return `${steps} ${all.digest('hex')} ${JSON.stringify(report)}`;
};

/** Trains with batches of varying size. */
export async function train(engine, { config, settings, batch }, shards, steps = 50, sizes = [7, 7, 3, 8, 1]) {
  const model = engine.createModel(config);
  try {
    const trainer = model.trainer({ ...settings, ...shards });
    const r = random(1);
    let report;
    for (let i = 0; i < steps; i++) report = await trainer.step(batch(r, sizes[i % sizes.length]));
    if (shards.workers) assert.equal(trainer.workers, shards.workers, 'they were not refused');
    return hash(trainer, report);
  } finally {
    model.free();
  }
}
