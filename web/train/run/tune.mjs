// Finds the learning rate of a block before it is raced, as a factor of the recipe's.

/** The search stays within this factor of the recipe's rate, either way. */
const FURTHEST = 8;

/**
 * The outcome of the runs at a rate: how many missed the goal, the mean step at which the others reached it, and the
 * mean held-out loss at the last check.
 * @typedef {readonly [missed: number, steps: number, loss: number]} Score
 */

/** The fewest misses, then the fewest steps, then the lowest loss. @param {Score} a @param {Score} b */
const compare = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/**
 * Tries half the rate, the rate and double; while the best stands at an end of what was tried, it goes on from there.
 * @param {(rate: number) => Promise<Score>} scoreOf a factor of the recipe's rate
 * @returns {Promise<{rate: number, tried: number[]}>} of equal scores the lowest rate
 */
export async function tuned(scoreOf) {
  /** @type {{rate: number, score: Score}[]} */
  const tried = [];
  for (const rate of [0.5, 1, 2]) tried.push({ rate, score: await scoreOf(rate) });
  for (;;) {
    const { rate } = tried.reduce((best, each) => (compare(each.score, best.score) < 0 ? each : best));
    const isFirst = rate === tried[0].rate;
    const isLast = rate === tried[tried.length - 1].rate;
    const next = isFirst ? rate / 2 : rate * 2;
    if ((!isFirst && !isLast) || next > FURTHEST || next < 1 / FURTHEST)
      return { rate, tried: tried.map((each) => each.rate) };
    const found = { rate: next, score: await scoreOf(next) };
    if (isFirst) tried.unshift(found);
    else tried.push(found);
  }
}
