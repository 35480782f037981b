import { loadModel, resumeTrainer, saveModel, saveTrainer } from './model-file.js';

/**
 * Kept, as an import takes its time even where nothing is fetched.
 * @type {typeof import('../worker/shards.js') | undefined}
 */
let shards;

/**
 * What the methods for files, `embed`, `classify` and steps in shards call: the entry `glassformer/core`, which imports
 * nothing later, does without.
 */
export const files = {
  loadModel,
  resumeTrainer,
  saveModel,
  saveTrainer,
  /** @type {(...args: Parameters<typeof import('../onnx.js').exportOnnx>) => Promise<Uint8Array<ArrayBuffer>>} */
  exportOnnx: async (model, options) => (await import('../onnx.js')).exportOnnx(model, options),
  embed: () => import('../engine/embed.js'),
  classify: () => import('../engine/classify.js'),
  derivatives: () => import('../derivatives/model-derivatives.js'),
  lens: () => import('../engine/lens.js'),
  decided: () => import('../engine/decided.js'),
  shards: async () => (shards ??= await import('../worker/shards.js')),
};
