// Whether a result solves a puzzle, in words.

import { stateOf } from './link-state.js';
import { factsOf, tried } from './facts.js';
import { changesOf } from './rules.js';

/** @typedef {{says: string, refused: string, isMet: boolean, changes: number, found: string | null}} Verdict */

/**
 * `says`: the result; `refused`: which rule the state breaks; `isMet`: whether it is solved; `changes`: how many there
 * are; `found`: what is tried where something is to be found. Undefined: what the puzzle needs is not here.
 * @param {import('./puzzles.js').Puzzle} puzzle
 * @param {Pick<import('../index.js').Context, 'result' | 'state' | 'modelInfo'>} context
 * @returns {Verdict | undefined}
 */
export function judge(puzzle, context) {
  const facts = { ...factsOf(context), start: stateOf(puzzle, context.modelInfo) };
  return tried(() => {
    const changes = changesOf(facts);
    const found = puzzle.finds?.(facts) ?? null;
    const lacking = lackingWord(puzzle, facts.readWords);
    if (lacking) return { says: `The text has no “${lacking}”.`, refused: '', isMet: false, changes, found };
    const refused = puzzle.rules.flatMap((rule) => rule(facts) ?? [])[0] ?? '';
    return { says: puzzle.says(facts), refused, isMet: !refused && puzzle.isMet(facts), changes, found };
  });
}

/**
 * A word that the puzzle speaks of more often than the text has it.
 * @param {import('./puzzles.js').Puzzle} puzzle
 * @param {string[]} words
 */
function lackingWord({ needs = [] }, words) {
  /** @param {readonly string[]} list @param {string} word */
  const times = (list, word) => list.filter((each) => each === word).length;
  return needs.find((word) => times(words, word) < times(needs, word));
}
