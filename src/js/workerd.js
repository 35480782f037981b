// The entry `glassformer` in workerd (Cloudflare Workers), which runs only modules that came with the program.
import simd from '../simd.wasm';
import { files } from './files/all-files.js';
import { readLoad, start, toModule } from './engine/start.js';

export * from './api.js';

/** @type {typeof import('./index.js').load} */
export async function load(options = {}) {
  const { wasm = simd, ...wanted } = readLoad(options);
  return start(await toModule(wasm), { ...wanted, files });
}
