// What lies deeper, in folds: gradients and updates of each layer over the steps, and histograms of the weights.
// Fetched when one is opened.

import { createHistograms } from './histograms-view.js';
import { createLayers } from './layers-view.js';

export { createHistograms, createLayers };
