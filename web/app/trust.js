// The only scripts that this page may start besides its own tags: under Trusted Types no other
// address gets past the policy.

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
