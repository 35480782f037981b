// Keeps the reader's progress in each lesson, where the browser allows. Its contents are not trusted.

import { lessons } from './index.js';
import { readKept, writeKept } from '../kit/kept.js';

const NAME = 'glassformer-book';
/** Where results were kept while puzzles and challenges had panels of their own. */
const PUZZLES = 'glassformer-puzzles';
const CHALLENGES = 'glassformer-challenges';

/**
 * `seen`: the numbers that the reader saw when the task was done; `best`: the score; `link`, `hash`: of its run.
 * @typedef {{seen?: import('./sentences.js').Values, best?: number, link?: string, hash?: string}} Record
 * @typedef {{page: number, records: Map<string, Record>}} Progress `page`: the number of the last lesson of Explore
 */

/** @param {unknown} value @param {RegExp} pattern */
const text = (value, pattern) => (typeof value === 'string' && pattern.test(value) ? value : undefined);

/** @param {any} kept @returns {Record} */
function recordOf(kept) {
  const { seen, best, link, hash } = Object(kept);
  return {
    ...(typeof seen === 'object' && seen ? { seen } : {}),
    ...(Number.isSafeInteger(best) && best > 0 ? { best } : {}),
    link: text(link, /^#\/train\?[\w=&.:%+-]*$/),
    hash: text(hash, /^[0-9a-f]{64}$/),
  };
}

/** @type {Progress | undefined} */
let shared;
/** That of the page: its places write it whole. */
export const progressHere = () => (shared ??= readProgress());

/** @returns {Progress} */
export function readProgress() {
  const { page, done, best, records } = readKept(NAME);
  // a list of ids, as it was kept before, does not say what was seen
  const seen = Array.isArray(done) ? Object.fromEntries(done.map((id) => [String(id), {}])) : Object(done);
  const all = [
    ...Object.entries(seen).map(([id, values]) => [id, { seen: Object(values) }]),
    ...Object.entries({ ...readKept(PUZZLES), ...Object(best) }).map(([id, score]) => [id, { best: score }]),
    ...Object.entries(readKept(CHALLENGES)).map(([id, each]) => {
      const { score, ...proof } = Object(Object(each).best);
      return [id, { best: score, ...proof }];
    }),
    ...Object.entries(Object(records)),
  ];
  return {
    page: Number.isInteger(page) && page >= 1 ? page : lessons[0].number,
    records: new Map(all.map(([id, record]) => [id, recordOf(record)])),
  };
}

/** @param {Progress} progress */
export const writeProgress = ({ page, records }) => writeKept(NAME, { page, records: Object.fromEntries(records) });
