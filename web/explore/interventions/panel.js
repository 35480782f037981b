// What is changed, to be taken back; what can be changed where the reader looks; undo and redo.

import { html } from 'lit-html';
import {
  changedSwitches,
  interventionLabel,
  put,
  standingAt,
  switchesAsBuilt,
  temperatureOf,
  without,
} from '../../engine/interventions.js';
import { pinOf } from '../../engine/plan.js';
import * as view from './view.js';
import * as buttons from './buttons-view.js';
import { neuronAt } from '../shared/neuron-at.js';
import { lookedAt, wordsOf } from '../shared/words.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {Omit<import('./buttons-view.js').Intervention, 'of' | 'now'> & {of: Intervention}} Group
 */

/** @param {Pick<import('../index.js').State, 'weight'>} state */
const weightName = ({ weight: { name, row, column } }) => `@weight/${name}/${row}/${column}`;

/**
 * @param {Pick<import('../index.js').State, 'settings' | 'interventions'>} state
 * @param {Record<string, any> | undefined} trained
 * @param {import('../../engine/plan.js').Plan} plan
 */
const listed = ({ settings, interventions: list }, trained, plan) => ({
  chips: [
    ...changedSwitches(settings, trained).map(({ label }) => label),
    ...list.map((change) => interventionLabel(change, (kind) => wordsOf({ plan }, kind))),
  ],
  temperature: temperatureOf(list),
});

/** @type {import('../index.js').Panel<import('./view.js').ChangesData>} */
export const interventions = {
  name: 'interventions',
  slot: 'rail',
  isAside: true,
  showsTyping: true, // it can be undone
  section: html`
    <section class="panel interventions-panel" aria-labelledby="interventions-title">
      <h2 id="interventions-title">Change the model</h2>
      <div data-slot="change"></div>
      <div id="interventions"></div>
    </section>`,
  required: ({ state }) => (state.weight ? [weightName({ weight: state.weight })] : []),
  present: ({ result, state, modelInfo }) => ({
    ...listed(state, modelInfo?.config, result.plan),
    weight: result.derived.get(weightName(state)) ?? null,
  }),
  blank: ({ plan }) => ({ ...listed(plan, plan.base ?? undefined, plan), weight: null }),
  create(root, { get, set, modelInfo, history }) {
    /** @param {Intervention} change */
    const make = (change) => set({ interventions: put(get().interventions, change) });
    const inner = view.create(root, {
      onTakeBack(index) {
        const { settings, interventions: list } = get();
        const switches = changedSwitches(settings, modelInfo()?.config);
        if (index < switches.length) set({ settings: { ...settings, [switches[index].name]: switches[index].value } });
        else set({ interventions: without(list, index - switches.length) });
      },
      onTemperature: (value) => make({ what: 'temperature', value }),
      onWeight: (weight) => set({ weight: { ...get().weight, ...weight } }),
      onEdit: (place, value) => make({ what: 'weight', ...place, value }),
      onUndo: history.undo,
      onRedo: history.redo,
      onReset: () =>
        set({
          interventions: [],
          settings: { ...get().settings, ...switchesAsBuilt(get().settings, modelInfo()?.config) },
        }),
      onPin: () => set({ pinned: get().pinned ? null : pinOf(get()) }),
    });
    return {
      ...inner,
      update: (data) =>
        inner.update(
          data && { ...data, pinned: Boolean(get().pinned), canUndo: history.canUndo(), canRedo: history.canRedo() },
        ),
    };
  },
};

/**
 * Buttons beside a map: each makes an intervention or, pressed again, takes it back.
 * @param {string} name
 * @param {import('../index.js').Placed['nodes']} nodes where it is shown
 * @param {(result: import('../../engine/results.js').Result, state: import('../index.js').State) => Group[]} groups
 * @returns {import('../index.js').Panel<import('./buttons-view.js').Intervention[]>}
 */
const beside = (name, nodes, groups) => ({
  name,
  slot: 'change',
  isAside: true,
  nodes,
  section: html`<div id=${name} hidden></div>`,
  present: ({ result, state }) =>
    groups(result, state).map(({ label, hint, of, choices, range }) => {
      const now = standingAt(state.interventions, of);
      return { label, hint, of, choices, range, now: now && 'to' in now ? now.to : null };
    }),
  create: (root, { get, set }) =>
    buttons.create(root, {
      onSet(of, to) {
        const list = get().interventions;
        const change = /** @type {Intervention} */ ({
          .../** @type {Intervention} */ (of),
          ...(to === null ? {} : { to }),
        });
        set({
          interventions: to === null ? list.filter((each) => each !== standingAt(list, change)) : put(list, change),
        });
      },
    }),
});

export const changeHead = beside('change-head', undefined, (result, state) => {
  const {
    selection: { layer, head, mean },
    kind,
    rowWords,
    columnWords,
    row,
    key,
  } = lookedAt(result, state);
  if (mean || !rowWords.length) return [];
  const place = { kind, layer, head };
  const columns = columnWords.length;
  const seen =
    columns -
    (result.hidden[kind]?.subarray(row * columns, (row + 1) * columns).reduce((sum, flag) => sum + flag, 0) ?? 0);
  /** @type {Record<string, number>} */
  const cells = { 'Set to 0': 0, [`Uniform (1/${seen})`]: 1 / Math.max(1, seen) };
  return [
    {
      label: `This head (layer ${layer + 1}, head ${head + 1})`,
      hint: '',
      range: null,
      of: { what: 'head', ...place, to: 0 },
      choices: { 'Switch off': 0, 'Replace with average': 'mean' },
    },
    {
      label: `Selected cell, ${rowWords[row]} → ${columnWords[key]}`,
      hint: 'The rest of the row is unchanged.',
      range: [0, 1],
      of: { what: 'cell', ...place, row, key, to: 0 },
      choices: cells,
    },
  ];
});

export const changeNeuron = beside('change-neuron', ['ffn'], (result, state) => {
  const {
    selection: { layer },
    kind,
    rowWords,
  } = lookedAt(result, state);
  const { d_ff } = result.plan.settings;
  if (!d_ff || !rowWords.length) return [];
  const neuron = neuronAt(result, state);
  return [
    {
      label: `Neuron ${neuron} of layer ${layer + 1}, at every token`,
      hint: '',
      range: [-1e6, 1e6],
      of: { what: 'neuron', kind: kind === 'cross' ? 'decoder' : kind, layer, neuron, to: 0 },
      choices: { 'Switch off': 0, 'Replace with average': 'mean' },
    },
  ];
});
