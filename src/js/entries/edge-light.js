// The entry `glassformer` in edge runtimes like Next's, whose bundler compiles imports with `?module`.
import simd from '../simd.wasm?module';
import { loadCompiled } from './compiled.js';

export * from './api.js';

/** @type {typeof import('./index.js').load} */
export const load = (/** @type {any} */ options = {}) => /** @type {Promise<any>} */ (loadCompiled(options, simd));
