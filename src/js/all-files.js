import { files as own } from './files.js';

/** What the methods for files call, with the checkpoints of others, whose code is fetched for the first of them. */
export const files = {
  ...own,
  /** @param {import('./engine.js').Engine} gf @param {any} file @param {any} [options] @returns {Promise<any>} */
  async loadModel(gf, file, options) {
    if (!isCheckpoint(file)) return own.loadModel(gf, file);
    const { loadCheckpoint } = await import('./checkpoints.js');
    return loadCheckpoint(gf, file, options);
  },
};

/** Files by their names, a list of files, or the address of a folder. @param {any} file */
function isCheckpoint(file) {
  const tag = Object.prototype.toString.call(file).slice(8, -1);
  if (/^(String|URL)$/.test(tag)) return /\/$/.test(file);
  return /^(Array|FileList)$/.test(tag) || (tag === 'Object' && !file.arrayBuffer);
}
