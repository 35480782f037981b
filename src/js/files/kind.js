import { tagOf } from '../arrays/arrays.js';

/** Whether it is files by name, a list of files, the address of a folder or a name on the hub. @param {any} file */
export function isCheckpoint(file) {
  const tag = tagOf(file);
  if (/^(String|URL)$/.test(tag)) return /\/$|^hub:/.test(file);
  return /^(Array|FileList|Object)$/.test(tag) && !file.arrayBuffer;
}

/**
 * Engines in workers that `loadCheckpoint` fills, with what starts a model there.
 * @type {WeakMap<object, (...given: any[]) => Promise<any>>}
 */
export const remoteRooms = new WeakMap();

/**
 * The tokenizer that stands in the file of a model, or why it is not read.
 * @param {string} json
 * @returns {Promise<import('../engine/named.js').Texts>}
 */
export async function readTokenizer(json) {
  try {
    const { loadTokenizer } = await import('../tokenizers.js');
    return { tokenizer: await loadTokenizer(new TextEncoder().encode(json)) };
  } catch (error) {
    return { unread: /** @type {Error} */ (error) };
  }
}
