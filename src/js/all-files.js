import { GlassformerError } from './errors.js';
import { files as own } from './files.js';
import { settle } from './source.js';
import { isObject } from './tensor.js';

/** Bytes; of more than these there are to be no copies. */
const LARGE = 2 ** 24;

/**
 * What the methods for files call. Bytes of small files go the short way; files that are elsewhere are read piece by
 * piece, and checkpoints of others opened, by code that is fetched for the first of them.
 */
export const files = {
  ...own,
  /** @param {import('./engine.js').Engine} gf @param {any} file @param {any} [options] @returns {Promise<any>} */
  async loadModel(gf, file, options) {
    const source = await settle(file, 'file');
    const held = ArrayBuffer.isView(source) || source instanceof ArrayBuffer;
    const plain = !options || (isObject(options) && !Object.keys(options).length);
    if (held && plain && source.byteLength < LARGE) return own.loadModel(gf, source);
    let checkpoints;
    try {
      checkpoints = await import('./checkpoints.js');
    } catch (error) {
      const message = `what reads files could not be imported (${error}): pass the bytes of a file`;
      throw new GlassformerError('unsupported', 'file', undefined, message);
    }
    return checkpoints[isCheckpoint(source) ? 'loadCheckpoint' : 'loadModel'](gf, source, options);
  },
};

/** Files by their names, a list of files, or the address of a folder. @param {any} file */
function isCheckpoint(file) {
  const tag = Object.prototype.toString.call(file).slice(8, -1);
  if (/^(String|URL)$/.test(tag)) return /\/$/.test(file);
  return /^(Array|FileList)$/.test(tag) || (tag === 'Object' && !file.arrayBuffer);
}
