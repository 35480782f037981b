import { inExplore } from '../shared/explore.js';
import { DESIGNS } from './claim.js';

const MOST_LAYERS = 12;

/** @type {import('../shared/explore.js').MatchingOf} */
export function matching({ design, seed }) {
  const { norm, residual = true } = DESIGNS[design];
  const isAlone = design === 'residual alone';
  return inExplore(
    {
      ...{ layers: MOST_LAYERS, d_model: 64, d_ff: 256, norm, residual, seed, part: 'add' },
      stream: isAlone ? 'norms' : 'cosines',
    },
    `the forward pass through ${MOST_LAYERS} layers: ` +
      (isAlone ? 'how the residual stream grows' : 'how far each sublayer turns its vectors'),
  );
}
