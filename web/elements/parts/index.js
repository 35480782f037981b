// Draws the parts of a model: a file of its own, which the first part on a page fetches.

import style from 'elements-parts.css'; // ../parts.css, made small: a rule of src/tools/build.mjs

export { sentence } from './sentence.js';
export { style };
