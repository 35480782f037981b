// The settings of the model; of a trained one only the switches.

import { CONTROLS, PRESETS, changeSettings, defaultState, openingState } from '../../app/schema.js';
import * as view from './view.js';
import { section } from './section.js';

/**
 * The settings in one line.
 * @param {import('../../app/schema.js').Settings} settings
 */
const factsOf = ({ layers, heads, d_model, norm, activation }) =>
  `${layers} ${layers === 1 ? 'layer' : 'layers'}, ${heads} ${heads === 1 ? 'head' : 'heads'}, d_model ${d_model}, ` +
  `${norm === 'none' ? 'no' : norm} LayerNorm, ${activation}`;

/** @type {import('../index.js').Input<import('./view.js').ControlsData>} */
export const settings = {
  name: 'controls',
  slot: 'end',
  section,
  input: ({ state, modelInfo, error }) => ({ values: state.settings, error, fixed: Boolean(modelInfo) }),
  create(root, { get, set, modelInfo }) {
    const box = /** @type {HTMLDetailsElement} */ (root.closest('details'));
    const facts = /** @type {HTMLElement} */ (box.querySelector('.settings-facts'));
    const wide = matchMedia('(min-width: 62rem)');
    let arranged = '';
    const inner = view.create(root, CONTROLS, {
      onChange: (patch) => set(changeSettings(get(), patch)),
      onPreset: (name) => set(changeSettings(get(), PRESETS[name])),
      onReset() {
        const { model } = get();
        const opening = openingState(model, modelInfo());
        set(model === 'untrained' ? { ...defaultState(), layout: get().layout } : { settings: opening.settings });
      },
    });
    return {
      ...inner,
      /** @param {import('./view.js').ControlsData} data */
      update(data) {
        facts.textContent = factsOf(get().settings).replace('NaN', 'empty');
        if (get().layout !== arranged) {
          arranged = get().layout;
          box.open = arranged === 'page' && wide.matches; // the workspace shows one line until it is opened
        }
        if (data.error && data.error.parameter in data.values) box.open = true; // the reason stands at its field
        inner.update(data);
      },
    };
  },
};
