// Where else a reader sees what a claim is about: its own model, which Explore opens, and the state of Explore or Train
// that shows the same.
import { largest } from './numbers.js';

/**
 * @typedef {import('glassformer').Engine} Engine
 * @typedef {import('./train.js').Model} Model
 * @typedef {import('glassformer/tasks').Vocabulary} Vocabulary
 *
 * A cell of an attention map in the first layer and, where one decides, a neuron of the FFN.
 * @typedef {'encoder' | 'decoder' | 'cross'} Kind
 * @typedef {{kind: Kind, head: number, row: number, key: number, neuron: number | null}} Cell
 *
 * @typedef {object} Shown
 * @property {{vocabulary: Vocabulary, outputVocabulary?: Vocabulary}} task
 * @property {number[][]} rows ids of inputs; the cell is one of the first
 * @property {Cell} cell
 *
 * Explore's description of a model.
 * @typedef {object} Text
 * @property {RegExp} token the pattern of its tokens
 * @property {string} joint what stands between them
 * @property {string} does in the list of models
 * @property {string} goal what it was trained for, or what its layer is
 * @property {string} hint where it opens, and what to try there
 * @property {string} node of the model graph
 * @property {string} [shows] what of that node, where it has several views
 *
 * The model that decides, of the first seed, with the same bits as in `run`; of claims about a layer alone that layer.
 * @typedef {object} OwnModel
 * @property {boolean} isTrained or made of the claim's vectors and weights
 * @property {string} where it opens, on the button
 * @property {(settings: any) => boolean} [isUsed] at these switches
 * @property {(settings: any) => Text} text
 * @property {(gf: Engine, settings: any) => import('./layer.js').Layer | Promise<import('./layer.js').Layer>} [layer]
 * that the model is made of; the others are trained:
 * @property {number | ((settings: any) => number)} [steps] that `learn` takes
 * @property {(gf: Engine, settings: any, step: () => Promise<void>) => Promise<Model>} [learn]
 * @property {(model: Model, settings: any, gf: Engine) => Shown} [show] where it opens
 *
 * The state to open in another place: settings of a model or task by their names, the text, and the parts to show:
 * `node` of the model graph and what it `shows`, `query` and `key` of a map.
 * @typedef {object} Matching
 * @property {'Explore' | 'Train'} place
 * @property {Record<string, string | number | boolean>} state
 * @property {string} note what it has of the claim, and what it has not
 *
 * None where nothing there matches.
 * @typedef {(settings: any) => Matching | null} MatchingOf
 *
 * @typedef {object} ExploreModule
 * @property {OwnModel} [ownModel]
 * @property {MatchingOf} [matching]
 */

/** Patterns of tokens. */
export const DIGIT = /\d/g;
export const NAMED = /[a-z]\d+/gi;
const ROWS = 4;

/** @param {Matching['state']} state of an untrained model @param {string} note @returns {Matching} */
export const inExplore = (state, note) => ({ place: 'Explore', state, note });

/** @param {Matching['state']} state @param {string} note @returns {Matching} */
export const inTrain = (state, note) => ({ place: 'Train', state, note });

export const SAME_RUN = 'the card’s own run of its first seed, with the same weights';

/** @param {ArrayLike<number>} list */
export const indexOfLargest = (list) => Array.from(list).indexOf(largest(Array.from(list)));

/** The first rows of a batch. @param {any} ids @returns {number[][]} */
export const rowsIn = ({ data, shape: [, width] }, count = ROWS) =>
  Array.from({ length: count }, (_, row) => [...data.subarray(row * width, (row + 1) * width)]);
