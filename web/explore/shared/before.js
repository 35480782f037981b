// The answers beside which those of now are shown: of the pinned state, else of the model as built.

import { PROBABILITIES } from '../../engine/plan.js';
import { strongest } from './choose.js';
import { selectedIn } from './words.js';

/** The name of its derived value. @param {import('../../engine/plan.js').Plan} plan of which something is changed */
export const beforeName = ({ base }) => `@before/${JSON.stringify(base)}`;

/** The names that `probabilitiesBefore` needs. @param {import('../../engine/plan.js').Plan} plan */
export const namesOfBoth = (plan) => (plan.hasLogits ? [PROBABILITIES, ...(plan.base ? [beforeName(plan)] : [])] : []);

/**
 * The probabilities, [rows, words], to set beside those of now; null: nothing has changed, or they are not here yet.
 * @param {Pick<import('../index.js').Context, 'result' | 'state' | 'pinned'>} context
 */
export function probabilitiesBefore({ result, state, pinned }) {
  const { plan, derived } = result;
  const isSource = plan.tokens.decoder && selectedIn(result, state).stack === 'encoder'; // a source word has no answer
  if (!plan.hasLogits || isSource) return null;
  const now = derived.get(PROBABILITIES)?.data;
  if (!state.pinned) return plan.base ? (derived.get(beforeName(plan))?.probabilities.data ?? null) : null;
  /** @type {Float32Array | null | undefined} */
  const then = pinned?.plan.model === plan.model ? pinned.derived.get(PROBABILITIES)?.data : null;
  const isOther = then && then.length === now?.length && then.some((value, i) => value !== now[i]);
  return isOther ? then : null;
}

/**
 * The likeliest words at a row before and now, the likeliest now first; of all, as many as fit
 * into the list whose probability is the largest before or now.
 * @param {Float32Array} before probabilities, [rows, words]
 * @param {Float32Array} now likewise
 * @param {number} row
 * @param {readonly string[]} words
 * @param {number} most
 */
export const wordsOfBoth = (before, now, row, words, most) =>
  words
    .map((word, id) => {
      const at = row * words.length + id;
      return { id, word, before: before[at], probability: now[at] };
    })
    .sort((a, b) => Math.max(b.before, b.probability) - Math.max(a.before, a.probability))
    .slice(0, most)
    .sort((a, b) => b.probability - a.probability);

/**
 * The rows whose first answer is another.
 * @param {Float32Array} before probabilities, [T, V]
 * @param {Float32Array} after
 * @param {number} width
 */
export function turned(before, after, width) {
  const rows = Array.from({ length: before.length / width }, (_, row) => ({
    row,
    from: first(before, row, width),
    to: first(after, row, width),
  }));
  return rows.filter(({ from, to }) => from.id !== to.id);
}

/** @param {Float32Array} data @param {number} row @param {number} width */
function first(data, row, width) {
  const own = data.subarray(row * width, (row + 1) * width);
  const id = strongest(own);
  return { id, probability: own[id] };
}
