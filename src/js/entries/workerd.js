// The entry `glassformer` in workerd (Cloudflare Workers), which runs only modules that came with the program.
import simd from '../simd.wasm';
import { loadCompiled } from './compiled.js';

export * from './api.js';

/** @type {typeof import('./index.js').load} */
export const load = (/** @type {any} */ options = {}) => /** @type {Promise<any>} */ (loadCompiled(options, simd));
