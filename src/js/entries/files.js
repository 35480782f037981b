import { GlassformerError } from '../errors.js';
import { Model } from '../engine/model.js';

/**
 * @template T
 * @param {Promise<T>} code that reads or writes files
 * @returns {Promise<T>}
 */
export const imported = (code) =>
  code.catch((error) => {
    const why = `its code could not be imported; glassformer/core has functions for it (${error})`;
    throw new GlassformerError('unsupported', 'file', undefined, why, error);
  });

const eightBits = () => imported(import('../formats/eight-bits.js'));
const modelFile = () => imported(import('../files/model-file.js'));
const saveFile = () => imported(import('../files/save-model.js'));

/**
 * Kept, as an import takes its time even where nothing is fetched.
 * @type {typeof import('../worker/shards.js') | undefined}
 */
let shards;

/**
 * Functions behind the methods for files, `embed`, `classify`, beams and steps in shards. The entry
 * `glassformer/core` omits them, as it imports nothing later.
 */
export const files = {
  /** @type {typeof import('../files/model-file.js').loadModel} */
  loadModel: async (...given) => (await modelFile()).loadModel(...given),
  /** @param {Parameters<typeof import('../formats/eight-bits.js').widen>[0]} file */
  widen: async (file) => (await eightBits()).widen(file),
  /** @param {import('../engine/trainer.js').Trainer} trainer @param {Uint8Array} file */
  resumeTrainer: async (trainer, file) => (await modelFile()).resumeTrainer(trainer, file),
  /**
   * The weights as they are now: steps may be taken until the import is there.
   * @param {import('../engine/model.js').Model} model
   * @param {any} options
   */
  async saveModel(model, options) {
    const weights = Model.prototype.weights.call(model);
    const { narrow } = await eightBits();
    return (await saveFile()).modelFile(model, weights, options, narrow);
  },
  /** As `saveModel`. @param {import('../engine/trainer.js').Trainer} trainer @param {any} options */
  async saveTrainer(trainer, options) {
    const state = trainer.state();
    return (await saveFile()).trainerFile(trainer, state, options);
  },
  /**
   * @type {(...given: Parameters<typeof import('./onnx.js').exportOnnx>) =>
   *   Promise<Uint8Array<ArrayBuffer>>}
   */
  exportOnnx: async (model, options) => (await import('./onnx.js')).exportOnnx(model, options),
  embed: () => import('../engine/embed.js'),
  classify: () => import('../engine/classify.js'),
  derivatives: () => import('../derivatives/model-derivatives.js'),
  inside: () => import('../engine/lens.js'),
  beams: () => import('../engine/beams.js'),
  train: () => import('../engine/train.js'),
  shards: async () => (shards ??= await import('../worker/shards.js')),
};
