// Lets events, messages and frames have their turn. A timer would wait longer.

/** Its ports are closed at once: an open one would keep a process of Node alive. @returns {Promise<void>} */
export const turnOfOthers = () =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

const HIDDEN = 100; // ms; a hidden page has no frames

/** Until the next frame has painted what is drawn by now. */
export async function frameShown() {
  await new Promise((resolve) => {
    requestAnimationFrame(resolve);
    setTimeout(resolve, HIDDEN);
  });
  await turnOfOthers();
}
