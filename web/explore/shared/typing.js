// Updates the state while the reader types: selections and changes at words move with them, and another text chooses
// its own.

import { isAtWord } from '../../engine/interventions.js';
import { attention, clampSelection } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import { isContent } from './choose.js';
import { knownBefore } from './cursor.js';

/**
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../../engine/plan.js').Stack} Stack
 * @typedef {import('../../engine/plan.js').Tokens} Tokens
 */

/**
 * For each word of `before` its index in `after`, −1 where it is gone: the longest common subsequence.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 */
export function keptIndices(before, after) {
  const kept = new Int32Array(before.length).fill(-1);
  let start = 0;
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) kept[start] = start++;
  const shift = after.length - before.length;
  let end = before.length;
  while (end > start && end + shift > start && before[end - 1] === after[end - 1 + shift]) kept[--end] = end + shift;
  const [rows, columns] = [end - start, end + shift - start];
  const width = columns + 1;
  const length = new Uint16Array((rows + 1) * width); // of the longest of what follows each pair of indices
  for (let i = rows - 1; i >= 0; i--)
    for (let j = columns - 1; j >= 0; j--)
      length[i * width + j] =
        before[start + i] === after[start + j]
          ? length[(i + 1) * width + j + 1] + 1
          : Math.max(length[(i + 1) * width + j], length[i * width + j + 1]);
  for (let i = 0, j = 0; i < rows && j < columns;) {
    if (before[start + i] === after[start + j]) kept[start + i++] = start + j++;
    else if (length[(i + 1) * width + j] >= length[i * width + j + 1]) i++;
    else j++;
  }
  return kept;
}

/**
 * Where each index goes: with its word, or where that is gone, to what stands between its neighbours now, else to
 * the word before it.
 * @param {readonly string[]} before
 * @param {readonly string[]} after not empty
 * @returns {(index: number) => number}
 */
export function aligned(before, after) {
  const kept = keptIndices(before, after);
  return (index) => {
    if (index >= before.length) return index;
    if (kept[index] >= 0) return kept[index];
    let left = index;
    while (left >= 0 && kept[left] < 0) left--;
    const right = kept.findIndex((each, i) => i > index && each >= 0);
    const from = left < 0 ? 0 : kept[left] + 1;
    const to = right < 0 ? after.length : kept[right];
    return Math.max(0, Math.min(from + index - left - 1, to - 1, after.length - 1));
  };
}

const MOST_KEPT = 1 / 3; // of the content words of a text that has been replaced
const LEAST_CHANGED = 3;

/**
 * Whether an edit made another text of it rather than changing a word or two.
 * @param {readonly string[]} before
 * @param {readonly string[]} after
 * @param {Int32Array} kept the indices of the words of `before` in `after`, −1: gone
 */
export function isReplaced(before, after, kept) {
  const old = before.flatMap((word, i) => (isContent(word) ? [i] : []));
  const stayed = old.filter((i) => kept[i] >= 0).length;
  const added = after.filter(isContent).length - stayed;
  if (added < 1) return false;
  return !old.length || (stayed < MOST_KEPT * old.length && old.length - stayed + added >= LEAST_CHANGED);
}

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
function isOtherText(before, after) {
  const [old, now] = [before.shown ?? before, after.shown ?? after];
  return isReplaced(old.words, now.words, keptIndices(old.words, now.words));
}

/**
 * Whether a change at words goes with them.
 * @param {State['interventions'][number]} change
 * @returns {change is Extract<State['interventions'][number], {what: 'cell' | 'headAt' | 'ffnAt' | 'feature'}>}
 */
const isMoved = (change) =>
  ['cell', 'headAt', 'ffnAt', 'feature'].includes(change.what) && !('to' in change && Array.isArray(change.to));

/**
 * The state after an edit of one stack's text: the chosen words, the brush and the weights that were set go with
 * their words; changes at a word that is gone go with it.
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
    // A vector of another text needs one of the same length; swapped positions are those of two words.
    if (!isMoved(change)) return !isAtWord(change);
    const { stack: rows, columns } = attention(change.kind);
    const keyStays = change.what !== 'cell' || columns !== stack || stays(change.key);
    return (rows !== stack || stays(change.row)) && keyStays;
  }
  const { kind } = clampSelection(selection, settings);
  const ofRows = attention(kind).stack === stack;
  return {
    cursor: { ...cursor, ...cellOf(kind, cursor) },
    brush: ofRows ? brush.filter(stays).map(moved) : brush,
    interventions: interventions.some(isAtWord)
      ? interventions.filter(isHere).map((each) => {
          if (!isMoved(each)) return each;
          const { row, key } = cellOf(each.kind, { key: 0, ...each });
          return each.what === 'cell' ? { ...each, row, key } : { ...each, row };
        })
      : interventions,
  };
}

/**
 * Edits in one go are counted from the text as it was before the first of them: a word that is being changed, and
 * meanwhile is none that the model knows, is found again.
 * @param {{get: () => State, set: (patch: Partial<State>) => void, plan: (of?: State) => Plan}} tools
 */
export function createTyping({ get, set, plan }) {
  /** @type {{state: State, tokens: Plan['tokens'], last: State, isOther: boolean} | null} */
  let from = null;

  /** Whether nothing but this typing changed the state meanwhile. */
  function goesOn() {
    const now = get();
    const last = from?.last;
    if (!last) return false;
    const moved = ['cursor', 'brush', 'interventions', 'text', 'targetText', 'settings', 'model'].filter(
      (name) => /** @type {any} */ (now)[name] !== /** @type {any} */ (last)[name],
    );
    return moved.length === 0 || (from?.isOther === true && !now.own.row && String(moved) === 'cursor');
  }

  return {
    /**
     * @param {'encoder' | 'decoder'} stack whose text is edited
     * @param {Partial<State>} change
     * @param {State} [since] before it, if it is made already
     */
    edit(stack, change, since) {
      const now = get();
      const old = plan(since).tokens;
      const tokens = plan({ ...now, ...change }).tokens; // of the plan that the new state will have
      const [before, after] = [old[stack], tokens[stack]];
      if (since || !goesOn()) from = { state: since ?? now, tokens: old, last: now, isOther: false };
      const start = /** @type {NonNullable<typeof from>} */ (from);
      start.isOther ||= Boolean(before && after && isOtherText(before, after));
      const first = start.tokens[stack];
      set({
        ...change,
        ...(first && after ? moveWithText(start.state, stack, first, after) : {}),
        // A prompt is asked for what comes next, unless the reader has chosen another word.
        ...(entryOf(now.model)?.input === 'prompt' && !now.own.row ? { follow: true } : {}),
        ...(start.isOther
          ? { follow: true, own: { row: false, key: false }, brush: [], interventions: start.state.interventions }
          : {}),
      });
      start.last = get();
    },
  };
}
