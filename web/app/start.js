// Starts the worker, before the page's own script: that is larger, and keeps the main thread busy when it has come.
// Under Trusted Types the page may start no other scripts than those named here.

/** @typedef {{createScriptURL: (url: string) => string}} Policy */

const SCRIPTS = ['worker.js', 'trainer.js', 'claims.js', 'tokenizer.js', 'service-worker.js'];

/** @param {string} url */
function own(url) {
  if (!SCRIPTS.some((name) => new URL(name, document.baseURI).href === url))
    throw new TypeError(`${url} is no script of this page`);
  return url;
}

/** @type {{createPolicy: (name: string, rules: Policy) => Policy} | undefined} not in every browser */
const types = /** @type {any} */ (globalThis).trustedTypes;
const policy = types?.createPolicy('glassformer', { createScriptURL: own }) ?? { createScriptURL: own };

/** The address of a script beside the page, as a browser with Trusted Types demands it. @param {string} name */
export const scriptUrl = (name) => policy.createScriptURL(new URL(name, document.baseURI).href);

// As the address has it (schema.js), before anything is shown that the other layout would move.
if (/[?&]layout=page\b/.test(location.hash)) document.documentElement.dataset.layout = 'page';
if (/[?&]embed=1\b/.test(location.hash)) document.documentElement.dataset.embed = '';
try {
  // As explore/shared/opening.js has it: its line in the bar is higher than the menus.
  if (!location.hash && !localStorage['glassformer-opened']) document.documentElement.dataset.opening = 'flip';
} catch {
  // a frame that keeps nothing
}

/** Null where the page may have none: in a frame without an origin. @type {Worker | null} */
export let worker = null;
/** Whether it has failed already. */
export let isLost = false;

try {
  worker = new Worker(scriptUrl('worker.js'), { type: 'module' });
  worker.addEventListener('error', () => (isLost = true), { once: true });
} catch {
  isLost = true;
}
