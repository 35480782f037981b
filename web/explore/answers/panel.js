// What a trained model says at the cursor.

import { html } from 'lit-html';
import { answersAt } from '../shared/answers.js';
import { beforeName, likeliestOfBoth } from '../shared/before.js';
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
 * What has changed there: the words beside those of the model as built or, without output words, how far the output
 * vector has moved; null: nothing is changed, or it is not measured yet.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @param {import('../index.js').ModelInfo | undefined} modelInfo
 */
function changeOf(result, state, modelInfo) {
  const { plan, derived, tensors } = result;
  const before = plan.base && derived.get(beforeName(plan));
  if (!before) return null;
  const { stack, rowWords, row } = lookedAt(result, state);
  if (!modelInfo || !plan.hasLogits) {
    const inStack = tensors.has('output') && (!plan.tokens.decoder || stack === 'decoder');
    const moved = { distance: before.distances[row], length: before.lengths[row] };
    return inStack ? { word: rowWords[row], moved, list: [] } : null;
  }
  const words = modelInfo.outputVocabulary;
  const [one, two] = [before.probabilities.data, derived.get(PROBABILITIES).data];
  const all = words.map((word, id) => {
    const at = row * words.length + id;
    return { word, before: one[at], probability: two[at] };
  });
  return { word: '', moved: undefined, list: likeliestOfBoth(all, MOST) };
}

const MOST = 5;

/**
 * The text with the mask in place of the token at the cursor; null where there is none.
 * @param {import('../index.js').State} state
 * @param {import('../../engine/results.js').Result} result
 */
const hidden = (state, result) => entryOf(state.model)?.hide?.(state.text, lookedAt(result, state).row) ?? null;

/** @type {import('../index.js').Panel<import('./view.js').AnswersData>} */
export const answers = {
  name: 'answers',
  isFirst: true,
  slot: 'in-sight',
  section: html`<div id="answers" class="answers" hidden></div>`,
  required: ({ plan }) => [
    ...(plan.hasLogits ? [PROBABILITIES] : plan.base ? ['output'] : []),
    ...(plan.base ? [beforeName(plan)] : []),
  ],
  present({ result, state, modelInfo }) {
    const now = said(result, state, modelInfo);
    const change = changeOf(result, state, modelInfo);
    if (!now)
      return change?.moved ? { title: 'Output vector at', rest: '', note: '', attention: null, ...change } : null;
    const list = change?.list ?? now.list;
    const canHide = hidden(state, result) !== null;
    if (!now.attention) return { ...now, list, canHide, attention: null };
    const { kind, layer, head, mean } = clampSelection(state.selection, result.plan.settings);
    const { selection, weight } = now.attention;
    const shown = !mean && kind === selection.kind && layer === selection.layer && head === selection.head;
    const isCaption = shown && state.quantity === 'weights' && weight >= 0.5; // the same in words, above the map
    return { ...now, list, canHide, attention: isCaption ? null : { ...now.attention, shown } };
  },
  create: (root, { get, set, result, modelInfo }) =>
    view.create(root, {
      onShowHead() {
        const now = result();
        const strongest = now && said(now, get(), modelInfo())?.attention;
        if (strongest)
          set({ selection: strongest.selection, cursor: { ...get().cursor, row: strongest.row, key: strongest.key } });
      },
      onHide() {
        const now = result();
        const text = now && hidden(get(), now);
        if (text) set({ text });
      },
    }),
};
