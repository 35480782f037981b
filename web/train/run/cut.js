// Cuts heads of a model in training. Their moments go with them.

import { readSafetensors, writeSafetensors } from 'glassformer';
import { resumeTrainer, saveTrainer } from 'glassformer/core'; // at once, between two steps

/**
 * What these heads add becomes 0: their columns of the output projection. Done twice it changes nothing more.
 * @param {import('./learner.js').Parts} parts
 * @param {readonly import('../settings/cuts.js').Head[]} heads
 */
export function cutHeads({ model, trainer }, heads) {
  const { tensors, metadata } = readSafetensors(saveTrainer(trainer));
  const { kind, d_model: width, heads: count } = model.config;
  const size = width / count;
  for (const { layer, head } of heads)
    for (const moment of ['', 'moment1.', 'moment2.']) {
      const weight = tensors.get(`${moment}${kind}.layers.${layer}.self_attn.out_proj.weight`);
      if (!weight) continue; // SGD has no second moment
      for (let start = head * size; start < weight.data.length; start += width)
        weight.data.fill(0, start, start + size);
    }
  resumeTrainer(trainer, writeSafetensors(tensors, { metadata }));
}
