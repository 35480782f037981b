import { bytesOf } from '../arrays/arrays.js';
import { imported, files as own } from './files.js';

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
    const held = !options && bytesOf(file);
    if (held && held.byteLength < LARGE) return own.loadModel(gf, held);
    return (await imported(import('./opening.js'))).open(gf, file, options);
  },
};
