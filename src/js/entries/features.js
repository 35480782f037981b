/**
 * Features: sparse autoencoders, which split a model's activations into directions that each stand for one thing.
 *
 * @module glassformer/features
 */
export { loadFeatures } from '../features/load-features.js';
export { trainFeatures } from '../features/train-features.js';
export { detectors } from '../features/corpus.js';

/** @typedef {import('../features/features.js').Features} Features */
/** @typedef {import('../features/features.js').Edit} Edit */
/** @typedef {import('../features/corpus.js').Activity} Activity */
/** @typedef {import('../features/corpus.js').Detector} Detector */
/** @typedef {import('../features/corpus.js').Example} Example */
/** @typedef {import('../features/corpus.js').Places} Places */
/** @typedef {import('../features/train-features.js').TrainFeaturesOptions} TrainFeaturesOptions */
/** @typedef {import('../features/train-features.js').FeaturesProgress} FeaturesProgress */
/** @typedef {import('../features/load-features.js').FeatureFiles} FeatureFiles */
/** @typedef {import('../features/load-features.js').FeatureOptions} FeatureOptions */
/** @typedef {import('../files/checkpoint-source.js').Folder} Folder */
/** @typedef {import('../files/checkpoint-source.js').JsonSource} JsonSource */
/** @typedef {import('../formats/source.js').FileSource} FileSource */
