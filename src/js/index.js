/**
 * Glassformer: a Transformer you can see through. "Attention Is All You Need" in C, run as
 * WebAssembly SIMD; every number on the way can be read.
 *
 * @module glassformer
 */
import { loadBuiltIn } from './load.js';

export * from './api.js';

/**
 * Starts an engine with a memory of its own, which grows to 2 GB at most.
 * @param {{variant?: 'auto' | 'simd' | 'relaxed', wasm?: WasmSource | PromiseLike<WasmSource>,
 *   maxOperations?: number}} [options]
 *   variant: `auto` (default) takes relaxed SIMD where the WebAssembly engine has it with a fused
 *   multiply-add; only `simd` gives the same bits everywhere. wasm: this module instead of the built-in one,
 *   which is then not fetched; the package exports both as files. maxOperations: multiply-adds that a call may
 *   take, of matrix products, default 1e12, some 50 s: what costs more is refused before it begins, with its cost
 * @returns {Promise<Engine>}
 * @throws {GlassformerError} unsupported where WebAssembly, its SIMD or the variant is missing or forbidden,
 *   format for a module that is none of ours or an address without one, range for one of the other variant,
 *   type, unknown
 * @example
 * import { load } from 'glassformer';
 * const gf = await load({ variant: 'simd' });
 * gf.relu({ x: [-1, 2] }).data; // → [0, 2]
 */
export function load(options = {}) {
  return loadBuiltIn(options);
}

/** @typedef {import('./engine/engine.js').Engine} Engine */
/** @typedef {import('./engine/start.js').WasmSource} WasmSource */
