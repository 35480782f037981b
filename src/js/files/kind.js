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
export const remoteFills = new WeakMap();

/**
 * The tokenizers that stand in the file of a model, or why they are not read.
 * @param {string} json
 * @returns {Promise<import('../engine/named.js').Texts>}
 */
export async function readTokenizer(json) {
  try {
    const { tokenizersIn } = await import('./load-tokenizer.js');
    return await tokenizersIn(json);
  } catch (error) {
    return { unread: /** @type {Error} */ (error) };
  }
}

/** The server has no such file, or sent a page that lists a folder. @param {any} error */
const isElsewhere = ({ code, message }) => code === 'notFound' || /is a page of HTML/.test(message);

/**
 * Opens a file; or where its address is that of a folder, without its /, what the folder has.
 * @param {any} source
 * @param {(source: any) => Promise<any>} file
 * @param {(source: any) => Promise<any>} folder
 * @returns {Promise<any>}
 */
export async function openEither(source, file, folder) {
  if (isCheckpoint(source)) return folder(source);
  try {
    return await file(source);
  } catch (error) {
    const isAddress = /^(String|URL)$/.test(tagOf(source));
    const isFolder = isAddress && /is a folder, not a file$/.test(/** @type {any} */ (error).message);
    const mayBe = isAddress && /^https?:.*\/[\w-]+$/.test(source) && isElsewhere(/** @type {any} */ (error));
    if (!isFolder && !mayBe) throw error;
    return folder(`${source}/`).catch((/** @type {any} */ inner) => {
      throw isFolder || !isElsewhere(inner) ? inner : error;
    });
  }
}
