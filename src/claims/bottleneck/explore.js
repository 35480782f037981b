import { inExplore } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ d_ff }) =>
  inExplore({ layers: 1, heads: 8, d_model: 512, d_ff, part: 'ffn' }, 'a layer of this size: d_ff neurons a word');
