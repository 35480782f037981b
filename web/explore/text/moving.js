// Where the cursor goes, and what stands at words, when the reader edits a text.

import { aligned, isReplaced, keptIndices } from './align.js';
import { knownBefore } from '../shared/cursor.js';
import { isAtWord } from '../../engine/interventions.js';
import { attention, clampSelection } from '../../engine/plan.js';

/**
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * @typedef {import('../../engine/plan.js').Tokens} Tokens
 */

/**
 * Where an index of a text's tokens goes in an edited text. `stays`: with its word, or with one that took its index;
 * not while that is none that the model reads, as words are while they are typed.
 * @param {Tokens} before
 * @param {Tokens} after with at least one token
 */
function indicesAfter(before, after) {
  const [old, now] = [before.shown ?? before, after.shown ?? after];
  const move = aligned(old.words, now.words);
  const kept = keptIndices(old.words, now.words);
  const shownAt = old.ids.flatMap((id, i) => (id === null ? [] : [i]));
  return {
    /** @param {number} index */
    moved: (index) => Math.min(knownBefore(now.ids, move(shownAt[index] ?? index)), after.ids.length - 1),
    /** @param {number} index */
    stays(index) {
      const from = shownAt[index];
      const to = move(from);
      return from !== undefined && now.ids[to] !== null && (kept[from] >= 0 || !kept.includes(to));
    },
  };
}

/** Whether an edit made another text. @param {Tokens} before @param {Tokens} after */
export function isOtherText(before, after) {
  const [old, now] = [before.shown ?? before, after.shown ?? after];
  return isReplaced(old.words, now.words, keptIndices(old.words, now.words));
}

/**
 * The state after an edit of one stack's text: the chosen words, the brush and the weights that were set go with
 * their words; what was set at a word that is gone goes with it.
 * @param {State} state before the edit
 * @param {Stack} stack whose text it was
 * @param {Tokens} before
 * @param {Tokens} after
 * @returns {Pick<State, 'cursor' | 'brush' | 'interventions'>}
 */
export function moveWithText({ cursor, brush, interventions, selection, settings }, stack, before, after) {
  if (!after.ids.length || !before.ids.length) return { cursor, brush, interventions };
  const { moved, stays } = indicesAfter(before, after);
  /** @param {import('../../app/schema.js').AttentionKind} kind @param {{row: number, key: number}} cell */
  const cellOf = (kind, { row, key }) => {
    const { stack: rows, columns } = attention(kind);
    return { row: rows === stack ? moved(row) : row, key: columns === stack ? moved(key) : key };
  };
  /** @param {State['interventions'][number]} change */
  function isHere(change) {
    if (change.what === 'patch') return false; // what it takes comes from a text of the same length
    if (change.what !== 'cell') return true;
    const { stack: rows, columns } = attention(change.kind);
    return (rows !== stack || stays(change.row)) && (columns !== stack || stays(change.key));
  }
  const { kind } = clampSelection(selection, settings);
  const ofRows = attention(kind).stack === stack;
  return {
    cursor: { ...cursor, ...cellOf(kind, cursor) },
    brush: ofRows ? brush.filter(stays).map(moved) : brush,
    interventions: interventions.some(isAtWord)
      ? interventions
          .filter(isHere)
          .map((each) => (each.what === 'cell' ? { ...each, ...cellOf(each.kind, each) } : each))
      : interventions,
  };
}
