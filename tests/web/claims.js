// Claims in a browser: each is run in a worker on a bare page, and its numbers are compared to the bit.
import { until } from './engines.js';

/**
 * @typedef {import('glassformer/claims').ClaimModule} ClaimModule
 * @typedef {import('glassformer/claims').Params} Params
 */

/** Runs in the worker too: JSON knows neither −0 nor what is not finite. @param {any} numbers @returns {any} */
function exactly(numbers) {
  return JSON.parse(
    JSON.stringify(numbers, (_, value) =>
      typeof value === 'number' ? (Object.is(value, -0) ? '-0' : String(value)) : value,
    ),
  );
}

const WORKER = `
import { load } from './package/js/index.js';
import { claims } from './package/claims/index.js';
${exactly}
const engine = load({ variant: 'simd' });
onmessage = async ({ data: { number, params } }) => {
  try {
    const { run, outcome } = claims.find(({ claim }) => claim.number === number);
    const numbers = await run(await engine, params);
    postMessage({ numbers: exactly(numbers), ...outcome(numbers, params) });
  } catch (error) {
    postMessage({ error: String(error) });
  }
};`;
const PAGE = `
const policy = self.trustedTypes?.createPolicy('glassformer', { createScriptURL: (url) => url });
const url = 'claims-worker.js';
const worker = new Worker(policy ? policy.createScriptURL(url) : url, { type: 'module' });
self.ask = (number, params) => {
  delete self.answer;
  worker.onerror = ({ message }) => (self.answer = { error: message || 'the worker does not start' });
  worker.onmessage = ({ data }) => (self.answer = data);
  worker.postMessage({ number, params });
};`;

/** Files for `serveWatched`. */
export const FILES = {
  'claims-worker.js': WORKER,
  'claims-page.js': PAGE,
  'claims.html':
    '<!doctype html><script src="watch.js"></script><script src="claims-page.js"></script>' +
    '<link rel="icon" href="data:,"><title>Claims</title>',
};

/**
 * Numbers, word and sentence of a claim, here in Node.
 * @param {import('glassformer').Engine} gf variant simd
 * @param {ClaimModule} claim
 * @param {Params} params
 */
export async function inNode(gf, { run, outcome }, params) {
  const numbers = await run(gf, params);
  return { numbers: exactly(numbers), ...outcome(numbers, params) };
}

/**
 * The same in the page `claims.html`.
 * @param {import('./engines.js').EnginePage} page
 * @param {ClaimModule} claim
 * @param {Params} params
 */
export async function inPage(page, { claim: { number } }, params) {
  await page.evaluate(([number, params]) => Reflect.get(self, 'ask')(number, params), [number, params]);
  const answer = await until(page, () => Reflect.get(self, 'answer'), null, 120_000);
  if (answer.error) throw new Error(answer.error);
  return answer;
}
