// The settings of the model; of a trained one only the switches.

import { PRESETS, changeSettings, defaultState, trainedState } from '../../app/schema.js';
import * as view from './view.js';

/** @type {import('../inputs.js').Input<import('./view.js').ControlsData>} */
export const settings = {
  name: 'controls',
  present: (state, known, { error }) => ({ values: state.settings, error: error(), fixed: Boolean(known) }),
  create(root, { get, set, description }) {
    const box = root.closest('details');
    const wide = matchMedia('(min-width: 62rem)');
    const open = () => {
      if (wide.matches) box?.setAttribute('open', '');
    };
    wide.addEventListener('change', open);
    open();
    return view.create(root, {
      onChange: (patch) => set(changeSettings(get(), patch)),
      onPreset: (name) => set(changeSettings(get(), PRESETS[name])),
      onReset() {
        const { model } = get();
        const known = description();
        set(
          model === 'untrained' || !known ? defaultState() : { settings: trainedState(model, known.config).settings },
        );
      },
    });
  },
};
