/**
 * Glassformer: a Transformer you can see through. "Attention Is All You Need" in C, run as
 * WebAssembly SIMD; every number on the way can be read.
 *
 * @module glassformer
 */
import { loadBuiltIn } from './load.js';

export * from './api.js';

/**
 * Starts an engine in its own worker. Its methods return promises, and long calls do not block the page:
 * calls are made one after the other, in the order in which they were asked for.
 *
 * A call takes a `signal` among its options. Aborted before it has begun, it never begins. `generate` ends at the next
 * token, `train` after the step under way. Any other call under way runs to its end in the worker: its promise rejects
 * at once. But `step`, like every call that changes weights, fulfils, as its work is done. `terminate` ends even these
 * calls, with the models.
 *
 * A worker that ends by itself (an exception, too little memory, from outside) takes its models along: calls that wait,
 * and later ones, reject with the code `freed`. `load` starts another one.
 * @overload
 * @param {RemoteOptions} options
 * @returns {Promise<RemoteEngine>}
 * @throws {GlassformerError} as without a worker; unsupported where none can be started; type for an argument that
 *   cannot go to a worker
 * @example
 * import { load } from 'glassformer';
 * const far = await load({ worker: true, threads: 2 });
 * (await far.softmax([0, 0])).data; // → [0.5, 0.5]
 * far.terminate();
 */
/**
 * Starts an engine with its own memory, which grows to 2 GB at most.
 * @overload
 * @param {LoadOptions & {worker?: false, threads?: 1}} [options]
 * @returns {Promise<Engine>}
 * @throws {GlassformerError} unsupported where WebAssembly, its SIMD or the variant is missing or forbidden,
 *   format for a module that is none of ours or an address without one, range for one of the other variant,
 *   type, unknown
 * @example
 * import { load } from 'glassformer';
 * const gf = await load({ variant: 'simd' });
 * gf.relu([-1, 2]).data; // → [0, 2]
 */
/**
 * @param {any} [options]
 * @returns {Promise<any>}
 */
export function load(options = {}) {
  return loadBuiltIn(options);
}

/**
 * Options of `load`.
 * @typedef {object} LoadOptions
 * @property {'auto' | 'simd' | 'relaxed'} [variant] `auto` (default) takes relaxed SIMD where the WebAssembly engine
 *   has it with a fused multiply-add; only `simd` gives the same bits everywhere
 * @property {WasmSource | PromiseLike<WasmSource>} [wasm] this module instead of the built-in one, which is then not
 *   fetched; the package exports both as files
 * @property {number} [maxOperations] multiply-adds that a call may take, of matrix products, default 1e12, some 50 s:
 *   a call that costs more is refused before it begins, with its cost
 */

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/start.js').WasmSource} WasmSource */
/** @typedef {import('../worker/remote-types.js').RemoteOptions} RemoteOptions */
/** @typedef {import('../worker/remote-types.js').RemoteEngine} RemoteEngine */
/** @typedef {import('../worker/remote-types.js').RemoteModel} RemoteModel */
/** @typedef {import('../worker/remote-types.js').RemoteTrainer} RemoteTrainer */
