// The answers of the model as built, beside which those with interventions are shown.

/** The name of its derived value. @param {import('../../engine/plan.js').Plan} plan of which something is changed */
export const beforeName = ({ base }) => `@before/${JSON.stringify(base)}`;

/**
 * The likeliest words of either, the likeliest now first; of those, as many as the list has room for whose
 * probability is the largest before or now.
 * @template {{before: number, probability: number}} Both
 * @param {readonly Both[]} words
 * @param {number} most
 */
export const likeliestOfBoth = (words, most) =>
  words
    .toSorted((a, b) => Math.max(b.before, b.probability) - Math.max(a.before, a.probability))
    .slice(0, most)
    .sort((a, b) => b.probability - a.probability);
