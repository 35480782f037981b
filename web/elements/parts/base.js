// All that each part reads: in one file of the package, so that it is one request (src/tools/build.mjs).

export { html, mathml, nothing, render, svg } from 'lit-html';
export { formatShare, formatValue, shortValue, typeset, withMinus } from '../../draw/numbers.js';
export { default } from 'elements-parts.css'; // ../parts.css, made small
