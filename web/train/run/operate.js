// Cuts heads out of a model in training: their columns of the output projection, and the moments of these, become 0.

import { readSafetensors, writeSafetensors } from 'glassformer';

/**
 * @param {import('./learner.js').Parts} parts
 * @param {readonly import('../settings/operations.js').Head[]} heads
 */
export function cutHeads({ model, trainer }, heads) {
  const { tensors, metadata } = readSafetensors(trainer.save());
  for (const { layer, head } of heads)
    for (const moment of ['', 'moment1.', 'moment2.']) {
      const name = `${moment}${model.config.kind}.layers.${layer}.self_attn.out_proj.weight`;
      const { data, shape } = /** @type {{data: Float32Array, shape: number[]}} */ (tensors.get(name));
      const [rows, width] = shape;
      const size = width / model.config.heads;
      for (let row = 0; row < rows; row++) data.fill(0, row * width + head * size, row * width + (head + 1) * size);
    }
  trainer.resume(writeSafetensors(tensors, { metadata }));
}
