// A model whose file the reader gave. Its weights lie in the module's memory and nowhere else: a model with other
// switches gets them from there, and where they are there no more the file is read again.

import { restore } from './edit-weights.js';
import { weightNames } from './intervene.js';

/**
 * @typedef {import('./worker.js').Engine} Engine
 * @typedef {import('./worker.js').Model} Model
 * @typedef {import('./edit-weights.js').Cell} Cell
 * @typedef {{model: Model, originals: Cell[]}} Source a model, and the numbers in it that were edited as they were
 * @typedef {ReturnType<typeof createGivenModel>} GivenModel
 */

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
  if (unused) release(unused);
  unused = opened;

  /**
   * A model of another configuration with the same weights, tensor by tensor.
   * @param {Engine} gf @param {Record<string, unknown>} config @param {Source} source
   */
  function copy(gf, config, { model: from, originals }) {
    const made = gf.createModel(config);
    try {
      for (const name of weightNames(made).filter((each) => names.has(each))) {
        const [into, numbers] = [made.view(name), from.view(name)];
        if (into.length !== numbers.length)
          throw {
            code: 'shape',
            parameter: name,
            message: `${name} has ${numbers.length} numbers, not ${into.length}.`,
          };
        into.set(numbers);
      }
      restore(made, originals);
      return made;
    } catch (error) {
      made.free();
      throw error;
    }
  }

  /** @param {Engine} gf @returns {Promise<Model>} */
  async function take(gf) {
    if (unused === opened) {
      unused = null;
      if (gf === from) return opened; // that of a module that broke down is gone with it
    }
    try {
      return (await gf.loadModel(/** @type {Blob} */ (file))).model;
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
      if (twin) return copy(gf, config, twin);
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
