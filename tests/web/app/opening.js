// Opens the reader's own files as the page does, without a browser: the worker of tokenizers is a thread of Node, and
// where one more model needs another one closed, the first that may go is, as this document has no dialogs.
import { after } from 'node:test';
import { Worker as Thread } from 'node:worker_threads';
import { gf } from '../explore/table.js';

/** @type {any} */ (document.createElement('dialog').constructor.prototype).showModal ??= function showModal() {
  this.returnValue = this.querySelector('button').value;
  queueMicrotask(() => this.dispatchEvent(new this.ownerDocument.defaultView.Event('close'))); // once it is listened to
};

/** @type {Thread[]} */
const threads = [];
const script = `import { parentPort } from 'node:worker_threads';
  globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
  await import('${new URL('../../../web/app/own/tokenizer-worker.js', import.meta.url)}');
  parentPort.on('message', (data) => globalThis.onmessage({ data }));`;
Reflect.set(
  globalThis,
  'Worker',
  class {
    constructor() {
      threads.push(new Thread(new URL(`data:text/javascript,${encodeURIComponent(script)}`)));
      return threads.at(-1);
    }
  },
);
/** Ends the threads once the tests of a file are over; each file that opens files calls it. */
export const endsThreads = () => after(() => Promise.all(threads.splice(0).map((each) => each.terminate())));

const { createOpening } = await import('../../../web/app/own/opening.js');
const { createModelCache } = await import('../../../web/engine/model-cache.js');

/**
 * `data`: of the box, as it is drawn at last; `added`: the facts of each model that was opened.
 * @param {File[]} files
 * @returns {Promise<{data: any, added: any[], cache: ReturnType<typeof createModelCache>}>}
 */
export async function openFiles(files) {
  const cache = createModelCache();
  let data = /** @type {any} */ ({ wanted: null, keep: false, refused: '' });
  /** @type {any[]} */
  const added = [];
  const page = /** @type {any} */ ({
    chosen: () => 'creek',
    shown: () => ({ model: 'creek' }),
    scriptUrl: (/** @type {string} */ name) => name,
    refresh() {},
    forget() {},
    post: async (/** @type {any} */ { model, file, words, signal }) => {
      try {
        const info = await cache.open(/** @type {any} */ (gf), model, file, { words, signal });
        added.push(info);
        return { info };
      } catch (error) {
        return { error };
      }
    },
  });
  const draw = (/** @type {object} */ change = {}) => void (data = { ...data, ...change });
  await createOpening(page, /** @type {any} */ ({}), { data: () => data, draw }).open(files);
  return { data, added, cache };
}
