/**
 * The same engine in a worker of its own: every method returns a promise, and what takes long does not block the page.
 *
 * @module glassformer/worker
 */
import { loadRemote } from './worker/remote.js';

export { connect } from './worker/connect.js';
export { GlassformerError } from './errors.js';
export { serve } from './worker/serve.js';

/**
 * Starts a worker with an engine in it. Calls are made one after the other, in the order in which they were asked for.
 *
 * A call takes a `signal` beside its options. Aborted before it has begun, it never begins. `generate` ends at the next
 * token, `train` after the step under way. What else is under way runs to its end in the worker: its promise rejects at
 * once, but `step` and what else changes weights fulfils, as that is done. `terminate` ends even that, with the models.
 *
 * A worker that ends by itself (an exception, too little memory, from outside) takes its models along: calls that wait,
 * and later ones, reject with the code `freed`. `load` starts another one.
 * @param {RemoteOptions} [options]
 * @returns {Promise<RemoteEngine>}
 * @throws {GlassformerError} as that of `glassformer`; unsupported where no worker can be started
 * @example
 * import { load } from 'glassformer/worker';
 * const gf = await load();
 * (await gf.softmax({ x: [0, 0] })).data; // → [0.5, 0.5]
 * gf.terminate();
 */
export async function load(options = {}) {
  let address = '';
  const open = (/** @type {string} */ script) => new globalThis.Worker(script, { type: 'module' });
  try {
    return await loadRemote(
      open,
      async () => {
        const { default: script } = await import('../worker-thread.text.js');
        address ||= URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
        return open(address);
      },
      options,
    );
  } finally {
    if (address) URL.revokeObjectURL(address);
  }
}

/** @typedef {import('./worker/remote-types.js').RemoteOptions} RemoteOptions */
/** @typedef {import('./worker/remote-types.js').RemoteEngine} RemoteEngine */
/** @typedef {import('./worker/remote-types.js').RemoteModel} RemoteModel */
/** @typedef {import('./worker/remote-types.js').RemoteTrainer} RemoteTrainer */
