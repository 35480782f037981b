// Workers of node:worker_threads with the package's script that can be ended in every way in which one ends.
import { Worker } from 'node:worker_threads';

/** The environment that the script expects in a worker; `die` ends it. */
const BEFORE = `const { parentPort } = require('node:worker_threads');
globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
const fill = () => { for (const all = []; ; ) all.push(new Array(1e5).fill(all)); };
parentPort.on('message', (data) => {
  if (data.die === 'exit') process.exit(3);
  else if (data.die === 'throw') throw data.thrown;
  else if (data.die === 'memory') fill();
  else globalThis.onmessage({ data });
});
`;
const { default: script } = await import('glassformer/worker-thread');

/** A worker to bring, whose heap has a limit. */
export const mortal = () =>
  new Worker(BEFORE + script, { eval: true, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 64 } });

/**
 * Ways to end one, and what the error says of it.
 * @type {Record<string, [end: (worker: Worker) => unknown, message: RegExp]>}
 */
export const WAYS = {
  'from outside': [(worker) => worker.terminate(), /has ended.*code 1/],
  exit: [(worker) => worker.postMessage({ die: 'exit' }), /has ended.*code 3/],
  'an exception': [(worker) => worker.postMessage({ die: 'throw', thrown: new Error('mine') }), /has ended.*mine/],
  'what is no error': [(worker) => worker.postMessage({ die: 'throw', thrown: null }), /has ended.*null/],
  'out of memory': [(worker) => worker.postMessage({ die: 'memory' }), /has ended.*memory/],
  'an answer that cannot be read': [
    (worker) => {
      worker.removeAllListeners('message'); // that of the answer
      setImmediate(() => worker.emit('messageerror', new Error('lost')));
    },
    /has ended.*lost/,
  ],
};
