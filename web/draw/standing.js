// Compares a weight with the others of its row.

import { formatShare } from './numbers.js';
import { isEven } from './even.js';

/**
 * Scores after the mask and weights of a row, and the key of the weight; `replaced`: the softmax's weight of a key that
 * an intervention gave another one, else undefined.
 * @typedef {{
 *   masked: Float32Array, weights: Float32Array, column: number, replaced?: (column: number) => number | undefined,
 * }} Row
 *
 * `set`: by an intervention; `hidden`: by the mask; `alone`: the mask leaves no other key; `even`: all keys get about
 * the same; `tie`: the strongest other key gets as much, as both are written; `near`: it gets hardly less; `most`:
 * clearly less, and no other score is higher; `more`: clearly less, but another score is higher; `slightly`, `less`,
 * `hardly`, `none`: it gets slightly more, more, and this key hardly anything or nothing; `broken`: one is no number.
 * @typedef {'set' | 'hidden' | 'alone' | 'even' | 'tie' | 'near' | 'most' | 'more' | 'slightly' | 'less' | 'hardly'
 *   | 'none' | 'broken'} Kind
 *
 * `rival`: the other key with the largest weight, −1: none; `others`: the smallest and the largest of the other
 * weights; `count`: of all keys that the mask leaves.
 * @typedef {{kind: Kind, rival: number, others: [number, number], count: number}} Standing
 */

const NEAR = 0.9; // of the larger one
const HARDLY = 0.01;

/**
 * @param {Row} data
 * @returns {Standing}
 */
export function standingOf(data) {
  const { masked, weights, column, replaced } = data;
  const open = [...masked.keys()].filter((at) => at !== column && masked[at] !== -Infinity);
  const rival = open.reduce((best, at) => (best < 0 || weights[at] > weights[best] ? at : best), -1);
  const others = open.map((at) => weights[at]);
  const [own, most] = [weights[column], weights[rival]];
  /** @returns {Kind} */
  function kindOf() {
    if (replaced?.(column) !== undefined) return 'set';
    if (masked[column] === -Infinity) return 'hidden';
    if (![own, ...others].every(Number.isFinite)) return 'broken';
    if (rival < 0) return 'alone';
    if (isEven([own, ...others])) return 'even';
    if (own === 0) return 'none';
    if (formatShare(own) === formatShare(most)) return 'tie';
    if (own > most) {
      if (most > NEAR * own) return 'near';
      return open.every((at) => masked[at] <= masked[column]) ? 'most' : 'more';
    }
    return own < HARDLY ? 'hardly' : own > NEAR * most ? 'slightly' : 'less';
  }
  return { kind: kindOf(), rival, others: [Math.min(...others), Math.max(...others)], count: open.length + 1 };
}

/**
 * The keys of a row that are not listed: without those that the mask hides, unless an intervention gave them a weight.
 * @param {Pick<Row, 'masked' | 'weights'>} data @param {readonly number[]} listed
 */
export const restOf = ({ masked, weights }, listed) =>
  [...masked.keys()].filter((at) => !listed.includes(at) && (masked[at] !== -Infinity || weights[at] !== 0));
