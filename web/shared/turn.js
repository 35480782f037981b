// Lets events, messages and frames have their turn. A timer would wait longer.

const { port1, port2 } = new MessageChannel();
/** @type {((value?: unknown) => void)[]} */
const waiting = [];
port1.onmessage = () => waiting.shift()?.();

/** @returns {Promise<unknown>} */
export const turnOfOthers = () =>
  new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });
