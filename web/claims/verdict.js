// The verdicts, in the order in which they are counted, told apart by more than their colour.

/** @typedef {import('../../src/claims/index.js').Verdict['verdict']} Word */

/** @type {Record<Word, string>} */
export const MARKS = { holds: '✓ ', 'holds only if': '◐ ', fails: '✗ ' };

export const VERDICTS = /** @type {readonly Word[]} */ (Object.keys(MARKS));
