// The feature of a word at which its card opens.

const NAMED = 0.5; // F1

/** @typedef {{label: string, f1: number} | undefined} Score */

/** Whether no label fits a feature. @param {Score} score */
export const isNameless = (score) => !(Number(score?.f1) >= NAMED);

/**
 * Of the features at a word the strongest that has a name, and does not only say which word it is; else the strongest.
 * @param {readonly number[]} active the strongest first
 * @param {readonly Score[]} scores of all
 * @returns {number | undefined} undefined: none is active
 */
export const tellingOf = (active, scores) =>
  active.find((n) => !isNameless(scores[n]) && !scores[n]?.label.startsWith('word ')) ?? active[0];
