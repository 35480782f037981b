/**
 * The same engine in its own worker: `load({ worker: true })` of `glassformer`, by its earlier name, which stays
 * until 1.0. `connect` and `serve` are for workers of your own.
 *
 * @module glassformer/worker
 */
import { loadRemote } from '../worker/remote.js';

export { connect } from '../worker/connect.js';
export { GlassformerError } from '../errors.js';
export { serve } from '../worker/serve.js';

/**
 * As `load({ worker: true })` of `glassformer`.
 * @param {Partial<RemoteOptions>} [options]
 * @returns {Promise<RemoteEngine>}
 * @throws {GlassformerError} as there
 * @example
 * import { load } from 'glassformer/worker';
 * const gf = await load();
 * (await gf.softmax([0, 0])).data; // → [0.5, 0.5]
 * gf.terminate();
 */
export function load(options = {}) {
  return loadRemote(options);
}

/** @typedef {import('../worker/remote-types.js').RemoteOptions} RemoteOptions */
/** @typedef {import('../worker/remote-types.js').RemoteEngine} RemoteEngine */
/** @typedef {import('../worker/remote-types.js').RemoteModel} RemoteModel */
/** @typedef {import('../worker/remote-types.js').RemoteTrainer} RemoteTrainer */
