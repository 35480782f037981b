// What the reader tries first: the head on or off, one weight, the temperature, and what the answer becomes.

import { put, setTo, standingAt, temperatureOf } from '../../engine/interventions.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { namesOfBoth, probabilitiesBefore, wordsOfBoth } from '../shared/before.js';
import { weightsAt } from '../shared/weights.js';
import { lookedAt } from '../shared/words.js';
import { section } from './section.js';
import * as view from './view.js';

/** @typedef {import('../../engine/interventions.js').Intervention} Intervention */

const MOST = 4;

/**
 * The head and the cell that the reader has selected, as interventions.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @returns {{head: Intervention, cell: Intervention} | null} null: the mean of several heads, none, or no token
 */
function selected(result, state) {
  const { selection, kind, rowWords, row, key } = lookedAt(result, state);
  const { layer, head, mean } = selection;
  if (mean || !rowWords.length || !result.plan.settings.heads) return null;
  return {
    head: { what: 'head', kind, layer, head, to: 0 },
    cell: { what: 'cell', kind, layer, head, row, key, to: 0 },
  };
}

/**
 * The likeliest words before and now at the cursor; none while nothing is changed, or the former are not here yet.
 * @param {import('../index.js').Context} context
 */
function answersOf(context, /** @type {number} */ row) {
  const { result, modelInfo } = context;
  const before = modelInfo && probabilitiesBefore(context);
  return before
    ? wordsOfBoth(before, result.derived.get(PROBABILITIES).data, row, modelInfo.outputVocabulary, MOST)
    : [];
}

/** @type {import('../index.js').Panel<import('./view.js').TryData>} */
export const trying = {
  name: 'try',
  slot: 'why',
  section,
  required: ({ plan }) => namesOfBoth(plan),
  present(context) {
    const { result, state } = context;
    const { rowWords, columnWords, row, key, selection } = lookedAt(result, state);
    const place = selected(result, state);
    const weights = weightsAt(result, state);
    return {
      head: place && {
        name: `layer ${selection.layer + 1}, head ${selection.head + 1}`,
        isOn: !standingAt(state.interventions, place.head),
      },
      weight:
        place && weights
          ? {
              row: rowWords[row],
              key: columnWords[key],
              value: weights.data[row * columnWords.length + key],
              isSet: Boolean(standingAt(state.interventions, place.cell)),
            }
          : null,
      temperature: result.plan.settings.heads ? temperatureOf(state.interventions) : null,
      answers: answersOf(context, row),
    };
  },
  create(root, { get, set, result, history }) {
    /** @param {'head' | 'cell'} what @param {number | null} to null: as computed */
    function change(what, to) {
      const now = result();
      const place = now && selected(now, get());
      if (!place) return;
      set({ interventions: setTo(get().interventions, place[what], to) });
    }
    const more = /** @type {HTMLDetailsElement} */ (root.parentElement?.querySelector('details'));
    let arranged = ''; // the layout by which it was opened or closed last
    const inner = view.create(root, {
      onHead: (isOn) => change('head', isOn ? null : 0),
      onWeight: (to) => change('cell', to),
      onTemperature: (value) => set({ interventions: put(get().interventions, { what: 'temperature', value }) }),
      onUndo: history.undoChange,
      onRedo: history.redoChange,
    });
    return {
      ...inner,
      update(data) {
        const { layout } = get();
        if (layout !== arranged) more.open = layout === 'page';
        arranged = layout;
        inner.update(data && { ...data, canUndo: history.canUndoChange(), canRedo: history.canRedoChange() });
      },
    };
  },
};
