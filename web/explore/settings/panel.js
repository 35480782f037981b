// The settings of the model; of a trained one only the switches.

import { CONTROLS, PRESETS, changeSettings, defaultState, openingState } from '../../app/schema.js';
import * as view from './view.js';
import { section } from './section.js';

/** @type {import('../index.js').Input<import('./view.js').ControlsData>} */
export const settings = {
  name: 'controls',
  slot: 'bench',
  section,
  input: ({ state, modelInfo, error }) => ({ values: state.settings, error, fixed: Boolean(modelInfo) }),
  create(root, { get, set, modelInfo }) {
    const box = root.closest('details');
    const wide = matchMedia('(min-width: 62rem)');
    const open = () => {
      if (wide.matches) box?.setAttribute('open', '');
    };
    wide.addEventListener('change', open);
    open();
    return view.create(root, CONTROLS, {
      onChange: (patch) => set(changeSettings(get(), patch)),
      onPreset: (name) => set(changeSettings(get(), PRESETS[name])),
      onReset() {
        const { model } = get();
        const opening = openingState(model, modelInfo());
        set(model === 'untrained' ? defaultState() : { settings: opening.settings });
      },
    });
  },
};
