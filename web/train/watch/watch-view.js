// What lies deeper, in folds: gradients and updates of each layer over the steps, and histograms of the weights.
// Fetched when one is opened.

import { addStyle } from '../../draw/style.js';
import { createHistograms } from './histograms-view.js';
import { createLayers } from './layers-view.js';

import css from './watch.css';

addStyle(css);

export { createHistograms, createLayers };
