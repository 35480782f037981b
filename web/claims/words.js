// The words of a claim as print has them.

import { html } from 'lit-html';
import { typeset } from '../draw/typeset.js';

const INDEXED = /(?<=\p{L})([_^])\{?((?<=\{)[^}]+|[A-Za-z]+)\}?/u;

/** What stands before, in and after each index: below `_`, above `^`. @typedef {{mark: string, text: string}} Part */

/** Indices of d_k, W^O and PE_{pos+k}; powers of ten. @param {string} text @returns {Part[]} */
export function partsOf(text) {
  const [first, ...rest] = typeset(text).split(INDEXED);
  const parts = [{ mark: '', text: first }];
  for (let i = 0; i < rest.length; i += 3)
    parts.push({ mark: rest[i], text: rest[i + 1] }, { mark: '', text: rest[i + 2] });
  return parts;
}

/** Without the marks of indices, for those who hear it and for titles. @param {string} text */
export const spoken = (text) =>
  partsOf(text)
    .map(({ text: part }) => part)
    .join('');

/** Two words that a dash makes one, as in key–value: no line ends between them. */
const PAIR = /(\p{L}+–\p{L}+)/u;

/** Indices below and above their letters. @param {string} text */
export const words = (text) =>
  partsOf(text).map(({ mark, text: part }) =>
    mark
      ? mark === '_'
        ? html`<sub>${part}</sub>`
        : html`<sup>${part}</sup>`
      : part.split(PAIR).map((piece, i) => (i % 2 ? html`<span class="claims-pair">${piece}</span>` : piece)),
  );
