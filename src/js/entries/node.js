// The entry `glassformer` in Node: reads the file of simd in .7 ms, where unpacking an embedded module takes 8.
import * as fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadBuiltIn } from './load.js';
import { host } from '../formats/source.js';

export * from './api.js';

/** @type {typeof import('./index.js').load} */
export function load(/** @type {any} */ options = {}) {
  host.fs = fs;
  return loadBuiltIn(options, beside);
}

/**
 * Undefined where there is no such file, as in a bundle.
 * @param {import('../engine/start.js').Variant} variant
 */
function beside(variant) {
  try {
    // No second argument of URL, or bundlers would take it for an asset of theirs.
    return fs.readFileSync(fileURLToPath(import.meta.url.replace(/[^/]*\/[^/]*$/, `${variant}.wasm`)));
  } catch {
    return undefined;
  }
}
