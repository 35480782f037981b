// How far the reader is, kept in the browser where that is allowed.

const NAME = 'glassformer-book';

/** @typedef {{page: number, done: Set<string>}} Progress `page`: the last one open; `done`: pages by id */

/** @param {number} last page @returns {Progress} */
export function readProgress(last) {
  try {
    const { page, done } = JSON.parse(localStorage.getItem(NAME) ?? '{}');
    const isPage = Number.isInteger(page) && page >= 1 && page <= last;
    return { page: isPage ? page : 1, done: new Set(Array.isArray(done) ? done.map(String) : []) };
  } catch {
    return { page: 1, done: new Set() };
  }
}

/** @param {Progress} progress */
export function writeProgress({ page, done }) {
  try {
    localStorage.setItem(NAME, JSON.stringify({ page, done: [...done] }));
  } catch {
    // refused or full: it is forgotten with the page
  }
}
