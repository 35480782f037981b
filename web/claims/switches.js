// The switches of a card in words.

import { changedParams, isSame, seedsIn } from './schema.js';

/**
 * @typedef {import('./schema.js').Params} Params
 * @typedef {import('../../src/claims/index.js').Claim} ClaimData
 */

/**
 * What differs from the defaults, for a sentence.
 * @param {ClaimData} claim @param {Params} params
 */
export const switchesText = (claim, params) =>
  Object.entries(changedParams(claim, params))
    .map(([name, value]) => `${claim.inputs.find((input) => input.name === name)?.label ?? name}: ${value}`)
    .join(', ');

/** Whether the switches are those of the card's control or boundary. @param {ClaimData} claim @param {Params} params */
export const isContrast = (claim, params) => isSame(claim, params, { ...claim.contrast, ...seedsIn(params) });
