// The state that a page of the book or a puzzle sets: written as a link.

import { modelOf as modelOfLink, openingState, readLink } from '../../app/schema.js';

/** @param {{link: string}} page */
export const modelOf = ({ link }) =>
  /** @type {import('../../models/catalogue.js').ModelName} */ (modelOfLink(`#${link}`));

/**
 * How its model opens, with what its link says.
 * @param {{id: string, link: string}} page
 * @param {import('../../engine/plan.js').ModelInfo | undefined} modelInfo of its model
 * @returns {import('../index.js').State}
 */
export function stateOf(page, modelInfo) {
  const opening = { ...openingState(modelOf(page), modelInfo), follow: false };
  const { state, refused } = readLink(`#${page.link}`, opening, modelInfo);
  if (refused.length) throw new Error(`${page.id}: ${refused.join()}`);
  return state;
}
