// The switches of a card in words, and the one that changes its verdict.

import { changedParams, isSame } from './address.js';

/**
 * @typedef {import('./address.js').Params} Params
 * @typedef {import('./worker.js').ClaimData} ClaimData
 */

/**
 * What differs from the defaults, for a sentence.
 * @param {ClaimData} claim @param {Params} params
 */
export const switchesText = (claim, params) =>
  Object.entries(changedParams(claim, params))
    .map(([name, value]) => `${claim.inputs.find((input) => input.name === name)?.label ?? name}: ${value}`)
    .join(', ');

/** Whether the switches are those that change the verdict. @param {ClaimData} claim @param {Params} params */
export const isFlipped = (claim, { seed: _seed, seeds: _seeds, ...own }) =>
  isSame(claim, own, claim.flip?.params ?? {});

/** What the button does that sets them. @param {Params} flip */
export const flipLabel = (flip) => (Object.keys(flip).length > 1 ? 'Set these switches' : 'Set this switch');
