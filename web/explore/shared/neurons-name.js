// By which name the words of neurons are asked for.

/** So many neurons of a token are listed. */
export const STRONGEST = 8;

/** Numbers of what all neurons give all words; where there are more, only those in sight are computed. */
const MOST = 2 ** 25;

/**
 * @param {import('../../engine/plan.js').Plan} plan
 * @param {string} place stack and layer
 * @param {Partial<import('../index.js').State>} state
 */
export function neuronsName({ config, settings }, place, { cursor }) {
  const words = Number(config.outputVocabulary || config.targetVocabulary || config.vocabulary || 0);
  if (settings.d_ff * words <= MOST) return `@neurons/${place}`;
  return `@neurons/${place}/${cursor?.row ?? 0}/${cursor?.neuron ?? ''}`;
}
