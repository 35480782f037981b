// The logit lens (nostalgebraist 2020): what the model would already answer if it stopped after a
// layer. The stream there goes through the final norm, if there is one, and the output table.

import { outputOf, tensorWith } from '../shared/graph.js';

/** @typedef {import('../../engine/protocol.js').Tensor} Tensor */

/** How many words of each answer are kept. */
const TOP = 5;
/** Logits that are computed at once: the output table, which may be large, is read once for them. */
const MOST = 2 ** 24;

/**
 * `ids` and `probabilities`: tokens × `top`, the likeliest first.
 * @typedef {{title: string, ids: Int32Array, probabilities: Float32Array}} Stage
 * @typedef {{stack: 'encoder' | 'decoder', normed: boolean, top: number, stages: Stage[]}} Lens
 */

/** @param {import('../../engine/derived.js').Context} context @returns {Lens | {absent: true}} */
export function lens({ gf, model }) {
  const output = outputOf(model);
  if (!output) return { absent: true };
  const { finalNorm, epsilon, headTransform, activation, normAffine } = model.config;
  const { stack, norm } = output;
  /** @param {string} name */
  const tensor = (name) => /** @type {import('../../engine/protocol.js').Tensor} */ (model.tensor(name));
  const table = tensor(output.table);
  const headBias = tensorWith(model, { node: 'logits', role: 'bias' });
  const bias = headBias && tensor(headBias).data;
  const weight = norm?.weight;
  const place = { stack, node: /** @type {const} */ ('norm'), layer: norm?.layer, sublayer: norm?.sublayer };
  const affine = weight
    ? { weight: tensor(weight), bias: tensor(String(tensorWith(model, { ...place, role: 'bias' }))) }
    : {};

  /** Before the output table of a model with such. @param {Tensor} x */
  function transform(x) {
    const y = gf.linear(x, tensor('transform.dense.weight'), tensor('transform.dense.bias'));
    const own = normAffine ? { weight: tensor('transform.norm.weight'), bias: tensor('transform.norm.bias') } : {};
    return gf.layerNorm(gf.activation(y, activation), { ...own, epsilon }).output;
  }

  /** @param {string[]} names of states of the stream */
  function answers(names) {
    const states = names.map((name) => tensor(name).data);
    const [rows, channels] = tensor(names[0]).shape.slice(-2);
    const shape = [names.length * rows, channels];
    let data = /** @type {Float32Array} */ (new Float32Array(names.length * rows * channels));
    states.forEach((state, i) => data.set(state, i * rows * channels));
    if (finalNorm) ({ data } = gf.layerNorm({ data, shape }, { ...affine, epsilon }).output);
    if (headTransform) ({ data } = transform({ data, shape }));
    const logits = gf.matmul({ data, shape }, table, { transposeB: true });
    const width = table.shape[0];
    if (bias) for (let i = 0; i < logits.data.length; i++) logits.data[i] += bias[i % width];
    const shares = gf.softmax(logits).data;
    return names.map((_, i) => likeliest(shares.subarray(i * rows * width, (i + 1) * rows * width), width));
  }

  const stages = model
    .tensors()
    .filter((each) => each.stack === stack && ['input', 'layer_out'].includes(each.role ?? '') && !each.node)
    .map(({ name, layer }) => ({ title: layer === null ? 'Input' : `Layer ${layer + 1}`, name }));
  const together = Math.max(1, Math.floor(MOST / (Number(tensor(stages[0].name).shape.at(-2)) * table.shape[0])));
  const found = stages.flatMap((_, i) =>
    i % together ? [] : answers(stages.slice(i, i + together).map(({ name }) => name)),
  );
  return {
    stack,
    normed: finalNorm,
    top: Math.min(TOP, table.shape[0]),
    stages: stages.map(({ title }, i) => ({ title, ...found[i] })),
  };
}

/** @param {Float32Array} data rows of `width` @param {number} width */
function likeliest(data, width) {
  const top = Math.min(TOP, width);
  const ids = new Int32Array((data.length / width) * top);
  const probabilities = new Float32Array(ids.length);
  for (let row = 0; row * width < data.length; row++) {
    /** @type {number[]} */
    const best = [];
    for (let id = 0; id < width; id++) {
      const p = data[row * width + id];
      if (best.length === top && !(p > data[row * width + best[top - 1]])) continue;
      const before = best.findIndex((each) => data[row * width + each] < p);
      best.splice(before < 0 ? best.length : before, 0, id);
      best.length = Math.min(best.length, top);
    }
    best.forEach((id, i) => {
      ids[row * top + i] = id;
      probabilities[row * top + i] = data[row * width + id];
    });
  }
  return { ids, probabilities };
}
