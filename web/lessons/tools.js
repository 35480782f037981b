// The switches that stand in the tasks of Explore.

import { put, setTo, standingAt } from '../engine/interventions.js';
import { ffnName } from '../engine/plan.js';
import { largest } from './numbers.js';

/**
 * @typedef {import('./index.js').Tool} Tool
 * @typedef {import('../explore/shared/facts.js').Facts} Facts
 * @typedef {import('../engine/interventions.js').Intervention} Intervention
 */

/**
 * @template T
 * @param {Tool['label']} label @param {Record<string, T>} choices
 * @param {(value: T) => import('./index.js').Choice} make
 * @returns {Tool}
 */
const tool = (label, choices, make) => ({
  label,
  choices: Object.fromEntries(Object.entries(choices).map(([name, value]) => [name, make(value)])),
});

/** Of the whole state. @param {string} label @param {Record<string, object>} choices */
export const stateTool = (label, choices) => tool(label, choices, (patch) => () => patch);

/** Of a value, as 'settings.norm'. @param {string} label @param {string} path @param {object} choices by name */
export function valueTool(label, path, choices) {
  const [part, name] = path.split('.');
  return tool(label, /** @type {Record<string, any>} */ (choices), (value) => (state) => ({
    [part]: { ...state[part], [name]: value },
  }));
}

/**
 * Of an intervention at what the reader has selected.
 * @param {(facts: Facts) => string} label @param {(facts: Facts) => Intervention} place
 * @param {Record<string, number | null>} choices null: as computed
 */
export const placeTool = (label, place, choices) =>
  tool(label, choices, (to) => ({ interventions }, facts) => ({
    interventions: setTo(interventions, place(facts), to),
  }));

/** The head that the reader has selected. */
export const headTool = placeTool(
  ({ selection: { layer, head } }) => `Layer ${layer + 1}, head ${head + 1}`,
  ({ kind, selection: { layer, head } }) => ({ what: 'head', kind, layer, head, to: 0 }),
  { on: null, off: 0 },
);

/** The selected head, everywhere or at one word alone. @param {number} row @param {string} word there */
export const headHereTool = (row, word) =>
  tool(
    ({ selection: { layer, head } }) => `Layer ${layer + 1}, head ${head + 1}`,
    { on: [null, null], [`off at “${word}”`]: [null, 0], 'off everywhere': [0, null] },
    ([all, here]) =>
      ({ interventions }, { kind, selection: { layer, head } }) => {
        const rest = setTo(interventions, { what: 'head', kind, layer, head, to: 0 }, all);
        return { interventions: setTo(rest, { what: 'headAt', kind, layer, head, row, to: 0 }, here) };
      },
  );

/** The weight that the reader has selected. */
export const weightTool = placeTool(
  ({ word, keyWord }) => `Weight ${word} → ${keyWord}`,
  ({ kind, selection: { layer, head }, row, key }) => ({ what: 'cell', kind, layer, head, row, key, to: 0 }),
  { 'as computed': null, 'set to 0': 0 },
);

/**
 * Switches off one place at a time: the others of its kind are on again.
 * @param {(facts: Facts) => string} label @param {(facts: Facts) => Intervention} place
 */
const oneOff = (label, place) =>
  tool(label, { on: null, off: 0 }, (to) => ({ interventions }, facts) => {
    const change = place(facts);
    const own = standingAt(interventions, change);
    const rest = interventions.filter((/** @type {Intervention} */ each) => each === own || each.what !== change.what);
    return { interventions: setTo(to === null ? interventions : rest, change, to) };
  });

/** The selected neuron, until then the one that is off, or the strongest. @param {Facts} facts */
export const neuronOf = ({ kind, selection: { layer }, state, interventions, rowOf }) =>
  state.cursor.neuron ??
  interventions.find((each) => each.what === 'neuron')?.neuron ??
  largest(rowOf(ffnName(kind, layer, 'activation')));

/** The neuron that the reader has selected. */
export const neuronTool = oneOff(
  (facts) => `Layer ${facts.selection.layer + 1}, neuron ${neuronOf(facts)}`,
  (facts) => ({ what: 'neuron', kind: facts.kind, layer: facts.selection.layer, neuron: neuronOf(facts), to: 0 }),
);

/** The FFN of the selected layer, at the selected word alone. */
export const ffnHereTool = oneOff(
  ({ selection: { layer }, word }) => `Layer ${layer + 1}, FFN at “${word}”`,
  ({ kind, selection: { layer }, row }) => ({ what: 'ffnAt', kind, layer, row, to: 0 }),
);

export const temperatureTool = tool('Temperature', { 1: 1, 2: 2 }, (value) => ({ interventions }) => ({
  interventions: put(interventions, { what: 'temperature', value }),
}));

/** Whether the state is what a choice makes of it. @param {import('./index.js').Choice} choice @param {Facts} facts */
export const isChosen = (choice, facts) =>
  Object.entries(choice(facts.state, facts)).every(
    ([key, value]) =>
      key === 'follow' || JSON.stringify(value) === JSON.stringify(/** @type {any} */ (facts.state)[key]),
  );
