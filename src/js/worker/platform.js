/** What the thread's script expects of a worker, as the platform has it. Checkers take a bare require for CommonJS. */
const PLATFORM = `const { parentPort } = module.require('node:worker_threads');
globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
parentPort.on('message', (data) => globalThis.onmessage({ data }));
`;

/**
 * The thread's script in a worker of node:worker_threads.
 * @param {typeof import('node:worker_threads').Worker} Worker
 * @param {string} script
 */
export function startThread(Worker, script) {
  return new Worker(PLATFORM + script, { eval: true, execArgv: [] }); // some would make it a module
}
