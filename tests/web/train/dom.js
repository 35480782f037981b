// The place Train in jsdom, its worker as a thread of Node and its storage in memory: what it says, asks for, keeps and
// writes. Focus by keys, layout, motion, axe and a browser's own storage belong to the tests in a browser.
import assert from 'node:assert/strict';
import { resolveObjectURL } from 'node:buffer';
import { after } from 'node:test';
import { Worker as Thread } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as databases from 'fake-indexeddb';
import { JSDOM, VirtualConsole } from 'jsdom';

const root = new URL('../../../', import.meta.url);
/** All that the place needs of the page, in one function of its globals: each tab has its own. */
const { outputFiles } = await build({
  stdin: {
    contents: `export { begin } from './train.js'; export { parse } from '../kit/address.js';
      export { createLink } from '../kit/link.js'; export { createPlaces } from '../kit/place.js';`,
    resolveDir: fileURLToPath(new URL('web/train', root)),
  },
  ...{ bundle: true, ignoreAnnotations: true, write: false, logLevel: 'error' },
  ...{ format: 'iife', globalName: 'train', platform: 'browser', loader: { '.css': 'text' } },
  external: ['*.wasm.js', '*.text.js'], // of the engine itself, which only the worker starts
  define: { 'import.meta.url': '"file:///"' },
});
const SOURCE = `${outputFiles[0].text}; return train;`;

/** The worker's script, which begins after a test's code. @param {string} code */
const script = (code) => `import { parentPort } from 'node:worker_threads';
  globalThis.postMessage = (message, moved) => parentPort.postMessage(message, moved);
  ${code};
  await import('${new URL('web/train/run/worker.js', root)}');
  parentPort.on('message', (data) => globalThis.onmessage({ data }));`;

const OWN = `addEventListener removeEventListener dispatchEvent document location history navigator setTimeout
  clearTimeout requestAnimationFrame cancelAnimationFrame innerHeight innerWidth devicePixelRatio getComputedStyle
  scrollTo MutationObserver ResizeObserver matchMedia CSSStyleSheet Event CustomEvent KeyboardEvent Node Element
  HTMLElement HTMLDetailsElement HTMLInputElement HTMLSelectElement HTMLButtonElement SVGElement`.split(/\s+/);
const nothing = () => {};
/** Each element is as wide. */
class Observer {
  /** @param {(entries: object[], observer: Observer) => void} callback */
  constructor(callback) {
    this.callback = callback;
  }
  observe() {
    queueMicrotask(() => this.callback([{ contentRect: { width: 600, height: 300 } }], this));
  }
  unobserve() {}
  disconnect() {}
}

/** As a reader has it: what is hidden is not there, white space is one space. @param {Element | null | undefined} of */
export function plain(of) {
  const shown = /** @type {Element | undefined} */ (of?.cloneNode(true));
  for (const each of shown?.querySelectorAll('[hidden]') ?? []) each.remove();
  return (shown?.textContent ?? '').replace(/\s+/g, ' ').trim();
}

/** @param {() => any} condition @param {() => string} [why] */
export async function until(condition, why = () => String(condition)) {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((done) => setTimeout(done, 4))) {
    const found = condition();
    if (found) return found;
  }
  return assert.fail(why());
}

