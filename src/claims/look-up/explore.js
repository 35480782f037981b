import { inExplore } from '../shared/explore.js';

/** @type {import('../shared/explore.js').MatchingOf} */
export const matching = ({ rows, seed }) =>
  rows === 'one-hot'
    ? inExplore(
        { d_model: 32, seed, part: 'embedding', embedding: 'embedding' },
        'the rows of the table for a sentence',
      )
    : null;
