// What is changed, to be taken back; what can be changed where the reader looks; undo and redo.

import { html } from 'lit-html';
import {
  changedSwitches,
  interventionLabel,
  put,
  setTo,
  standingAt,
  switchesAsBuilt,
  without,
} from '../../engine/interventions.js';
import { pinOf } from '../../engine/plan.js';
import * as view from './view.js';
import * as buttons from './buttons-view.js';
import { neuronAt } from '../shared/neuron-at.js';
import { otherSentence } from '../shared/other-sentence.js';
import { lookedAt, visibleWords, wordsOf } from '../shared/words.js';

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
});

/** @type {import('../index.js').Panel<import('./view.js').ChangesData>} */
export const interventions = {
  name: 'interventions',
  isAside: true,
  showsTyping: true, // a text takes changes of its words along
  slot: 'interventions',
  required: ({ state }) => (state.weight ? [weightName({ weight: state.weight })] : []),
  present: ({ result, state, modelInfo }) => ({
    ...listed(state, modelInfo?.config, result.plan),
    weight: result.derived.get(weightName(state)) ?? null,
  }),
  blank: ({ plan }) => ({ ...listed(plan, plan.base ?? undefined, plan), weight: null }),
  create(root, { get, set, modelInfo }) {
    /** @param {Intervention} change */
    const make = (change) => set({ interventions: put(get().interventions, change) });
    const list = /** @type {HTMLElement} */ (document.getElementById('changes'));
    const inner = view.create(root, list, {
      onTakeBack(index) {
        const { settings, interventions: list } = get();
        const switches = changedSwitches(settings, modelInfo()?.config);
        if (index < switches.length) set({ settings: { ...settings, [switches[index].name]: switches[index].value } });
        else set({ interventions: without(list, index - switches.length) });
      },
      onWeight: (weight) => set({ weight: { ...get().weight, ...weight } }),
      onEdit: (place, value) => make({ what: 'weight', ...place, value }),
      onReset: () =>
        set({
          interventions: [],
          settings: { ...get().settings, ...switchesAsBuilt(get().settings, modelInfo()?.config) },
        }),
      onPin: () => set({ pinned: get().pinned ? null : pinOf(get()) }),
    });
    return { ...inner, update: (data) => inner.update(data && { ...data, pinned: Boolean(get().pinned) }) };
  },
};

/**
 * Buttons beside a map: each makes an intervention or, pressed again, takes it back.
 * @param {string} name
 * @param {import('../index.js').Placed['nodes']} nodes where it is shown
 * @param {(context: import('../index.js').Context) => Group[]} groups
 * @returns {import('../index.js').Panel<import('./buttons-view.js').Intervention[]>}
 */
const beside = (name, nodes, groups) => ({
  name,
  slot: 'change',
  isAside: true,
  nodes,
  section: html`<div id=${name} hidden></div>`,
  present: (context) =>
    groups(context).map((group) => ({ ...group, now: standingAt(context.state.interventions, group.of) ?? null })),
  create: (root, { get, set }) =>
    buttons.create(root, {
      onSet: (of, fields) =>
        set({
          interventions: fields
            ? put(get().interventions, /** @type {Intervention} */ ({ .../** @type {object} */ (of), ...fields }))
            : setTo(get().interventions, /** @type {Intervention} */ (of), null),
        }),
    }),
});

/** @type {import('./buttons-view.js').Intervention['choices']} */
const OFF_OR_MEAN = { 'Switch off': { to: 0 }, 'Replace with average': { to: 'mean' } };

export const changeHead = beside('change-head', undefined, ({ result, state }) => {
  const {
    selection: { layer, head, mean },
    kind,
    rowWords,
    columnWords,
    row,
    key,
  } = lookedAt(result, state);
  if (mean || !rowWords.length || !result.plan.settings.heads) return [];
  const place = { kind, layer, head };
  const columns = columnWords.length;
  const seen =
    columns -
    (result.hidden[kind]?.subarray(row * columns, (row + 1) * columns).reduce((sum, flag) => sum + flag, 0) ?? 0);
  const cells = { 'Set to 0': { to: 0 }, [`Uniform (1/${seen})`]: { to: 1 / Math.max(1, seen) } };
  return [
    {
      label: `This head (layer ${layer + 1}, head ${head + 1})`,
      hint: '',
      range: null,
      of: { what: 'head', ...place, to: 0 },
      choices: OFF_OR_MEAN,
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

export const changeNeuron = beside('change-neuron', ['ffn'], ({ result, state }) => {
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
      choices: OFF_OR_MEAN,
    },
  ];
});

export const changeVector = beside('change-vector', undefined, ({ result, state, modelInfo }) => {
  const { plan } = result;
  const { selection, kind, rowWords, row } = lookedAt(result, state);
  const tokens = kind === 'encoder' ? plan.tokens.encoder : (plan.tokens.decoder ?? plan.tokens.encoder);
  const word = visibleWords(tokens?.words ?? [])[row];
  if (!rowWords.length || word === undefined) return [];
  const { layer } = selection;
  const other = modelInfo && otherSentence(plan, state, modelInfo);
  const words = other && visibleWords(/** @type {string[]} */ (modelInfo.vocabulary));
  const different = other?.filter((id, i) => id !== plan.ids[i]).map((id) => words?.[id]);
  return [
    {
      label: `Vector of ${word} on its way into layer ${layer + 1}`,
      hint: '',
      range: null,
      of: { what: 'patch', kind: kind === 'encoder' ? kind : 'decoder', after: layer, row, from: 'mean', share: 1 },
      choices: {
        'Average of the tokens': { from: 'mean', share: 1 },
        ...(other && { [`From the sentence with ${different?.join(', ')}`]: { from: other, share: 1 } }),
      },
    },
  ];
});
