// A model whose file the reader gave. Its weights lie in the module's memory and nowhere else: a model with other
// switches gets them from there, and where they are there no more the file is read again.

import { restore } from './edit-weights.js';
import { weightNames } from './weights.js';

/**
 * @typedef {import('./worker.js').Engine} Engine
 * @typedef {import('./worker.js').Model} Model
 * @typedef {import('./edit-weights.js').Cell} Cell
 * @typedef {{model: Model, originals: Cell[]}} Source a model, and the numbers in it that were edited as they were
 * @typedef {ReturnType<typeof createGivenModel>} GivenModel
 */

const MOST = 2 ** 31; // bytes of an engine

/**
 * A file whose numbers do not fit in 32 bits is rounded to 16.
 * @param {Engine} gf @param {Blob} file @param {import('./model-cache.js').OpenOptions} options
 */
export async function loadGiven(gf, file, options) {
  try {
    return await gf.loadModel(file, options);
  } catch (error) {
    const { code, value } = /** @type {import('glassformer').GlassformerError} */ (error);
    if (code !== 'memory' || !(Number(value) > MOST)) throw error;
    return { ...(await gf.loadModel(file, { ...options, weights: 'bf16' })), rounded: true };
  }
}

/** @param {import('./model-cache.js').GivenFile} file @returns {number} */
export const bytesOf = (file) =>
  Array.isArray(file)
    ? file.reduce((sum, { size }) => sum + size, 0)
    : 'weights' in file
      ? file.weights.size
      : 'size' in file
        ? file.size
        : file.byteLength;

/** The model that was opened last, until somebody asks for it. @type {Model | null} */
let unused = null;

/**
 * @param {Engine} from
 * @param {Model} opened is used by the first that asks for one
 * @param {import('./model-cache.js').GivenFile} file
 * @param {import('./model-cache.js').OpenOptions} options
 * @throws the signal's reason
 */
export function createGivenModel(from, opened, file, { signal }) {
  if (signal?.aborted) opened.free();
  signal?.throwIfAborted();
  const names = new Set(weightNames(opened));
  const { weights } = opened.config;
  const again = weights === 'int8' ? {} : { weights }; // a file in 8 bits says so itself
  if (unused) release(unused);
  unused = opened;

  /**
   * A model of another configuration with the same weights.
   * @param {Engine} gf @param {Record<string, unknown>} config @param {Source} source
   */
  function copy(gf, config, { model, originals }) {
    try {
      const made = cloned(model, config) ?? grown(gf, config, model);
      restore(made, originals);
      return made;
    } catch (error) {
      const { code } = /** @type {import('./protocol.js').Problem} */ (error);
      if (code !== 'memory') throw error;
      throw { code, parameter: 'model', message: 'This change needs a second copy of the model, which does not fit.' };
    }
  }

  /**
   * With weights that the file does not have, which are drawn.
   * @param {Engine} gf @param {Record<string, unknown>} config @param {Model} model
   */
  function grown(gf, config, model) {
    const made = gf.createModel(config);
    for (const name of weightNames(made).filter((each) => names.has(each)))
      made.loadWeights(
        { [name]: /** @type {import('./protocol.js').Tensor} */ (model.tensor(name)) },
        { strict: false },
      );
    return made;
  }

  /** @param {Engine} gf @returns {Promise<Model>} */
  async function take(gf) {
    if (unused === opened) {
      unused = null;
      if (gf === from) return opened; // that of a module that broke down is gone with it
    }
    try {
      return (await gf.loadModel(/** @type {Blob} */ (file), again)).model;
    } catch (error) {
      const { code, message } = /** @type {import('./protocol.js').Problem} */ (error);
      if (code !== 'format') throw error;
      const why = message.replace(/\.$/, '');
      throw { code, parameter: 'model', message: `Its file had to be read again (${why}). Open it once more.` };
    }
  }

  return {
    /** The weights that the file has. */
    names,
    copy,
    /**
     * @param {Engine} gf
     * @param {Record<string, unknown>} config
     * @param {Source} [twin] another model with these weights
     * @returns {Promise<Model>} the caller's
     */
    async make(gf, config, twin) {
      // One without norms, say, lacks some of the file's weights: they are read again.
      const held = twin ? new Set(weightNames(twin.model)) : names;
      if (twin && [...names].every((each) => held.has(each))) return copy(gf, config, twin);
      const model = await take(gf);
      if (isSame(config, model.config)) return model;
      try {
        return copy(gf, config, { model, originals: [] });
      } finally {
        model.free();
      }
    },
    /** Gives the memory of the model back that nobody has asked for. */
    release() {
      if (unused !== opened) return;
      unused = null;
      release(opened);
    },
  };
}

/**
 * The quick way: to draw weights first takes seconds. Null where there are not all of them.
 * @param {Model} model @param {Record<string, unknown>} config
 */
function cloned(model, { seed: _, ...changes }) {
  try {
    return model.clone(changes);
  } catch (error) {
    if (/** @type {import('./protocol.js').Problem} */ (error).code !== 'unknown') throw error;
    return null;
  }
}

/** @param {Model} model */
function release(model) {
  try {
    model.free();
  } catch {
    // a module that broke down
  }
}

/**
 * Seeds aside, which say nothing of weights that are read.
 * @param {Record<string, unknown>} config @param {object} other
 */
const isSame = (config, other) =>
  Object.entries({ ...other, ...config }).every(
    ([name, value]) =>
      name === 'seed' || JSON.stringify(value) === JSON.stringify(/** @type {Record<string, unknown>} */ (other)[name]),
  );
