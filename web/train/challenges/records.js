// The tries at each challenge and its best result, kept in the browser where that is allowed. Anybody may have written
// what is read.

import { readKept, writeKept } from '../../shared/kept.js';
import { RESULTS } from '../../shared/train-lessons.js';
import { readAddress, writeAddress } from '../schema.js';
import { CHALLENGES } from './list.js';

const MOST_TRIES = 200;

/**
 * @typedef {{score: number, link: string, hash: string}} Best `hash`: SHA-256 of the weights, '' where there is none
 * @typedef {{tries: readonly string[], best: Best | null}} Record `tries`: the addresses of the runs, without a step
 * @typedef {ReadonlyMap<string, import('./list.js').Settings>} Recipes by task
 */

/** @param {Recipes} recipes @returns {Map<string, Record>} by the challenge's id */
export function readRecords(recipes) {
  const kept = readKept(RESULTS);
  return new Map(CHALLENGES.map(({ id, task }) => [id, recordOf(Object(kept[id]), task, recipes)]));
}

/** @param {Map<string, Record>} records */
export const writeRecords = (records) => writeKept(RESULTS, Object.fromEntries(records));

/** @param {any} kept @param {string} task @param {Recipes} recipes @returns {Record} */
function recordOf({ tries, best }, task, recipes) {
  const links = Array.isArray(tries) ? tries.map((each) => checkedLink(each, task, recipes)) : [];
  const known = [...new Set(links.filter((each) => each !== null))].slice(-MOST_TRIES);
  const { score, hash, link } = Object(best);
  const checked = checkedLink(link, task, recipes);
  const isHash = typeof hash === 'string' && /^([0-9a-f]{64})?$/.test(hash);
  const fits = isHash && Number.isSafeInteger(score) && score > 0 && checked !== null;
  return { tries: known, best: fits ? { score, hash, link: checked } : null };
}

/**
 * An address that the page itself would write for a run of this task; else null.
 * @param {unknown} link @param {string} task @param {Recipes} recipes
 */
function checkedLink(link, task, recipes) {
  if (typeof link !== 'string') return null;
  const run = readAddress(link, recipes);
  if (run.refused.length || run.task !== task) return null;
  const { settings, changes, step } = run;
  const written = writeAddress({ task, settings, changes, step }, /** @type {any} */ (recipes.get(task)));
  return written === link ? link : null;
}

/**
 * A record after one more run was judged. A run that is open or breaks a rule is no try, and the same one is one try.
 * @param {Record} record @param {import('./list.js').Challenge} challenge
 * @param {import('./judge.js').Verdict} verdict
 * @param {{key: string, link: string, hash: string}} run `key`: its address without a step
 * @returns {Record}
 */
export function withRun({ tries, best }, { limit = Infinity }, { refused, isOver, isMet, score }, { key, ...proof }) {
  const isKnown = tries.includes(key);
  if (refused || !isOver || (!isKnown && tries.length >= limit)) return { tries, best };
  const now = isKnown ? tries : [...tries, key].slice(-MOST_TRIES);
  const reached = score ?? now.indexOf(key) + 1;
  const isBetter = isMet && (best === null || reached < best.score);
  return { tries: now, best: isBetter ? { score: reached, ...proof } : best };
}
