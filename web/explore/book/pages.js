// The pages of the book, in the order of the data's way. A page is data: what it sets, what it says, what it points
// at, what the reader does.

import { FIELDS, openingState, withValue } from '../../app/schema.js';
import { attentionPages } from './pages-attention.js';
import { modelPages } from './pages-model.js';

/**
 * `link`: the state that it sets, as an address has it. `target`: the part of the page that it speaks of, `opens`: a
 * fold that must be open for it. `required`: tensors and derived values that its numbers need. `text`: sentences, in
 * which {name} is a number of `numbers` by two decimals, {name%} a share, {name#} a whole number, and a word where it
 * is one. `task`: what the reader does, and where; `done`: whether it is. `elsewhere`: in another model.
 * @typedef {{
 *   id: string, title: string, link: string, target: string, opens?: string, elsewhere?: boolean,
 *   required?: (query: import('../index.js').Query) => string[],
 *   text: string[], numbers: Record<string, (look: import('./look.js').Look) => number | string>,
 *   task: {text: string, control: string}, done: (look: import('./look.js').Look) => boolean,
 *   doubt: {sentence: string, verdict: string, why: string} | null,
 * }} Page
 */

/** @type {Page[]} */
export const pages = [...attentionPages, ...modelPages];

/** @param {Page} page */
export const modelOf = ({ link }) =>
  /** @type {import('../../models/catalogue.js').ModelName} */ (new URLSearchParams(link).get('model'));

const byAddress = new Map(FIELDS.map((field) => [field.address, field]));

/**
 * The state that a page sets: how its model opens, with what its link says.
 * @param {Page} page
 * @param {import('../../engine/plan.js').ModelInfo | undefined} modelInfo of its model
 * @returns {import('../index.js').State}
 */
export function stateOf(page, modelInfo) {
  let state = { ...openingState(modelOf(page), modelInfo), follow: false };
  for (const [name, value] of new URLSearchParams(page.link)) {
    if (name === 'model') continue;
    const field = byAddress.get(name);
    const read = field?.codec.read(value);
    if (!field || read === undefined) throw new Error(`page ${page.id}: ${name}=${value}`);
    state = withValue(state, field.path, read);
  }
  return state;
}
