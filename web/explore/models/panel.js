// Which model is shown.

import { LABELS } from '../../models/catalogue.js';
import * as view from './view.js';

/** @type {import('../inputs.js').Input<import('./view.js').ModelsData>} */
export const models = {
  name: 'models',
  present: (state, known, { chosen }) => ({ labels: LABELS, selected: chosen() }),
  create: (root, { choose }) =>
    view.create(root, {
      onSelect: (name) => choose(/** @type {import('../../models/catalogue.js').ModelName} */ (name)),
    }),
};
