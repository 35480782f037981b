/**
 * One of these, another each day, or with GLASSFORMER_SEEDS=all all of them.
 * @template T
 * @param {readonly T[]} list
 * @returns {readonly T[]}
 */
export const ofTheDay = (list) =>
  process.env.GLASSFORMER_SEEDS === 'all' ? list : [list[Math.floor(Date.now() / 86_400_000) % list.length]];
