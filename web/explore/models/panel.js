// Which model is shown.

import { LABELS } from '../../models/catalogue.js';
import * as view from './view.js';

/** @type {import('../index.js').Input<import('./view.js').ModelsData>} */
export const models = {
  name: 'models',
  slot: 'models',
  input: ({ chosenModel }) => ({ labels: LABELS, selected: chosenModel }),
  create: (root, { chooseModel, openOwn }) =>
    view.create(root, {
      onSelect: (name) => chooseModel(/** @type {import('../../models/catalogue.js').ModelName} */ (name)),
      onOpen: openOwn,
    }),
};
