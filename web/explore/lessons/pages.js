// The pages of the book, in the order of the data's way. A page is data: what it sets, what it says, what it points
// at, what the reader does.

import { attentionPages } from './pages-attention.js';
import { modelPages } from './pages-model.js';

/**
 * `link`: the state that it sets, as an address has it. `target`: the part of the page that it speaks of, `opens`: a
 * fold that must be open for it; `figure`: what the projector shows below it. `required`: tensors and derived values
 * that its numbers need. `text`: sentences, in which {name} is a number of `numbers` by two decimals, {name%} a share,
 * {name#} a whole number, and a word where it is one; `holds`: whether they speak of the state that is shown, which
 * the task may change. `task`: what the reader does, and where; `done`: whether it is; `seen`: what the reader saw
 * then. `elsewhere`: in another model.
 * @typedef {{
 *   id: string, title: string, link: string, target: string, opens?: string, figure?: string, elsewhere?: boolean,
 *   required?: (query: import('../index.js').Query) => string[],
 *   text: string[], numbers: Numbers, holds?: (facts: import('./facts.js').Facts) => boolean,
 *   task: {text: string, control: string}, done: (facts: import('./facts.js').Facts) => boolean,
 *   seen: {text: string, numbers: Numbers},
 *   doubt: {sentence: string, verdict: string, why: string} | null,
 * }} Page
 * @typedef {Record<string, (facts: import('./facts.js').Facts) => number | string>} Numbers
 */

/** @type {Page[]} */
export const pages = [...attentionPages, ...modelPages];
