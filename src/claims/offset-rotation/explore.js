import { inExplore } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ table, seed }) =>
  inExplore(
    { d_model: 64, positions: table === 'random' ? 'learned' : 'sinusoidal', seed, part: 'positions' },
    'PE of the places of a sentence, and the products of each with each',
  );
