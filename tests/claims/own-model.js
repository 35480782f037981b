// The own model of a claim as Explore opens it.
import assert from 'node:assert/strict';
import { claims } from '../../src/claims/index.js';
import { openOwnModel } from '../../src/claims/shared/own-model.js';

/**
 * @param {import('glassformer').Engine} gf
 * @param {number} number of the claim
 * @param {import('../../src/claims/index.js').Params} [params]
 * @param {import('../../src/claims/index.js').OnProgress} [onProgress]
 * @param {AbortSignal} [signal]
 */
export const ownModel = (gf, number, params, onProgress, signal) =>
  openOwnModel(
    gf,
    /** @type {import('../../web/claims/worker.js').WholeClaim} */ (
      claims.find(({ claim }) => claim.number === number) ?? assert.fail()
    ),
    params,
    onProgress,
    signal,
  );
