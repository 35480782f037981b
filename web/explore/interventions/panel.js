// What is changed, to be taken back; what can be changed where the reader looks; undo and redo.

import { asBuilt, labelOf, put, standing, switched, temperatureOf, without } from '../../engine/interventions.js';
import { pinOf } from '../../app/schema.js';
import * as view from './view.js';
import * as deeds from './buttons-view.js';
import { lookedAt, wordsOf } from '../shared/words.js';

/**
 * @typedef {import('../../engine/interventions.js').Change} Change
 * @typedef {import('../index.js').Tools} Tools
 * @typedef {Omit<import('./buttons-view.js').Deed, 'of' | 'now'> & {of: Change}} Group
 */

/** @param {Pick<import('../index.js').State, 'weight'>} state */
const weightName = ({ weight: { name, row, column } }) => `@weight/${name}/${row}/${column}`;

/**
 * @param {Pick<import('../index.js').State, 'settings' | 'changes'>} state
 * @param {Record<string, any> | undefined} trained
 * @param {import('../../engine/plan.js').Plan} plan
 */
const listed = ({ settings, changes: list }, trained, plan) => ({
  chips: [
    ...switched(settings, trained).map(({ label }) => label),
    ...list.map((change) => labelOf(change, (kind) => wordsOf({ plan }, kind))),
  ],
  temperature: temperatureOf(list),
});

/** @type {import('../index.js').Panel<import('./view.js').ChangesData>} */
export const changes = {
  name: 'changes',
  part: 'run',
  wants: (_, state) => (state.weight ? [weightName({ weight: state.weight })] : []),
  present: (picture, state, scheme, known) => ({
    ...listed(state, known?.config, picture.plan),
    weight: picture.lab.get(weightName(state)) ?? null,
  }),
  blank: (plan) => ({ ...listed(plan, plan.base ?? undefined, plan), weight: null }),
  create(root, { get, set, description, history }) {
    /** @param {Change} change */
    const make = (change) => set({ changes: put(get().changes, change) });
    const inner = view.create(root, {
      onTakeBack(index) {
        const { settings, changes: list } = get();
        const switches = switched(settings, description()?.config);
        if (index < switches.length) set({ settings: { ...settings, [switches[index].name]: switches[index].value } });
        else set({ changes: without(list, index - switches.length) });
      },
      onTemperature: (value) => make({ what: 'temperature', value }),
      onWeight: (weight) => set({ weight: { ...get().weight, ...weight } }),
      onEdit: (place, value) => make({ what: 'weight', ...place, value }),
      onUndo: history.undo,
      onRedo: history.redo,
      onReset: () =>
        set({ changes: [], settings: { ...get().settings, ...asBuilt(get().settings, description()?.config) } }),
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
 * Buttons beside a map: each puts a change in or, pressed again, takes it back.
 * @param {string} name
 * @param {import('../index.js').Part} part
 * @param {(picture: import('../../engine/results.js').Picture, state: import('../index.js').State) => Group[]} groups
 * @returns {import('../index.js').Panel<import('./buttons-view.js').DeedsData>}
 */
const beside = (name, part, groups) => ({
  name,
  part,
  wants: () => [],
  present: (picture, state) =>
    groups(picture, state).map(({ label, hint, of, choices, range }) => {
      const now = standing(state.changes, of);
      return { label, hint, of, choices, range, now: now && 'to' in now ? now.to : null };
    }),
  create: (root, { get, set }) =>
    deeds.create(root, {
      onSet(of, to) {
        const list = get().changes;
        const change = /** @type {Change} */ ({ .../** @type {Change} */ (of), ...(to === null ? {} : { to }) });
        set({ changes: to === null ? list.filter((each) => each !== standing(list, change)) : put(list, change) });
      },
    }),
});

export const changeHead = beside('change-head', 'attention', (picture, state) => {
  const {
    selection: { layer, head, mean },
    kind,
    rowWords,
    columnWords,
    row,
    key,
  } = lookedAt(picture, state);
  if (mean || !rowWords.length) return [];
  const place = { kind, layer, head };
  const columns = columnWords.length;
  const seen =
    columns -
    (picture.hidden[kind]?.subarray(row * columns, (row + 1) * columns).reduce((sum, flag) => sum + flag, 0) ?? 0);
  /** @type {Record<string, number>} */
  const cells = { 'Set to 0': 0, [`Set to 1/${seen}`]: 1 / Math.max(1, seen) };
  return [
    {
      label: `This head (layer ${layer + 1}, head ${head + 1})`,
      hint: '',
      range: null,
      of: { what: 'head', ...place, to: 0 },
      choices: { 'Switch it off': 0, 'Its mean over the text': 'mean' },
    },
    {
      label: `The pinned cell, ${rowWords[row]} → ${columnWords[key]}`,
      hint: 'The rest of its row stays as it is.',
      range: [0, 1],
      of: { what: 'cell', ...place, row, key, to: 0 },
      choices: cells,
    },
  ];
});

export const changeNeuron = beside('change-neuron', 'ffn', (picture, state) => {
  const {
    selection: { layer },
    kind,
    rowWords,
  } = lookedAt(picture, state);
  const { d_ff } = picture.plan.settings;
  if (!d_ff || !rowWords.length) return [];
  const neuron = Math.min(state.cursor.neuron, d_ff - 1);
  return [
    {
      label: `Neuron ${neuron} of layer ${layer + 1}, for every token`,
      hint: '',
      range: [-1e6, 1e6],
      of: { what: 'neuron', kind: kind === 'cross' ? 'decoder' : kind, layer, neuron, to: 0 },
      choices: { 'Switch it off': 0, 'Its mean over the text': 'mean' },
    },
  ];
});
