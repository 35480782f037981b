// How far the reader is, kept in the browser where that is allowed.

import { readKept, writeKept } from '../../shared/kept.js';

const NAME = 'glassformer-book';

/**
 * `page`: the last one open; `done`: by the id of a page, what the reader saw when its task was done.
 * @typedef {{page: number, done: Map<string, import('./sentences.js').Values>}} Progress
 */

/** @param {number} last page @returns {Progress} */
export function readProgress(last) {
  const { page, done } = readKept(NAME);
  const isPage = Number.isInteger(page) && page >= 1 && page <= last;
  // a list of ids, as it was kept before, does not say what was seen
  const seen = Array.isArray(done) ? Object.fromEntries(done.map((id) => [String(id), {}])) : Object(done);
  return { page: isPage ? page : 1, done: new Map(Object.entries(seen).map(([id, values]) => [id, Object(values)])) };
}

/** @param {Progress} progress */
export const writeProgress = ({ page, done }) => writeKept(NAME, { page, done: Object.fromEntries(done) });
