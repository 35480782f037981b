// How a task stands whose score is better the lower it is: in a word, and as a sign.

/** @param {{par: number, best: number | null}} each */
export const standing = ({ par, best }) => (best === null ? 'open' : best <= par ? 'par reached' : 'solved');

export const SIGNS = { open: '', solved: '✓', 'par reached': '★' };
