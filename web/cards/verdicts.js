// The verdicts, in the order in which they are counted and offered.

/** @type {readonly import('../claims/index.js').Verdict['verdict'][]} */
export const VERDICTS = ['holds', 'holds only if', 'fails'];
