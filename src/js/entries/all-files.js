import { bytesOf } from '../arrays/arrays.js';
import { imported, files as own } from './files.js';

/** Bytes; of more than these there are to be no copies. */
const LARGE = 2 ** 24;

/** @type {typeof import('../files/load-checkpoint.js').loadCheckpoint} */
const loadCheckpoint = async (...given) =>
  (await imported(import('../files/load-checkpoint.js'))).loadCheckpoint(...given);

/**
 * Functions behind the methods for files. Bytes of small files go the short way. Code fetched at the first use reads
 * files elsewhere piece by piece, and opens checkpoints of other libraries.
 */
export const files = {
  ...own,
  /** @type {typeof import('../files/kind.js').readTokenizer} */
  readTokenizer: async (json) => (await import('../files/kind.js')).readTokenizer(json),
  /** @type {typeof import('../files/save-checkpoint.js').saveCheckpoint} */
  saveCheckpoint: async (...given) => (await import('../files/save-checkpoint.js')).saveCheckpoint(...given),
  /**
   * @param {import('../engine/engine.js').Engine} gf @param {any} file @param {any} [options]
   * @returns {Promise<any>}
   */
  async loadModel(gf, file, options) {
    const held = !options && bytesOf(file);
    if (held && held.byteLength < LARGE) return own.loadModel(gf, held);
    return (await imported(import('../files/opening.js'))).open(gf, file, options, loadCheckpoint);
  },
};
