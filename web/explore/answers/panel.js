// What a trained model says at the cursor.

import { html } from 'lit-html';
import { answersAt } from '../shared/answers.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { clampSelection } from '../../engine/plan.js';
import * as view from './view.js';

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @param {import('../index.js').ModelInfo | undefined} modelInfo
 */
const said = (result, state, modelInfo) =>
  modelInfo && result.plan.model === modelInfo.name ? answersAt(result, state, modelInfo) : null;

/** @type {import('../index.js').Panel<import('./view.js').AnswersData>} */
export const answers = {
  name: 'answers',
  slot: 'input',
  section: html`<div id="answers" class="answers" hidden></div>`,
  required: ({ plan: { model } }) => (model ? [PROBABILITIES] : []),
  present({ result, state, modelInfo }) {
    const now = said(result, state, modelInfo);
    if (!now?.attention) return now && { ...now, attention: null };
    const { kind, layer, head, mean } = clampSelection(state.selection, result.plan.settings);
    const { selection, weight } = now.attention;
    const shown = !mean && kind === selection.kind && layer === selection.layer && head === selection.head;
    const isCaption = shown && state.quantity === 'weights' && weight >= 0.5; // the same in words, above the map
    return { ...now, attention: isCaption ? null : { ...now.attention, shown } };
  },
  create: (root, { get, set, result, modelInfo }) =>
    view.create(root, {
      onShowHead() {
        const now = result();
        const strongest = now && said(now, get(), modelInfo())?.attention;
        if (strongest)
          set({ selection: strongest.selection, cursor: { ...get().cursor, row: strongest.row, key: strongest.key } });
      },
    }),
};
