// The words of a claim as print has them.

import { html } from 'lit-html';
import { typeset } from './numbers.js';

const INDEXED = /(?<=\p{L})([_^])\{?((?<=\{)[^}]+|[A-Za-z]+)\}?/u;

/** Indices below and above their letters, d_k, W^O and PE_{pos+k}; powers of ten. @param {string} text */
export function words(text) {
  const [first, ...rest] = typeset(text).split(INDEXED);
  /** @type {unknown[]} */
  const parts = [first];
  for (let i = 0; i < rest.length; i += 3)
    parts.push(rest[i] === '_' ? html`<sub>${rest[i + 1]}</sub>` : html`<sup>${rest[i + 1]}</sup>`, rest[i + 2]);
  return parts;
}
