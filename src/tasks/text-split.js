// Which places of a text are trained on, and which are held out.

/**
 * @typedef {'end' | 'unseen'} HeldOut
 * @typedef {[from: number, to: number]} Span of tokens, without that at `to`
 */

/** The share of a text that is held out. */
export const TEST_SHARE = 0.1;

/** Tokens of a phrase: shorter ones return in any text, so that no row would be free of them. */
const PHRASE = { words: 5, characters: 20 };

/**
 * Splits a text into spans to train on and rows to test. A row reads `length` tokens and the one after them.
 * @param {Int32Array} ids of the text
 * @param {{length: number, level: 'words' | 'characters', heldOut: HeldOut}} settings
 */
export function splitText(ids, { length, level, heldOut }) {
  const phrase = Math.min(PHRASE[level], length + 1);
  const keys = phraseKeys(ids, phrase);
  const end = ids.length - Math.ceil(ids.length * TEST_SHARE);
  const last = rowsIn([end, ids.length], length);
  const inRow = (/** @type {number} */ start) => keys.subarray(start, start + length + 2 - phrase);
  const unseen = heldOut === 'unseen' ? unseenRows(rowsIn([0, ids.length], length), keys, inRow, last.length) : [];
  const rows = unseen.length > 0 ? unseen : last;
  /** @type {Span[]} */
  const spans = unseen.length > 0 ? between(rows, length, ids.length) : [[0, end]];
  const trained = new Set(spans.flatMap(([from, to]) => [...keys.subarray(from, to + 1 - phrase)]));
  const held = rows.flatMap((start) => [...inRow(start)]);
  const ends = new Set(rows.flatMap((start) => [start, start + length]));
  return {
    /** `train`, `test`: tokens; `phrase`: of how many tokens one is; `repeated`: share of those held out. */
    split: Object.freeze({
      train: spans.reduce((sum, [from, to]) => sum + to - from, 0),
      test: unseen.length > 0 ? ends.size + rows.length * (length - 1) : ids.length - end,
      phrase,
      repeated: held.filter((key) => trained.has(key)).length / held.length,
    }),
    /** Where rows begin that do not overlap. */
    rows: { train: spans.flatMap((span) => rowsIn(span, length)), test: rows },
    /** Where any row begins that is trained on. */
    starts: startsIn(spans, length),
  };
}

/**
 * Rows of a span, which share no more than their first and last tokens.
 * @param {Span} span
 * @param {number} length
 */
const rowsIn = ([from, to], length) =>
  Array.from({ length: Math.floor((to - from - 1) / length) }, (_, i) => from + i * length);

/**
 * @template T
 * @param {readonly T[]} list
 * @param {number} count
 * @returns {T[]} at most so many of them, evenly spread
 */
export function evenly(list, count) {
  const kept = Math.min(list.length, count);
  return Array.from({ length: kept }, (_, i) => list[Math.floor((i * list.length) / kept)]);
}

/**
 * The places at which a row can start that is trained on.
 * @param {readonly Span[]} spans
 * @param {number} length
 */
function startsIn(spans, length) {
  const counts = spans.map(([from, to]) => to - from - length);
  return {
    count: counts.reduce((sum, each) => sum + each, 0),
    /** @param {number} index */
    at(index) {
      let span = 0;
      while (index >= counts[span]) index -= counts[span++];
      return spans[span][0] + index;
    },
  };
}

/**
 * Rows whose every phrase occurs once in the whole text; none where there are not half as many as wanted.
 * @param {readonly number[]} rows
 * @param {Float64Array} keys
 * @param {(start: number) => Float64Array} inRow the keys of a row
 * @param {number} wanted
 */
function unseenRows(rows, keys, inRow, wanted) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  const unseen = rows.filter((start) => inRow(start).every((key) => counts.get(key) === 1));
  return 2 * unseen.length < wanted ? [] : evenly(unseen, wanted);
}

/**
 * The spans between rows that can hold a row to train on.
 * @param {readonly number[]} rows
 * @param {number} length
 * @param {number} end of the text
 * @returns {Span[]}
 */
function between(rows, length, end) {
  const from = [0, ...rows.map((start) => start + length + 1)];
  return from.map((at, i) => /** @type {Span} */ ([at, rows[i] ?? end])).filter(([at, to]) => to - at > length);
}

/**
 * A number for the phrase at each place. Equal phrases have equal numbers; of millions hardly two others do.
 * @param {Int32Array} ids
 * @param {number} phrase
 */
function phraseKeys(ids, phrase) {
  return Float64Array.from({ length: ids.length + 1 - phrase }, (_, start) => {
    let [high, low] = [0, 0];
    for (let at = start; at < start + phrase; at++) {
      high = Math.imul(high ^ ids[at], 0x9e3779b1);
      high ^= high >>> 15;
      low = Math.imul(low + ids[at] + 1, 0x85ebca6b);
      low ^= low >>> 13;
    }
    return (high >>> 0) * 2 ** 21 + (low >>> 11);
  });
}
