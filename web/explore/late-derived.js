// The derived values that the first result does not need, in one file that the worker fetches with the first of them.

export { decision } from './derived/decision.js';
export { before } from './derived/before.js';
export { norm } from './derived/layer-norm.js';
export { lens } from './derived/logit-lens.js';
export { neurons, similar } from './derived/neuron.js';
export { positionDots } from './derived/positions.js';
export { ablations } from './derived/ablations.js';
export { corpus } from './shared/corpus.js';
