// What a trained model says at the cursor.

import { html } from 'lit-html';
import { answersAt } from '../shared/answers.js';
import { beforeName, namesOfBoth, probabilitiesBefore, wordsOfBoth } from '../shared/before.js';
import { lostWords, sentencesToTry } from '../shared/lost.js';
import { lookedAt } from '../shared/words.js';
import { PROBABILITIES, clampSelection } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @param {import('../index.js').ModelInfo | undefined} modelInfo
 */
const said = (result, state, modelInfo) =>
  modelInfo && result.plan.model === modelInfo.name ? answersAt(result, state, modelInfo) : null;

/**
 * The words beside those before; null: nothing has changed, or it is not computed yet.
 * @param {import('../index.js').Context} context
 */
function changeOf(context) {
  const { result, state, modelInfo } = context;
  const before = modelInfo && probabilitiesBefore(context);
  if (!before) return null;
  const now = result.derived.get(PROBABILITIES).data;
  return wordsOfBoth(before, now, lookedAt(result, state).row, modelInfo.outputVocabulary, MOST);
}

/**
 * How far the output vector of a model without output words has moved; null: as `changeOf`.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 */
function movedOf(result, state) {
  const { plan, derived, tensors } = result;
  const before = plan.base && derived.get(beforeName(plan));
  const { stack, rowWords, row } = lookedAt(result, state);
  if (!before || !tensors.has('output') || (plan.tokens.decoder && stack !== 'decoder')) return null;
  return { word: rowWords[row], moved: { distance: before.distances[row], length: before.lengths[row] } };
}

const MOST = 5;

/**
 * Why a text has no answer; null: it has one.
 * @param {import('../../engine/plan.js').Plan} plan
 * @param {readonly string[]} vocabulary
 * @param {string} [text]
 */
function withoutAnswer(plan, vocabulary, text = '') {
  const lost = lostWords(plan, vocabulary);
  return lost && { none: { ...lost, tries: sentencesToTry(String(plan.model), text) } };
}

/**
 * The text with the mask in place of the token at the cursor; null where there is none.
 * @param {import('../index.js').State} state
 * @param {import('../../engine/results.js').Result} result
 */
const hidden = (state, result) => entryOf(state.model)?.hide?.(state.text, lookedAt(result, state).row) ?? null;

/**
 * Whether a candidate can be put behind the text: at the last token of one that a model continues.
 * @param {import('../index.js').State} state
 * @param {import('../../engine/results.js').Result} result
 */
function goesOn(state, result) {
  const { row, rowWords } = lookedAt(result, state);
  const { positions, maxLength } = result.plan.config;
  const hasRoom = positions !== 'learned' || rowWords.length < Number(maxLength);
  return entryOf(state.model)?.input === 'prompt' && row === rowWords.length - 1 && hasRoom;
}

/** @type {import('../index.js').Panel<import('./view.js').AnswersData | {none: import('./no-answer.js').NoAnswer}>} */
export const answers = {
  name: 'answers',
  isFirst: true,
  showsTyping: true,
  slot: 'in-sight',
  section: html`<div id="answers" class="answers" hidden></div>`,
  required: ({ plan }) => [...namesOfBoth(plan), ...(plan.base && !plan.hasLogits ? ['output', beforeName(plan)] : [])],
  blank: ({ plan }) => withoutAnswer(plan, []),
  present(context) {
    const { result, state, modelInfo } = context;
    const none = modelInfo && withoutAnswer(result.plan, modelInfo.vocabulary, state.text);
    if (none) return none;
    const now = said(result, state, modelInfo);
    if (!now) {
      const moved = movedOf(result, state);
      return moved && { title: 'Output vector at', rest: '', note: '', attention: null, list: [], ...moved };
    }
    const list = changeOf(context) ?? now.list;
    const canHide = hidden(state, result) !== null;
    const canGoOn = goesOn(state, result);
    if (!now.attention) return { ...now, list, canHide, canGoOn, attention: null };
    const { kind, layer, head, mean } = clampSelection(state.selection, result.plan.settings);
    const { selection, weight } = now.attention;
    const shown = !mean && kind === selection.kind && layer === selection.layer && head === selection.head;
    const isCaption = shown && state.quantity === 'weights' && weight >= 0.5; // the same in words, above the map
    return { ...now, list, canHide, canGoOn, attention: isCaption ? null : { ...now.attention, shown } };
  },
  create: (root, { get, set, result, modelInfo, chooseModel, stopGenerating }) =>
    view.create(root, {
      onShowHead() {
        const now = result();
        const strongest = now && said(now, get(), modelInfo())?.attention;
        if (strongest)
          set({ selection: strongest.selection, cursor: { ...get().cursor, row: strongest.row, key: strongest.key } });
      },
      onAusten: () => chooseModel('austen'),
      onTry: (text) => set({ text, written: [], follow: true, brush: [] }),
      onGoOn(id) {
        stopGenerating(); // what is still to come goes on with another text
        set({ written: [...get().written, id], follow: true, own: { row: false, key: false } });
      },
      onHide() {
        const now = result();
        const text = now && hidden(get(), now);
        if (text) set({ text });
      },
    }),
};
