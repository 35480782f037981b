// The lessons in the order of the list: the textbook's pages, then the puzzles. A lesson's number is its address.

import { pages } from './pages.js';
import { puzzles } from './puzzles.js';
import { readKept } from '../../shared/kept.js';
import { CHALLENGES, GUIDED, RESULTS, challengeLink } from '../../shared/train-lessons.js';

/**
 * @typedef {{number: number} & (
 *   {kind: 'page'} & import('./pages.js').Page | {kind: 'puzzle'} & import('./puzzles.js').Puzzle
 * )} Lesson
 */

const FIRST_PUZZLE = 101;

/** @type {Lesson[]} */
export const lessons = [
  ...pages.map((page, i) => ({ ...page, kind: /** @type {const} */ ('page'), number: i + 1 })),
  ...puzzles.map((puzzle, i) => ({ ...puzzle, kind: /** @type {const} */ ('puzzle'), number: FIRST_PUZZLE + i })),
];

/** The lesson of an address, or the nearest before it. @param {number} number */
export const lessonAt = (number) => lessons.findLast((each) => each.number <= number) ?? lessons[0];

/** The lessons of Train, with what the reader has reached. */
export function lessonsInTrain() {
  const kept = readKept(RESULTS);
  const challenges = Object.entries(CHALLENGES).map(([id, each]) => {
    const score = Number(kept[id]?.best?.score);
    return { title: each.title, link: challengeLink(each), result: { par: each.par, best: score > 0 ? score : null } };
  });
  return [{ ...GUIDED, result: null }, ...challenges];
}
