/** Gives the thread's script the worker interface that it expects. Checkers take a bare require for CommonJS. */
const PLATFORM = `const { parentPort } = module.require('node:worker_threads');
globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
parentPort.on('message', (data) => globalThis.onmessage({ data }));
`;

/** The address of the embedded script, for every worker that starts from it. */
let address = '';

/**
 * Starts a worker with the embedded script: the platform's own, or a thread of node:worker_threads.
 * @param {any} [source] of the caller's: the script's address, a worker, or a function that gives one
 * @returns {Promise<import('./connect.js').WorkerLike>}
 */
export async function spawn(source) {
  const { Worker: Platform, Blob, process } = /** @type {any} */ (globalThis);
  const given = typeof source === 'function' ? source() : source;
  if (Object(given).postMessage) return given;
  // A call, so that no bundler looks for it; Node has it from 20.16 on. onnxruntime-web makes it a global of Node.
  const { Worker: Threads } = process?.getBuiltinModule?.('node:worker_threads') ?? {};
  const Thread = !Platform || Platform === Threads ? Threads : undefined;
  const open = (/** @type {unknown} */ script) =>
    Thread ? new Thread(script) : new Platform(script, { type: 'module' });
  if (given && given !== true) return open(given);
  const { default: script } = await import('../worker-thread.text.js');
  if (Thread) return new Thread(PLATFORM + script, { eval: true, execArgv: [] }); // some would make it a module
  address ||= URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  return open(address);
}
