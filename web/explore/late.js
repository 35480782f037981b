// What nothing needs until the reader does something, in one file that is fetched then: the panels of
// changes and pins, a neuron's card, and what stands in the folds under a picture.

export { saveFigure, saveTensor, tableOfMap, tableOfSheet } from '../export/save.js';
export { brush } from './brush/panel.js';
export { compare } from './compare/panel.js';
export { effect } from './effect/panel.js';
export * as neuronCard from './neuron/card-view.js';
