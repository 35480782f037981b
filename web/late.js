// What nothing needs until the reader does something, in one file that is fetched then: the panels of
// changes and pins, a neuron's card, and what stands in the folds under a picture.

export { savePicture, saveTensor, tableOfMap, tableOfSheet } from './export/save.js';
export { brush } from './panels/brush.js';
export { compare } from './panels/compare.js';
export { effect } from './panels/effect.js';
export * as neuronCard from './views/neuron-card.js';
