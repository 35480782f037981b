// The state that a page of the book or a puzzle sets: written as a link.

import { FIELDS, openingState, withValue } from '../../app/schema.js';

const byAddress = new Map(FIELDS.map((field) => [field.address, field]));

/** @param {{link: string}} page */
export const modelOf = ({ link }) =>
  /** @type {import('../../models/catalogue.js').ModelName} */ (new URLSearchParams(link).get('model'));

/**
 * How its model opens, with what its link says.
 * @param {{id: string, link: string}} page
 * @param {import('../../engine/plan.js').ModelInfo | undefined} modelInfo of its model
 * @returns {import('../index.js').State}
 */
export function stateOf(page, modelInfo) {
  let state = { ...openingState(modelOf(page), modelInfo), follow: false };
  for (const [name, value] of new URLSearchParams(page.link)) {
    if (name === 'model') continue;
    const field = byAddress.get(name);
    const read = field?.codec.read(value);
    if (!field || read === undefined) throw new Error(`${page.id}: ${name}=${value}`);
    state = withValue(state, field.path, read);
  }
  return state;
}
