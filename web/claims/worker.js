// The worker of the place Claims: what the claims say, and their experiments. Always in the variant `simd`, so that the
// same seed gives the same bits everywhere. The engine is fetched for the first experiment: the course needs none.

import { serve } from 'glassformer/worker';
import { claims, compareNumbers, course } from '../../src/claims/index.js';
import { withFresh } from '../shared/trap.js';

/**
 * @typedef {import('../../src/claims/index.js').Params} Params
 * @typedef {import('../../src/claims/index.js').Claim & {long: boolean}} ClaimData `long`: takes some seconds, so
 * that it waits to be asked for
 * @typedef {{title: string, claims: ClaimData[]}} GroupData
 * @typedef {{
 *   number: number, params: Params, signal: AbortSignal, onProgress: (share: number) => unknown,
 * }} RunRequest
 * @typedef {{
 *   numbers: import('../../src/claims/index.js').Numbers, verdict: import('../../src/claims/index.js').Verdict,
 *   comparisons: import('../../src/claims/index.js').Comparison[], seconds: number,
 * }} Finding what a run found
 */

/** Those whose run takes more than some .3 s. */
const LONG = [1, 2, 6, 13, 14, 16, 17, 18, 19];
const PROGRESS = 50; // ms between two reports

/** @type {Promise<import('glassformer').Engine> | null} */
let engine = null;

function start() {
  const started = import('glassformer').then(({ load }) => load({ variant: 'simd' }));
  started.catch(() => (engine = null)); // the next call tries again
  return started;
}

/**
 * A request about a claim.
 * @template T
 * @param {(module: import('../../src/claims/index.js').ClaimModule, gf: import('glassformer').Engine,
 *   onProgress: (share: number) => void, request: RunRequest) => Promise<T>} action
 * @returns {(request: RunRequest) => Promise<T>}
 */
const ofClaim = (action) => (request) =>
  withFresh(
    async () => {
      const module = claims.find(({ claim }) => claim.number === request.number);
      if (!module) throw new RangeError(`There is no claim ${request.number}.`);
      const gf = await (engine ??= start());
      let shown = 0;
      const report = (/** @type {number} */ share) => {
        const now = performance.now();
        if (now - shown < PROGRESS) return;
        shown = now;
        request.onProgress(share);
      };
      return action(module, gf, report, request);
    },
    () => (engine = start()),
  );

serve({
  /** @returns {GroupData[]} */
  course: () =>
    course.map(({ title, claims: all }) => ({
      title,
      claims: all.map(({ claim }) => ({ ...claim, long: LONG.includes(claim.number) })),
    })),

  async prepare() {
    await (engine ??= start());
  },

  run: ofClaim(
    /** @returns {Promise<Finding>} */
    async (module, gf, report, { params, signal }) => {
      const began = performance.now();
      const numbers = await module.run(gf, params, report, signal);
      const seconds = (performance.now() - began) / 1000;
      return {
        numbers,
        verdict: module.verdict(numbers, params),
        comparisons: compareNumbers(module.claim, numbers, params),
        seconds,
      };
    },
  ),

  model: ofClaim(async ({ claim }, gf, report, { params, signal }) =>
    (await import('./model/file.js')).modelFile(gf, claim.number, params, report, signal),
  ),
});
