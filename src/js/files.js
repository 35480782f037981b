import { loadModel, resumeTrainer, saveModel, saveTrainer } from './model-file.js';

/**
 * What the methods for files call, and steps in shards: the entry `glassformer/core`, which imports nothing later,
 * does without.
 */
export const files = {
  loadModel,
  resumeTrainer,
  saveModel,
  saveTrainer,
  /** @type {(...args: Parameters<typeof import('./onnx.js').exportOnnx>) => Promise<Uint8Array<ArrayBuffer>>} */
  exportOnnx: async (model, options) => (await import('./onnx.js')).exportOnnx(model, options),
  shards: () => import('./shards.js'),
};
