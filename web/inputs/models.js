// Which model is shown.

import { LABELS } from '../catalogue.js';
import * as view from '../views/models.js';

/** @type {import('./index.js').Input<import('../views/models.js').ModelsData>} */
export const models = {
  name: 'models',
  present: (state, known, { chosen }) => ({ labels: LABELS, selected: chosen() }),
  create: (root, { choose }) =>
    view.create(root, { onSelect: (name) => choose(/** @type {import('../catalogue.js').ModelName} */ (name)) }),
};
