// What single changes do to an answer's probability, for and against it apart.

import { formatShare } from '../../draw/share.js';

/**
 * The change without which the answer loses most, and the one without which it gains most; null where the probability
 * is written the same with each of them.
 * @template {{after: number}} Cell `after`: the probability under the change
 * @param {readonly Cell[]} cells
 * @param {number} probability without any change
 * @returns {{lowers: Cell | null, raises: Cell | null}}
 */
export function bothWays(cells, probability) {
  /** @param {1 | -1} sign */
  const most = (sign) =>
    cells.reduce(
      (best, each) => (sign * (each.after - (best?.after ?? probability)) > 0 ? each : best),
      /** @type {Cell | null} */ (null),
    );
  const seen = (/** @type {Cell | null} */ cell) =>
    cell && formatShare(cell.after) !== formatShare(probability) ? cell : null;
  return { lowers: seen(most(-1)), raises: seen(most(1)) };
}
