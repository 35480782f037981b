// The place Claims in jsdom, with the experiments of its worker in this thread: what it says, asks for and writes.
// Focus, layout, print and the worker itself belong to the tests in a browser.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { JSDOM, VirtualConsole } from 'jsdom';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { window } = new JSDOM('<!doctype html><body><div id="claims"></div></body>', {
  url: 'http://localhost/#/claims',
  pretendToBeVisual: true, // frames
  virtualConsole: new VirtualConsole().on('jsdomError', (error) => console.error(error)),
});
// Globals that the page needs and jsdom lacks.
Object.assign(window, {
  scrollTo() {},
  CSSStyleSheet: class {
    replaceSync() {}
  },
  matchMedia: () => ({ matches: false, addEventListener() {}, removeEventListener() {} }),
  ResizeObserver: class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
});
Object.assign(window.document, { adoptedStyleSheets: [] });
for (const name of [
  ...[
    'window',
    'document',
    'location',
    'history',
    'dispatchEvent',
    'localStorage',
    'sessionStorage',
    'addEventListener',
    'Element',
  ],
  ...['removeEventListener', 'HTMLElement', 'CSSStyleSheet', 'customElements', 'getComputedStyle', 'scrollTo'],
  ...[
    'requestAnimationFrame',
    'cancelAnimationFrame',
    'ResizeObserver',
    'matchMedia',
    'Node',
    'navigator',
    'Event',
    'CustomEvent',
    'KeyboardEvent',
    'MutationObserver',
    'SVGElement',
  ],
])
  Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });
globalThis.devicePixelRatio ??= 1;

const KEPT = new URL('../../claims/kept.js', import.meta.url).href;

/** The page's sources, whose style sheets Node does not import. */
const folder = mkdtempSync(join(root, 'dist/claims-dom-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
await build({
  stdin: {
    contents: `export * from './claims.js'; export { createLink } from '../kit/link.js'; import './worker.js';`,
    resolveDir: join(root, 'web/claims'),
  },
  bundle: true,
  ignoreAnnotations: true,
  splitting: true,
  format: 'esm',
  platform: 'browser',
  outdir: folder,
  logLevel: 'error',
  loader: { '.css': 'text' },
  external: ['glassformer', 'glassformer/tasks'],
  plugins: [
    {
      name: 'worker',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /\/src\/claims\/index\.js$/ }, () => ({ path: KEPT, external: true }));
        onResolve({ filter: /^glassformer\/worker$/ }, () => ({ path: 'worker', namespace: 'stub' }));
        onLoad({ filter: /./, namespace: 'stub' }, () => ({
          contents:
            'export const serve = (methods) => (globalThis.claimsWorker = methods); export const connect = null;',
        }));
      },
    },
  ],
});
const place = await import(pathToFileURL(join(folder, 'stdin.js')).href);
/** @type {any} */
const worker = /** @type {any} */ (globalThis).claimsWorker;
const client = Object.fromEntries(
  Object.entries(worker).map(([name, method]) => [name, async (/** @type {any[]} */ ...given) => method(...given)]),
);

/** As a reader has it: white space is one space. @param {string | null | undefined} text */
const plain = (text) => (text ?? '').replace(/\s+/g, ' ').trim();

let endLast = () => {}; // follows the address no more

/** Listeners that the previous place added to the window. @type {Parameters<typeof addEventListener>[]} */
let listened = [];
const listen = window.addEventListener.bind(window);
Object.defineProperty(globalThis, 'addEventListener', {
  value: (/** @type {Parameters<typeof addEventListener>} */ ...how) => (
    listened.push(how),
    listen(.../** @type {any} */ (how))
  ),
});

/**
 * Opens the place, as a reload does: what the browser keeps stays.
 * @param {string} hash
 */
export async function openClaims(hash) {
  const element = /** @type {HTMLElement} */ (document.querySelector('#claims'));
  // A run left by one test would write its verdict into the next one's list.
  /** @type {HTMLElement | null} */ (element.querySelector('.claims-running button'))?.click();
  element.replaceChildren();
  for (const how of listened) window.removeEventListener(.../** @type {any} */ (how));
  listened = [];
  history.replaceState(null, '', hash);
  const page = place.createLink(() => 'claims');
  const link = place.compose(element, client, async () => {}, page, 0.5);
  await link.open();
  endLast();
  endLast = page.begin(link.follow);

  /** @param {string} selector */
  const all = (selector) => /** @type {HTMLElement[]} */ ([...element.querySelectorAll(selector)]);
  /** @param {string} selector @param {RegExp | string} [text] */
  const find = (selector, text = '') => all(selector).find((each) => plain(each.textContent).match(text));
  const shown = {
    all,
    texts: (/** @type {string} */ selector) => all(selector).map((each) => plain(each.textContent)),
    text: (/** @type {string} */ selector) => plain(element.querySelector(selector)?.textContent),
    /** Waits until something is there. @param {string} selector @param {RegExp | string} [text] */
    async there(selector, text) {
      for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((done) => setTimeout(done, 5))) {
        const found = find(selector, text);
        if (found) return found;
      }
      return assert.fail(`${selector} ${text ?? ''} in ${plain(element.textContent).slice(0, 1000)}`);
    },
    /** @param {string} selector @param {RegExp | string} [text] */
    async click(selector, text) {
      (await shown.there(selector, text)).click();
    },
    /** @param {string} to */
    async go(to) {
      const before = location.href;
      const isFollowed = new Promise((done) => window.addEventListener('hashchange', done, { once: true }));
      location.hash = to;
      if (location.href !== before) await isFollowed;
    },
    /** @param {string} selector @param {string} value */
    async fill(selector, value) {
      const field = /** @type {HTMLInputElement} */ (await shown.there(selector));
      field.value = value;
      field.dispatchEvent(new window.Event('input', { bubbles: true }));
      field.dispatchEvent(new window.Event('change', { bubbles: true }));
    },
    /** @param {string} key that is pressed where the focus is */
    press(key) {
      const event = new window.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      document.activeElement?.dispatchEvent(event);
    },
    /** @param {number} choice */
    async predict(choice) {
      await shown.click(`.claims-choice[value="${choice}"]`);
      await shown.tested();
    },
    tested: () => shown.there('.claims-found[aria-busy=false] .claims-fresh .claims-verdict'),
    verdict: () => element.querySelector('.claims-verdict .claims-word')?.getAttribute('data-verdict') ?? null,
    rows: () =>
      all('.claims-numbers tbody tr').map((row) =>
        [...row.children].map((cell) => plain((cell.querySelector('strong') ?? cell).textContent)),
      ),
  };
  return shown;
}
