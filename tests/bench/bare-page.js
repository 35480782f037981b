// A page of a fresh Chromium process that nobody listens to: Playwright's own pages, and DevTools, keep up to 20 MB of
// the fetched data in that page's process.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { launch, serve } from './browser.js';
import { renderersOf } from './renderer.js';

/**
 * @param {string} [folder] what its server has at `/given/`
 * @returns {Promise<BarePage>}
 * @typedef {object} BarePage
 * @property {number[]} processes that may be the one that runs it
 * @property {(module: string, options: unknown) => Promise<any>} call calls the default export of a module, its path
 *   from the top of the checkout; options and result go as JSON
 * @property {(files: string[]) => Promise<void>} choose puts files into the page's input
 * @property {() => Promise<number>} heap bytes that V8 counts: objects, and what buffers and memories hold
 * @property {() => Promise<void>} close
 */
export async function openBarePage(folder) {
  const server = await serve(() => [], folder);
  const browser = await launch();
  const close = async () => {
    await browser.close();
    server.close();
  };
  try {
    const session = await browser.newBrowserCDPSession();
    const { browserContextId } = await session.send('Target.createBrowserContext');
    const { targetId } = await session.send('Target.createTarget', { url: server.url, browserContextId });
    const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
    const answers = new Map();
    session.on('Target.receivedMessageFromTarget', ({ message }) => {
      const { id, error, result } = JSON.parse(message);
      if (error) answers.get(id)?.reject(new Error(error.message));
      else answers.get(id)?.resolve(result);
    });
    let last = 0;
    const send = (/** @type {string} */ method, /** @type {object} */ params = {}) =>
      new Promise((resolve, reject) => {
        const id = ++last;
        answers.set(id, { resolve, reject });
        const message = JSON.stringify({ id, method, params });
        session.send('Target.sendMessageToTarget', { sessionId, message }).catch(reject);
      });
    const evaluate = async (/** @type {string} */ expression) => {
      const { result, exceptionDetails } = /** @type {any} */ (
        await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true })
      );
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    const isLoaded = `document.readyState === 'complete' && location.href === '${server.url}'`;
    // Between two documents there is no context in which to ask.
    const ask = () => evaluate(isLoaded).catch((error) => assert.match(error.message, /execution context/));
    while (!(await ask())) await setTimeout(20);
    return {
      processes: await renderersOf(session),
      call: (module, options) => evaluate(`import('/${module}').then((m) => m.default(${JSON.stringify(options)}))`),
      async choose(files) {
        const { result } = /** @type {any} */ (
          await send('Runtime.evaluate', { expression: "document.querySelector('input')" })
        );
        await send('DOM.setFileInputFiles', { files, objectId: result.objectId });
      },
      async heap() {
        const usage = /** @type {any} */ (await send('Runtime.getHeapUsage'));
        return usage.usedSize + usage.embedderHeapUsedSize + usage.backingStorageSize;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
