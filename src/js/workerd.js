// The entry `glassformer` in workerd (Cloudflare Workers), which runs only modules that came with the program.
import simd from '../simd.wasm';
import { load as loadGiven } from './core.js';

export * from './api.js';

/** @type {typeof import('./index.js').load} */
export function load(options = {}) {
  return loadGiven({ ...options, wasm: options.wasm ?? simd });
}
