// What lies deeper, in folds: FFN neurons, gradients and updates of each layer over the steps. Fetched when one is
// opened.

import { addStyle } from '../../draw/style.js';
import { createLayers } from './layers-view.js';
import { createNeurons } from './neurons-view.js';

import css from './watch.css';

addStyle(css);

export { createLayers, createNeurons };
