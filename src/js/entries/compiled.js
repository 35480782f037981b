import { files } from './all-files.js';
import { toModule } from '../engine/given.js';
import { readLoad, start } from '../engine/start.js';

/**
 * `load` of an entry for hosts that run only modules that came with the program.
 * @param {object} options
 * @param {WebAssembly.Module} simd
 */
export async function loadCompiled(options, simd) {
  const { wasm = simd, ...wanted } = readLoad(options);
  return start(await toModule(wasm), { ...wanted, files });
}
