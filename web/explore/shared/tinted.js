// The sentence in the colours of a neuron or a feature: each token as strong as that is there.

import { addStyle } from '../../kit/feature.js';
import { acting } from '../../kit/figure.js';
import style from './tinted.css';

/** @typedef {import('../../engine/plan.js').Stack} Stack */

addStyle(style);

/** The strip of each card, to take its tint away. @type {WeakMap<HTMLElement, Stack>} */
const strips = new WeakMap();

/** @param {Stack} stack @param {ArrayLike<number>} values of each token */
function tint(stack, values) {
  const most = Array.from(values).reduce((size, value) => Math.max(size, Math.abs(value)), 0) || 1;
  const tokens = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`#tokens-${stack} .token`));
  for (const token of tokens) {
    const value = values[Number(token.dataset.row ?? NaN)] ?? 0;
    token.style.setProperty('--fires', `${Math.round((30 * Math.abs(value)) / most)}%`);
    token.dataset.fires = value > 0 ? 'above' : value < 0 ? 'below' : '';
  }
}

/** A directive of the element that says which neuron or feature it is. */
export const tinted = acting(
  (element, /** @type {{stack: Stack, values: ArrayLike<number>}} */ { stack, values }) => {
    strips.set(element, stack);
    tint(stack, values);
  },
  (element) => tint(strips.get(element) ?? 'encoder', []),
);
