import { loadModel, resumeTrainer, saveModel, saveTrainer } from './model-file.js';

/** What the methods for files call. An object of its own, which the entry `glassformer/core` does without. */
export const files = {
  loadModel,
  resumeTrainer,
  saveModel,
  saveTrainer,
  /** @type {(...args: Parameters<typeof import('./onnx.js').exportOnnx>) => Promise<Uint8Array<ArrayBuffer>>} */
  exportOnnx: async (model, options) => (await import('./onnx.js')).exportOnnx(model, options),
};
