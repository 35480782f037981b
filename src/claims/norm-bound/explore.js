import { inExplore } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ scale, gain, seed }) =>
  scale === 1 && gain === 1
    ? inExplore({ d_model: 64, seed, part: 'norm' }, 'LayerNorm in a model of this width')
    : null;
