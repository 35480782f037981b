// The entry `glassformer/worker` in Node: a thread of node:worker_threads, which ends with the program.
import { Worker } from 'node:worker_threads';
import { loadRemote } from './remote.js';

export { connect } from './connect.js';
export { GlassformerError } from './errors.js';
export { serve } from './serve.js';

/** What the thread's script expects of a worker, as the platform has it. */
const PLATFORM = `const { parentPort } = require('node:worker_threads');
globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
parentPort.on('message', (data) => globalThis.onmessage({ data }));
`;

/** @type {typeof import('./worker.js').load} */
export function load(options = {}) {
  return loadRemote(
    (script) => new Worker(script),
    async () => {
      const { default: script } = await import('../worker-thread.text.js');
      return new Worker(PLATFORM + script, { eval: true, execArgv: [] }); // some would make it a module
    },
    options,
  );
}
