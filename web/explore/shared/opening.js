// The first opening: a sentence with a word to flip, then the head behind its answer. A reader sees it once, at an
// address without parts; whatever else the reader does leads to the instrument.

import { entryOf } from '../../models/catalogue.js';
import { readText, writeText } from '../../kit/kept.js';
import { parse } from '../../kit/address.js';
import { probabilitiesOfRow } from './answer-row.js';
import { strongest } from './choose.js';
import { selectedIn } from './words.js';

/**
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {'' | 'flip' | 'ask' | 'head' | 'off' | 'steps'} Stage '': there is none; `flip`: nothing was tapped yet;
 *   `ask`: the word was; `head`: the heads are in sight, and a tap switches one off; `off`: one is, and all else
 *   unfolds; `steps`: what decided the answer is shown
 * @typedef {{kind: import('../../app/schema.js').AttentionKind, layer: number, head: number}} Head
 */

const NAME = 'glassformer-opened';

let isKept = false; // also where the browser keeps nothing

/** Whether the page opens for the first time. @param {string} hash that it opens at */
export const opensFirst = (hash) => !isKept && readText(NAME) === null && parse(hash).parts.length === 0;

/** The instrument was shown: from now on the page opens with it. */
export function keepOpened() {
  if (!isKept) writeText(NAME, '1');
  isKept = true;
}

/** @param {State} state how the page opens on its first model @returns {State} */
export const openingOf = (state) => ({
  ...state,
  text: entryOf(state.model)?.pair?.[1][1] ?? state.text,
  opening: 'flip',
  follow: true,
});

/**
 * The word that a text can be flipped at, the other word, and the text with that; null: there is none.
 * @param {Pick<State, 'model' | 'text'>} state
 */
export function flipOf({ model, text }) {
  const pair = entryOf(model)?.pair ?? [];
  const at = pair.findIndex(([, each]) => each === text);
  return at < 0 ? null : { word: pair[at][0], other: pair[1 - at][0], text: pair[1 - at][1] };
}

/** Whether the opening goes on: the reader has done nothing else. @param {State} state */
export function goesOn(state) {
  const { opening, interventions, own, graph, layout, book, trail, embed, decision, pinned } = state;
  const isElsewhere = layout !== 'workspace' || graph.node !== 'attention' || book !== null || trail || embed;
  const isAsked = opening === 'steps';
  if (isElsewhere || Boolean(decision) !== isAsked || pinned || own.row || own.key || !flipOf(state)) return false;
  return opening === 'off' ? interventions.length === 1 && interventions[0].what === 'head' : !interventions.length;
}

/** Name of the derived value with each head's effect on the answer. @param {Pick<State, 'cursor'>} state */
export const ablationsName = ({ cursor: { row } }) => `@ablations/${row}`;

/**
 * Of all heads, those without which the answer loses most: the first, and each that takes at least half as much; and
 * how much the answer has without each FFN.
 * @param {import('../index.js').Result} result
 * @param {State} state
 * @returns {{count: number, most: Head[], answer: number, ffns: number[]} | null} null: they have not been tried yet
 */
export function headsBehind(result, state) {
  /** @type {{heads: (Head & {probabilities: Float32Array})[], ffns: {probabilities: Float32Array}[]} | undefined} */
  const tried = result.derived.get(ablationsName(state));
  const now = probabilitiesOfRow(result, selectedIn(result, state).row);
  if (!tried || !now) return null;
  const answer = strongest(now);
  const lossOf = (/** @type {{probabilities: Float32Array}} */ each) => now[answer] - each.probabilities[answer];
  const least = Math.max(0, ...tried.heads.map(lossOf)) / 2;
  return {
    count: tried.heads.length,
    most: tried.heads.filter((each) => least > 0 && lossOf(each) >= least),
    answer,
    ffns: tried.ffns.map(({ probabilities }) => probabilities[answer]),
  };
}
