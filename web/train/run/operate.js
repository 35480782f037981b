// Operates on the heads of a model in training: cuts one, or puts that of a twin in its place. Moments go with them.

import { readSafetensors, writeSafetensors } from 'glassformer';
import { resumeTrainer, saveTrainer } from 'glassformer/core'; // at once, between two steps

/**
 * @typedef {import('./learner.js').Parts} Parts
 * @typedef {import('../settings/operations.js').Head} Head
 * @typedef {Map<string, {data: any, shape: readonly number[]}>} Tensors of a saved trainer
 */

/**
 * The numbers of a head in one weight: its columns of the output projection, its rows of the input projection.
 * @param {Parts} parts @param {Tensors} tensors @param {Head} head @param {string} name after self_attn
 * @returns {Float32Array[]} stretches of the tensor's data
 */
function stretchesOf({ model }, tensors, { layer, head }, name) {
  const found = tensors.get(name.replace('*', `${model.config.kind}.layers.${layer}.self_attn`));
  if (!found) return []; // attention without biases
  const { data, shape } = found;
  const size = model.config.d_model / model.config.heads;
  const isColumns = name.endsWith('out_proj.weight');
  const [count, width] = isColumns ? [shape[0], 1] : [3, shape[1] ?? 1]; // query, key, value
  const every = (shape[0] * (shape[1] ?? 1)) / count;
  return Array.from({ length: count }, (_, i) =>
    data.subarray(i * every + head * size * width, i * every + (head + 1) * size * width),
  );
}

const MOMENTS = ['', 'moment1.', 'moment2.'];
const WEIGHTS = ['*.in_proj_weight', '*.in_proj_bias', '*.out_proj.weight'];

/** @param {Parts} parts @param {Tensors} tensors @param {Head} head */
const wholeHead = (parts, tensors, head) =>
  MOMENTS.flatMap((moment) => WEIGHTS.flatMap((name) => stretchesOf(parts, tensors, head, moment + name)));

/**
 * A head with its moments, as `operateOn` puts it in.
 * @param {Parts} parts @param {Head} head @returns {Float32Array[]}
 */
export const takeHead = (parts, head) =>
  wholeHead(parts, readSafetensors(saveTrainer(parts.trainer)).tensors, head).map((each) => each.slice());

/**
 * Done twice it changes nothing more.
 * @param {Parts} parts
 * @param {readonly Head[]} cuts what these heads add becomes 0
 * @param {readonly {head: Head, numbers: readonly Float32Array[]}[]} grafts heads of twins
 */
export function operateOn(parts, cuts, grafts) {
  const { tensors, metadata } = readSafetensors(saveTrainer(parts.trainer));
  for (const head of cuts)
    for (const moment of MOMENTS)
      for (const each of stretchesOf(parts, tensors, head, `${moment}*.out_proj.weight`)) each.fill(0);
  for (const { head, numbers } of grafts) wholeHead(parts, tensors, head).forEach((each, i) => each.set(numbers[i]));
  resumeTrainer(parts.trainer, writeSafetensors(tensors, { metadata }));
}
