/** Days since 1970: tests that take a share of their cases take another one each day. */
export const DAY = Math.floor(Date.now() / 86_400_000);
/** GLASSFORMER_SEEDS=all: every case. */
export const isWhole = process.env.GLASSFORMER_SEEDS === 'all';

/**
 * One of these, another each day, or with GLASSFORMER_SEEDS=all all of them.
 * @template T
 * @param {readonly T[]} list
 * @returns {readonly T[]}
 */
export const ofTheDay = (list) => (isWhole ? list : [list[DAY % list.length]]);
