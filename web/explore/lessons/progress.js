// How far the reader is, kept in the browser where that is allowed.

import { readKept, writeKept } from '../../shared/kept.js';

const NAME = 'glassformer-book';

const PUZZLES = 'glassformer-puzzles'; // where results were kept while puzzles had their own panel

/**
 * `page`: the number of the last lesson; `done`: by the id of a page, what the reader saw when its task was done;
 * `best`: by the id of a puzzle, with how many changes or tries it was solved.
 * @typedef {{
 *   page: number, done: Map<string, import('./sentences.js').Values>, best: Map<string, number>,
 * }} Progress
 */

/** @returns {Progress} */
export function readProgress() {
  const { page, done, best } = readKept(NAME);
  // a list of ids, as it was kept before, does not say what was seen
  const seen = Array.isArray(done) ? Object.fromEntries(done.map((id) => [String(id), {}])) : Object(done);
  const results = Object.entries({ ...readKept(PUZZLES), ...Object(best) });
  return {
    page: Number.isInteger(page) && page >= 1 ? page : 1,
    done: new Map(Object.entries(seen).map(([id, values]) => [id, Object(values)])),
    best: new Map(results.filter(([, count]) => Number.isInteger(count) && count > 0)),
  };
}

/** @param {Progress} progress */
export const writeProgress = ({ page, done, best }) =>
  writeKept(NAME, { page, done: Object.fromEntries(done), best: Object.fromEntries(best) });
