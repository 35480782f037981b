import { tagOf } from '../arrays/arrays.js';

/** Whether it is files by name, a list of files, the address of a folder or a name on the hub. @param {any} file */
export function isCheckpoint(file) {
  const tag = tagOf(file);
  if (/^(String|URL)$/.test(tag)) return /\/$|^hub:/.test(file);
  return /^(Array|FileList|Object)$/.test(tag) && !file.arrayBuffer;
}
