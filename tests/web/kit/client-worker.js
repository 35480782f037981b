// The worker of client.test.js.
import { parentPort } from 'node:worker_threads';
import { serve } from 'glassformer/worker';

const scope = /** @type {any} */ (globalThis); // as a browser's worker has it
scope.postMessage = (/** @type {any} */ message) => parentPort?.postMessage(message);
parentPort?.on('message', (data) => scope.onmessage({ data }));

let count = 0;

const methods = {
  /** @param {number} by */
  add: (by) => (count += by),
  /** @param {{signal: AbortSignal, onProgress: (share: number) => void}} request */
  async wait({ signal, onProgress }) {
    onProgress(0.5);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    return 'given up';
  },
  /** @param {MessagePort} port */
  greet: (port) => port.postMessage('hello'),
  refuse() {
    throw new RangeError('no such card');
  },
  quit: () => process.exit(3),
};

/** @typedef {typeof methods} Methods */
serve(methods);
