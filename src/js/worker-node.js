// The entry `glassformer/worker` in Node: a thread of node:worker_threads, which ends with the program.
import { Worker } from 'node:worker_threads';
import { startThread } from './worker/platform.js';
import { loadRemote } from './worker/remote.js';

export { connect } from './worker/connect.js';
export { GlassformerError } from './errors.js';
export { serve } from './worker/serve.js';

/** @type {typeof import('./worker.js').load} */
export function load(options = {}) {
  return loadRemote(
    (script) => new Worker(script),
    async () => {
      const { default: script } = await import('../worker-thread.text.js');
      return startThread(Worker, script);
    },
    options,
  );
}
