// The worker of the place Claims: texts of the claims, and experiments. Always in the variant `simd`, so that the
// same seed gives the same bits everywhere. The engine is fetched for the first experiment: the list needs none.

import { serve } from 'glassformer/worker';
import { claims, compareNumbers, course, kindOf } from '../../src/claims/index.js';
import { cellsOf, numbersOf } from '../../src/claims/shared/boundary.js';
import { withFresh } from '../kit/trap.js';
import { listed } from './order.js';
import { givenModel, related } from './related.js';

/**
 * @typedef {import('../../src/claims/index.js').Params} Params
 * @typedef {import('../../src/claims/shared/boundary.js').Cell} Cell
 * @typedef {import('../../src/claims/index.js').Claim &
 *   {place: number, contrastKind: 'control' | 'boundary', cells?: Cell[]}} ClaimData `place` in the list, from 1 on,
 *   by which a reader knows it; `cells` of its map
 * @typedef {{title: string, claims: ClaimData[]}} GroupData
 * @typedef {{number: number, params: Params}} Card
 * @typedef {Card & {signal: AbortSignal, onProgress: OnShare, cell?: Cell}} RunRequest
 * @typedef {(share: number, soFar?: SoFar) => unknown} OnShare
 * @typedef {{
 *   numbers: import('../../src/claims/index.js').Numbers, outcome: import('../../src/claims/index.js').Outcome,
 *   comparisons: import('../../src/claims/index.js').Comparison[], seconds: number,
 *   picture: import('../../src/claims/shared/picture.js').Picture,
 * }} Finding what a run found
 * @typedef {Finding & {params: Params}} SoFar the same of a run over the seeds that are finished
 *
 * @typedef {import('../../src/claims/shared/explore.js').ExploreModule} ExploreModule
 * @typedef {import('../../src/claims/index.js').ClaimModule & ExploreModule &
 *   {picture: import('../../src/claims/shared/picture.js').PictureOf}} WholeClaim with all that its file has
 */

const PROGRESS = 50; // ms between two reports

/** @type {Promise<import('glassformer').Engine> | null} */
let engine = null;

function start() {
  const started = import('glassformer').then(({ load }) => load({ variant: 'simd' }));
  started.catch(() => (engine = null)); // the next call tries again
  return started;
}

const groups = listed(course);
const order = groups.flatMap((group) => group.claims);

/** @param {number} number */
function claimOf(number) {
  const module = claims.find(({ claim }) => claim.number === number);
  if (!module) throw new RangeError(`There is no claim ${number}.`);
  return /** @type {WholeClaim} */ (module);
}

/** @param {import('../../src/claims/index.js').Claim} claim @returns {ClaimData} */
const dataOf = (claim) => ({
  ...claim,
  place: order.findIndex((one) => one.claim === claim) + 1,
  ...(claim.boundary && { cells: cellsOf({ ...claim, boundary: claim.boundary }) }),
  contrastKind: /** @type {ClaimData['contrastKind']} */ (kindOf(claim, claim.contrast)),
});

/**
 * A request that computes.
 * @template T
 * @param {(module: WholeClaim, gf: import('glassformer').Engine,
 *   onProgress: (share: number, found?: () => SoFar) => void, request: RunRequest) => Promise<T>} action
 * @returns {(request: RunRequest) => Promise<T>}
 */
const computing = (action) => (request) =>
  withFresh(
    async () => {
      const module = claimOf(request.number);
      const gf = await (engine ??= start());
      let shown = 0;
      /** @type {(() => SoFar) | undefined} what the page has not seen */
      let waiting;
      return action(module, gf, report, request);

      /** @param {number} share @param {() => SoFar} [found] */
      function report(share, found) {
        waiting = found ?? waiting;
        const now = performance.now();
        if (now - shown < PROGRESS) return;
        shown = now;
        request.onProgress(share, waiting?.());
        waiting = undefined;
      }
    },
    () => (engine = start()),
  );

const methods = {
  groups: () => groups.map(({ title, claims: all }) => ({ title, claims: all.map(({ claim }) => dataOf(claim)) })),

  async prepare() {
    await (engine ??= start());
  },

  /** @param {Card} card */
  related: ({ number, params }) => related(claimOf(number), params),

  run: computing(
    /** @returns {Promise<Finding>} */
    async (module, gf, report, { params, signal }) => {
      const began = performance.now();
      /** @param {any} numbers @param {Params} at */
      const found = (numbers, at) => ({
        numbers,
        outcome: module.outcome(numbers, at),
        comparisons: compareNumbers(module.claim, numbers, at),
        seconds: (performance.now() - began) / 1000,
        picture: module.picture(numbers, at),
      });
      /** @type {import('../../src/claims/shared/claim.js').OnProgress} */
      const onProgress = (share, soFar) => {
        if (share === 1) return; // the whole comes at once
        if (!soFar) return report(share);
        const at = { ...params, seeds: soFar.seeds };
        report(share, () => ({ ...found(soFar.numbers, at), params: at }));
      };
      return found(await module.run(gf, params, onProgress, signal), params);
    },
  ),

  /** The number of a cell of the claim's map, and of its twin. */
  cell: computing(async (module, gf, report, { params, cell, signal }) => {
    const { boundary } = module.claim;
    if (!boundary || !cell) throw new RangeError(`Claim ${module.claim.number} has no such cell.`);
    return numbersOf(boundary, cell, await module.run(gf, params, (share) => report(share), signal));
  }),

  model: computing((module, gf, report, { params, signal }) =>
    givenModel(gf, module, params, (share) => report(share), signal),
  ),
};

/** @typedef {typeof methods} Methods what the page may ask */
serve(methods);
