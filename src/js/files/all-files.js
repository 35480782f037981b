import { bytesOf } from '../arrays/arrays.js';
import { imported, files as own } from './files.js';
import { isNamed } from '../arrays/names.js';
import { settle } from './source.js';
import { refuseType } from '../arrays/tensor.js';

/** Bytes; of more than these there are to be no copies. */
const LARGE = 2 ** 24;

/**
 * What the methods for files call. Bytes of small files go the short way; files that are elsewhere are read piece by
 * piece, and checkpoints of others opened, by code that is fetched for the first of them.
 */
export const files = {
  ...own,
  /** @type {typeof import('./kind.js').readTokenizer} */
  readTokenizer: async (json) => (await import('./kind.js')).readTokenizer(json),
  /** @type {typeof import('./save-checkpoint.js').saveCheckpoint} */
  saveCheckpoint: async (...given) => (await import('../checkpoints.js')).saveCheckpoint(...given),
  /**
   * @param {import('../engine/engine.js').Engine} gf @param {any} file @param {any} [options]
   * @returns {Promise<any>}
   */
  async loadModel(gf, file, options) {
    const source = await settle(file, 'file');
    const held = bytesOf(source);
    const plain = !options || (isNamed(options) && !Object.keys(options).length);
    if (held && plain && held.byteLength < LARGE) return own.loadModel(gf, held);
    const [{ loadCheckpoint, loadModel }, { openEither }] = await imported(
      Promise.all([import('../checkpoints.js'), import('./kind.js')]),
    );
    const how = options ?? {};
    if (!isNamed(how)) refuseType('options', options, 'named options, as in loadModel(file, { signal })');
    return openEither(
      source,
      (/** @type {any} */ given) => loadModel(gf, given, how),
      (/** @type {any} */ given) => loadCheckpoint(gf, given, how),
    );
  },
};