/** A browser whose tabs share what it keeps. */
export function createBrowser() {
  const storage = new JSDOM('', { url: 'http://localhost/' }).window.localStorage;
  storage.setItem('glassformer-train-speed', '0'); // a run as fast as it goes, where a reader is shown it at leisure
  const database = new databases.IDBFactory();

  /**
   * Opens the place in a new tab.
   * @param {string} hash
   * @param {object} [options]
   * @param {string} [options.code] runs in the worker before its own
   * @param {object} [options.globals] in the place of the page's own
   * @param {(window: any) => unknown} [options.setUp] before the page begins
   * @param {(thread: Thread) => unknown} [options.onThread] is given the worker
   * @param {unknown} [options.state] of the history
   */
  return async function open(hash, options = {}) {
    const { code = '', globals = {}, setUp = nothing, onThread = nothing, state = null } = options;
    /** @type {unknown[]} */
    const problems = [];
    const content = `<!doctype html><header><button id="book-button">Lessons</button></header>
      <section id="train"><h2 id="train-title">Train</h2></section>`;
    const { window } = new JSDOM(content, {
      url: `http://localhost/${hash}`,
      pretendToBeVisual: true, // frames
      virtualConsole: new VirtualConsole().on('jsdomError', (error) => problems.push(error)),
    });
    const { document } = window;
    window.history.replaceState(state, '', hash);
    Object.assign(window, {
      ...{ ResizeObserver: Observer, scrollTo: nothing, devicePixelRatio: 1 },
      matchMedia: () => ({ matches: false, addEventListener: nothing }),
      CSSStyleSheet: class {
        replaceSync() {}
      },
    });
    Object.assign(window.Element.prototype, {
      ...{ scrollIntoView: nothing, setPointerCapture: nothing, checkVisibility: () => true },
    });
    Object.assign(document, { adoptedStyleSheets: [] });
    /** Files that the page has given. @type {{name: string, bytes: Promise<Buffer>}[]} */
    const files = [];
    window.HTMLAnchorElement.prototype.click = function () {
      const bytes = /** @type {any} */ (resolveObjectURL(this.href)).arrayBuffer();
      files.push({ name: this.download, bytes: bytes.then((/** @type {ArrayBuffer} */ all) => Buffer.from(all)) });
    };
    setUp(window);
    /** @type {Thread[]} */
    const threads = [];
    const scope = {
      ...Object.fromEntries(
        OWN.map((name) => {
          const value = /** @type {any} */ (window)[name];
          return [name, typeof value === 'function' && /^[a-z]/.test(name) ? value.bind(window) : value];
        }),
      ),
      ...{ window, localStorage: storage, indexedDB: database, IDBKeyRange: databases.IDBKeyRange },
      Worker: class {
        constructor() {
          const thread = new Thread(new URL(`data:text/javascript,${encodeURIComponent(script(code))}`));
          threads.push(thread);
          onThread(thread);
          return thread;
        }
      },
      ...globals,
    };
    const place = new Function(...Object.keys(scope), SOURCE)(...Object.values(scope));
    const element = /** @type {HTMLElement} */ (document.querySelector('#train'));
    const gone = { is: false };
    after(() => tab.close());

    const all = (/** @type {string} */ selector) => /** @type {any[]} */ ([...document.querySelectorAll(selector)]);
    /** @param {string} selector @param {RegExp | string} [text] */
    const find = (selector, text = '') => all(selector).find((each) => plain(each).match(text));
    /** @param {string | RegExp} name @returns {any} the button of that name */
    const button = (name) =>
      all('#train button').find((each) => {
        const own = each.getAttribute('aria-label') ?? plain(each);
        return typeof name === 'string' ? own === name : name.test(own);
      });
    const step = () => Number(document.querySelector('.train-step strong')?.textContent?.replace(',', ''));
    const isRunning = () => plain(document.querySelector('.train-play')) === 'Pause';
    const tab = {
      ...{ window, document, all, button, step },
      /** Models that were opened in Explore. @type {any[]} */
      explored: [],
      texts: (/** @type {string} */ selector) => all(selector).map(plain),
      text: (/** @type {string} */ selector) => plain(document.querySelector(selector)),
      address: () => window.location.hash,
      hash: () => document.querySelector('.train-hash code')?.textContent,
      kept: () => tab.text('.train-kept'),
      stored: (/** @type {string} */ name) => storage.getItem(name),
      notice: () => tab.text('.train-notice:not([hidden])'),
      task: () => document.querySelector('[name=train-task] :checked')?.getAttribute('value'),
      value: (/** @type {string} */ selector) => /** @type {any} */ (document.querySelector(selector)).value,
      facts: () =>
        Object.fromEntries(all('.train-facts > div').map(({ children: [name, value] }) => [plain(name), plain(value)])),
      /** Waits until a step is shown and nothing trains. @param {number} wanted */
      at: (wanted) =>
        until(
          () => step() === wanted && !isRunning(),
          () => `step ${wanted}, not ${step()}: ${tab.notice()} ${tab.text('.error')}`,
        ),
      /** Waits until something is there. @param {string} selector @param {RegExp | string} [text] */
      there: (selector, text) =>
        until(
          () => find(selector, text),
          () => `${selector} ${text ?? ''} among ${tab.texts(selector)}`,
        ),
      /** Presses a button of the place. @param {string | RegExp} name */
      async press(name) {
        (
          await until(
            () => button(name) && !button(name).disabled && button(name),
            () => `${name} among ${tab.texts('#train button')}`,
          )
        ).click();
      },
      /** Types or chooses a value, as Enter ends it. @param {string} selector @param {string} value */
      async fill(selector, value) {
        const field = await tab.there(selector);
        field.value = value;
        for (const type of ['input', 'change']) field.dispatchEvent(new window.Event(type, { bubbles: true }));
      },
      /** @param {string} selector of a checkbox or a radio @param {RegExp | string} [text] of its label */
      async check(selector, text) {
        const found = await tab.there(selector, text);
        (found.matches('input') ? found : found.querySelector('input')).click();
      },
      /** Moves the slider as a key does. @param {'Home' | 'End' | 'ArrowLeft' | 'ArrowRight'} key */
      async key(key) {
        const { value, max } = /** @type {any} */ (document.querySelector('#train-moment'));
        const to = { Home: 0, End: max, ArrowLeft: Number(value) - 1, ArrowRight: Number(value) + 1 }[key];
        await tab.fill('#train-moment', String(to));
      },
      /** Gives a file to a field. @param {string} selector @param {string} name @param {any} content */
      async give(selector, name, content) {
        const field = await tab.there(selector);
        Object.defineProperty(field, 'files', { value: [new File([content], name)], configurable: true });
        field.value = '';
        field.dispatchEvent(new window.Event('change', { bubbles: true }));
      },
      /** Waits for the next file that the page gives. @param {string} name of the button */
      async download(name) {
        const before = files.length;
        await tab.press(name);
        const file = await until(() => files[before]);
        return { name: file.name, bytes: await file.bytes };
      },
      /** Opens a fold. @param {string} name */
      async unfold(name) {
        (await tab.there(`#train-fold-${name}`)).open = true;
      },
      /** @param {boolean} hidden */
      hide(hidden) {
        Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
        document.dispatchEvent(new window.Event('visibilitychange'));
      },
      /** Leaves the page: what comes of it later is no business of a test. */
      async close() {
        if (gone.is) return;
        gone.is = true;
        window.dispatchEvent(new window.Event('pagehide'));
        window.close();
        await Promise.all(threads.map((each) => each.terminate()));
        assert.deepEqual(problems, []);
      },
      /** Opens the tab once more, at its address or by another link. @param {string} [to] */
      async reload(to) {
        const next = to ? { to, state: null } : { to: tab.address(), state: window.history.state };
        await tab.close();
        return open(next.to, { ...options, state: next.state });
      },
    };
    const placeOf = (/** @type {string} */ hash) => place.parse(hash).place;
    const link = place.createLink(placeOf);
    document.documentElement.dataset.place = 'train';
    const explore = async (/** @type {any} */ model) => void tab.explored.push(model);
    const begin = () => place.begin(element, nothing, explore, link);
    const places = place.createPlaces({ train: begin }, { show: nothing, failed: assert.fail });
    await new Promise((done) => link.begin((/** @type {string} */ hash) => done(places.go(placeOf(hash), hash))));
    return tab;
  };
}
