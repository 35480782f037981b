// What a trained model says at the cursor.

import { answersAt } from '../shared/answers.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { clampSelection } from '../../app/schema.js';
import * as view from './view.js';

/** @param {import('../../engine/results.js').Picture} picture @param {import('../index.js').State} state @param {import('../index.js').Description | undefined} known */
const said = (picture, state, known) =>
  known && picture.plan.model === known.name ? answersAt(picture, state, known) : null;

/** @type {import('../index.js').Panel<import('./view.js').AnswersData>} */
export const answers = {
  name: 'answers',
  part: 'output',
  wants: ({ model }) => (model ? [PROBABILITIES] : []),
  present(picture, state, _, known) {
    const now = said(picture, state, known);
    if (!now?.look) return now && { ...now, look: null };
    const { kind, layer, head, mean } = clampSelection(state.selection, picture.plan.settings);
    const { selection } = now.look;
    return {
      ...now,
      look: {
        ...now.look,
        shown: !mean && kind === selection.kind && layer === selection.layer && head === selection.head,
      },
    };
  },
  create: (root, { get, set, picture, description }) =>
    view.create(root, {
      onLook() {
        const now = picture();
        const look = now && said(now, get(), description())?.look;
        if (look) set({ selection: look.selection, cursor: { ...get().cursor, row: look.row, key: look.key } });
      },
    }),
};
