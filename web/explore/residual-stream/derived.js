// The residual stream: how long each vector is on its way, and what each sublayer changes of it.

import { wayOf } from '../model-graph/graph.js';

/**
 * @typedef {import('../model-graph/graph.js').Step & {norms: Float32Array | null}} Station
 * `norms`: the L2 norm of what comes out, at each token.
 *
 * `norms` is tokens × titles; `changes` (‖after − before‖ / ‖before‖) and `cosines` (of before and
 * after) are tokens × all titles but the first.
 * @typedef {{titles: string[], norms: Float32Array, changes: Float32Array, cosines: Float32Array}} Stream
 * @typedef {{stations: Station[], stream: Stream}} Way
 * @typedef {{encoder: Way | null, decoder: Way | null}} Ways
 *
 * What one LayerNorm reads, knows and hands on; `weight` and `bias` where it has them; `choices`:
 * the norms of this layer and the stack's final one.
 * @typedef {{
 *   title: string, place: number, choices: {place: number, title: string}[], before: Float32Array, after:
 *   Float32Array, mean: Float32Array, variance: Float32Array,
 *   weight: Float32Array | null, bias: Float32Array | null, epsilon: number, width: number,
 * }} Norm
 */

/** @param {import('../../engine/derived.js').Context} context @returns {Ways} */
export function stream({ model }) {
  const { encoder, decoder } = ways(model);
  return { encoder: encoder && measure(model, encoder), decoder: decoder && measure(model, decoder) };
}

/** @param {import('../../engine/derived.js').Context['model']} model */
const ways = (model) =>
  wayOf(
    model.tensors().map(({ name }) => name),
    model.config.norm === 'pre',
  );

/**
 * @param {import('../../engine/derived.js').Context['model']} model
 * @param {import('../model-graph/graph.js').Step[]} steps
 * @returns {Way}
 */
function measure(model, steps) {
  const width = model.config.d_model;
  /** @param {string} name */
  const floats = (name) => /** @type {Float32Array} */ (model.view(name));
  const stations = steps.map((step) => ({
    ...step,
    norms: step.tensor && step.part !== 'logits' ? norms(floats(step.tensor), width) : null,
  }));
  const stages = stations.filter((step) => step.stream);
  const tokens = stages[0].norms?.length ?? 0;
  const changes = new Float32Array(tokens * (stages.length - 1));
  const cosines = new Float32Array(changes.length);
  for (let stage = 1; stage < stages.length; stage++) {
    const [a, b] = [stages[stage - 1], stages[stage]].map(({ tensor }) => floats(String(tensor)));
    for (let t = 0; t < tokens; t++) {
      const at = t * (stages.length - 1) + stage - 1;
      ({ change: changes[at], cosine: cosines[at] } = compare(a, b, t * width, width));
    }
  }
  return {
    stations,
    stream: {
      titles: stages.map(titleOf),
      changes,
      cosines,
      norms: Float32Array.from(
        { length: tokens * stages.length },
        (_, i) => stages[i % stages.length].norms?.[Math.floor(i / stages.length)] ?? NaN,
      ),
    },
  };
}

/** @param {import('../model-graph/graph.js').Step} step */
const titleOf = (step) => (step.layer === null ? step.label : `L${step.layer + 1} ${sublayerOf(step)}`);

/** @param {import('../model-graph/graph.js').Step} step */
function sublayerOf({ sublayer }) {
  return sublayer === 'ffn' ? 'FFN' : sublayer === 'multihead_attn' ? 'cross-attention' : 'attention';
}

/** @param {Float32Array} data @param {number} width */
function norms(data, width) {
  return Float32Array.from({ length: data.length / width }, (_, t) => {
    let sum = 0;
    for (let i = t * width; i < (t + 1) * width; i++) sum += data[i] * data[i];
    return Math.sqrt(sum);
  });
}

/** @param {Float32Array} a @param {Float32Array} b @param {number} from @param {number} width */
function compare(a, b, from, width) {
  let aa = 0,
    bb = 0,
    ab = 0,
    dd = 0;
  for (let i = from; i < from + width; i++) {
    aa += a[i] * a[i];
    bb += b[i] * b[i];
    ab += a[i] * b[i];
    dd += (b[i] - a[i]) ** 2;
  }
  return { change: Math.sqrt(dd / aa), cosine: ab / Math.sqrt(aa * bb) };
}

/**
 * One LayerNorm; where the stack has no such one, another of that layer.
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} stack
 * @param {string} layer
 * @param {string} place 0: the final norm
 * @returns {Norm | {absent: true}}
 */
export function norm({ model }, stack, layer, place) {
  const steps = ways(model)[/** @type {import('../model-graph/graph.js').Stack} */ (stack)] ?? [];
  const choices = steps.filter((each) => each.part === 'norm' && (each.layer === null || each.layer === Number(layer)));
  const step = choices.find((each) => each.place === Number(place)) ?? choices[0];
  if (!step?.tensor || !step.before) return { absent: true };
  const prefix = step.tensor.replace(/out$/, '');
  /** @param {string} name */
  const copy = (name) => /** @type {Float32Array} */ (model.tensor(name).data);
  const { norm: order, normAffine, epsilon, d_model: width } = model.config;
  /** @param {import('../model-graph/graph.js').Step} each */
  const title = (each) =>
    each.layer === null
      ? 'Final norm'
      : `Layer ${each.layer + 1}, ${order === 'pre' ? 'before' : 'after'} ${sublayerOf(each)}`;
  return {
    title: title(step),
    place: step.place,
    choices: choices.map((each) => ({ place: each.place, title: title(each) })),
    before: copy(step.before),
    after: copy(step.tensor),
    mean: copy(`${prefix}mean`),
    variance: copy(`${prefix}variance`),
    weight: normAffine ? copy(`${prefix}weight`) : null,
    bias: normAffine ? copy(`${prefix}bias`) : null,
    epsilon,
    width,
  };
}
