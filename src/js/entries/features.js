/**
 * Features: sparse autoencoders, which split a model's activations into directions that each stand for one thing.
 *
 * @module glassformer/features
 */
export { loadFeatures } from '../features/load-features.js';

/** @typedef {import('../features/features.js').Features} Features */
/** @typedef {import('../features/features.js').Edit} Edit */
/** @typedef {import('../features/load-features.js').FeatureFiles} FeatureFiles */
/** @typedef {import('../features/load-features.js').FeatureOptions} FeatureOptions */
/** @typedef {import('../files/checkpoint-source.js').Folder} Folder */
/** @typedef {import('../files/checkpoint-source.js').JsonSource} JsonSource */
/** @typedef {import('../formats/source.js').FileSource} FileSource */
