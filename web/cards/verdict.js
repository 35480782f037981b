// The verdict's words, told apart by more than their colour.

/** @type {Record<import('../claims/index.js').Verdict['verdict'], string>} */
export const MARKS = { holds: '✓ ', 'holds only if': '◐ ', fails: '✗ ' };
