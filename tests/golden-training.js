// Computes the cases of optimisers and of training runs through the public API.
import { renames, stack } from './golden-cases.js';
import * as modern from './golden-modern.js';
import { only } from './golden-read.js';
import { perform } from './operations.js';

/** @typedef {import('./golden-cases.js').Case} Case */

/** Steps of an optimiser on given gradients: the parameters after each, the last moments. @param {string} optimizer */
const optimiser =
  (optimizer) =>
  (/** @type {any} */ gf, /** @type {Case} */ { input: { p, g }, params }) => {
    const {
      n,
      steps,
      betas: [beta1, beta2],
    } = params;
    const settings = {
      optimizer,
      learningRate: params.lr,
      beta1,
      beta2,
      epsilon: params.eps,
      weightDecay: params.weight_decay,
    };
    const history = new Float32Array(steps * n);
    let state = { parameters: p, moment1: undefined, moment2: undefined };
    for (let step = 1; step <= steps; step++) {
      const gradients = { data: g.data.slice((step - 1) * n, step * n), shape: [n] };
      state = perform(gf, 'optimizerStep', { ...state, gradients, step, ...settings });
      history.set(state.parameters.data, (step - 1) * n);
    }
    return { results: { p: { data: history, shape: [steps, n] }, exp_avg: state.moment1, exp_avg_sq: state.moment2 } };
  };

/**
 * @type {Record<string, (c: Case) => {config: object, rename: (name: string) => string, batch: (step: number) =>
 *   object}>}
 */
const RUNS = {
  train_gpt2: ({ input: { ids }, params: p }) => ({
    config: {
      ...stack(p),
      norm: 'pre',
      kind: 'decoder',
      vocabulary: p.vocab,
      layers: p.layers,
      positions: 'learned',
      maxLength: p.T,
      embeddingScale: false,
      finalNorm: true,
      head: 'tied',
      headBias: false,
    },
    rename: renames.gpt2,
    batch: (step) => ({ ids: columns(ids, step, 0, p.T), labels: columns(ids, step, 1, p.T) }),
  }),
  train_llama: ({ input: { ids }, params: p }) => ({
    config: modern.trainedModel(p),
    rename: (name) => name,
    batch: (step) => ({ ids: columns(ids, step, 0, p.T), labels: columns(ids, step, 1, p.T) }),
  }),
  train_seq2seq: ({ input: { src, tgt }, params: p }) => ({
    config: {
      ...stack(p),
      kind: 'encoder-decoder',
      vocabulary: p.vocab,
      layers: p.enc_layers,
      decoderLayers: p.dec_layers,
      finalNorm: true,
      head: 'linear',
    },
    rename: renames.seq2seq,
    batch: (step) => ({
      sourceIds: columns(src, step, 0, p.Ts),
      targetIds: columns(tgt, step, 0, p.Tt),
      labels: columns(tgt, step, 1, p.Tt),
    }),
  }),
};

/**
 * A run from given weights: each step's loss, the weights after the first and the last, the first gradients. It yields
 * the result of each step, and is given its report.
 * @param {any} gf @param {Case} c @param {{shards?: number, workers?: number}} [shards]
 * @returns {Generator<any, {results: Record<string, any>, gradients: Map<string, any>}, any>}
 */
export function* stepsOf(gf, c, shards) {
  only(c.params, { decay_all: true });
  const { config, rename, batch } = RUNS[c.op](c);
  const {
    steps,
    betas: [beta1, beta2],
    lr,
    eps_opt: epsilon,
    weight_decay: weightDecay,
  } = c.params;
  const model = gf.createModel(config);
  try {
    const today = c.op === 'train_llama';
    model.loadWeights(today ? modern.weightsOf(c.op, c.weights) : c.weights, { rename });
    const trainer = model.trainer({
      optimizer: c.params.optimizer,
      learningRate: lr,
      beta1,
      beta2,
      epsilon,
      weightDecay,
      ...shards,
    });
    const losses = [];
    /** @type {Record<string, any>} */
    const results = {};
    const gradients = new Map();
    for (let step = 0; step < steps; step++) {
      losses.push((yield trainer.step(batch(step))).loss);
      const of = (/** @type {string} */ name) => model.tensor(`grad.${name}`);
      if (step === 0)
        for (const name of c.weights.keys())
          gradients.set(name, today ? modern.read(c, c.op, name, of) : of(rename(name)));
      if (step === 0) Object.assign(results, weightsOf(model, c, rename, 'step1.'));
    }
    Object.assign(results, weightsOf(model, c, rename, 'final.'), { loss: { data: losses, shape: [steps] } });
    return { results, gradients };
  } finally {
    model.free();
  }
}

/** The same at once. @param {any} gf @param {Case} c */
function run(gf, c) {
  const steps = stepsOf(gf, c);
  let next = steps.next();
  while (!next.done) next = steps.next(next.value);
  return next.value;
}

/** Weights by the case's names; of in_proj_bias the query and value part, and the key part, apart. */
function weightsOf(
  /** @type {any} */ model,
  /** @type {Case} */ c,
  /** @type {(name: string) => string} */ rename,
  /** @type {string} */ prefix,
) {
  /** @type {Record<string, any>} */
  const named = {};
  for (const name of c.weights.keys()) {
    const t =
      c.op === 'train_llama' ? modern.read(c, c.op, name, (ours) => model.tensor(ours)) : model.tensor(rename(name));
    if (!name.endsWith('in_proj_bias')) {
      named[prefix + name] = t;
      continue;
    }
    const d = t.data.length / 3;
    named[`${prefix}${name}.qv`] = { data: [...t.data.slice(0, d), ...t.data.slice(2 * d)], shape: [2 * d] };
    named[`${prefix}${name}.kbias`] = { data: t.data.slice(d, 2 * d), shape: [d] };
  }
  return named;
}

/** Columns from..from+count-1 of one step's (B,T) ids. */
function columns(
  /** @type {any} */ { data, shape: [, B, T] },
  /** @type {number} */ step,
  /** @type {number} */ from,
  /** @type {number} */ count,
) {
  const rows = Array.from({ length: B }, (_, b) => [
    ...data.slice((step * B + b) * T + from, (step * B + b) * T + from + count),
  ]);
  return { data: Int32Array.from(rows.flat()), shape: [B, count] };
}

/** @type {Record<string, (gf: any, c: Case) => {results: Record<string, any>, gradients?: Map<string, any>}>} */
export const training = {
  adamw: optimiser('adamw'),
  adam: optimiser('adam'),
  train_gpt2: run,
  train_llama: run,
  train_seq2seq: run,
};
