/**
 * Glassformer without its own module: `load` takes one as `wasm`. Nothing is imported while it runs, so
 * that it works in service workers, in classic workers and in bundles of a single file.
 *
 * @module glassformer/core
 */
import { GlassformerError } from '../errors.js';
import { toModule } from '../engine/given.js';
import { readLoad, start } from '../engine/start.js';
import { train } from '../engine/train.js';

export * from './api.js';
export { embed } from '../engine/embed.js';
export { loadModel, resumeTrainer } from '../files/model-file.js';
export { saveModel, saveTrainer } from '../files/save-model.js';

/**
 * Starts an engine with its own memory, which grows to 2 GB at most.
 * @param {{wasm: WasmSource | PromiseLike<WasmSource>, variant?: 'auto' | 'simd' | 'relaxed',
 *   maxOperations?: number}} options wasm: simd.wasm of the package, or its address; variant: refuses
 *   the other one; maxOperations as in the `load` of `glassformer`
 * @returns {Promise<Engine>}
 * @throws {GlassformerError} as that of `glassformer`
 * @example
 * import { readFile } from 'node:fs/promises'; // in a page: wasm: '/simd.wasm', where a copy of it lies
 * import { load } from 'glassformer/core';
 * const wasm = await readFile(new URL(import.meta.resolve('glassformer/simd.wasm')));
 * (await load({ wasm })).relu([-1, 2]).data; // → [0, 2]
 */
export async function load(options) {
  const { wasm, ...wanted } = readLoad(options ?? {});
  if (wasm === undefined) {
    const message = "glassformer/core carries no module: load({ wasm: '/simd.wasm' }), a copy of glassformer/simd.wasm";
    throw new GlassformerError('missing', 'wasm', wasm, message);
  }
  return start(await toModule(wasm), { ...wanted, train: async () => ({ train }) });
}

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/start.js').WasmSource} WasmSource */
