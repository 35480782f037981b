// Where else a reader sees what a claim is about: its own model, which Explore opens, and the state of Explore or Train
// that shows the same.
import { settingsOf } from './claim.js';
import { largest } from './numbers.js';
import { stepper } from './steps.js';

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
 * What Explore says of it.
 * @typedef {object} Text
 * @property {RegExp} token the pattern of its tokens
 * @property {string} joint what stands between them
 * @property {string} does in the list of models
 * @property {string} goal what it was trained for, or what its layer is
 * @property {string} hint where it opens, and what to try there
 * @property {string} node of the model graph
 * @property {string} [stream] view of the residual stream
 *
 * The model that decides, of the first seed, with the same bits as in `run`; of claims about a layer alone that layer.
 * @typedef {object} OwnModel
 * @property {boolean} isTrained or made of the claim's vectors and weights
 * @property {string} where it opens, on the button
 * @property {(settings: any) => boolean} [isUsed] at these switches
 * @property {(settings: any) => Text} text
 * @property {(gf: Engine, settings: any, onProgress?: import('./claim.js').OnProgress,
 *   signal?: import('./claim.js').Signal) => Promise<Shown & {model: Model}>} open
 *
 * A state of another place, by the names that its address has.
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
export const [DIGIT, NAMED] = [/\d/g, /[a-z]\d+/gi];
const ROWS = 4;

/** @param {Matching['state']} state of the untrained model @param {string} note @returns {Matching} */
export const inExplore = (state, note) => ({ place: 'Explore', state: { model: 'untrained', ...state }, note });

/** @param {Matching['state']} state @param {string} note @returns {Matching} */
export const inTrain = (state, note) => ({ place: 'Train', state, note });

export const SAME_RUN = 'the card’s own run of its first seed, with the same weights';

/** @param {ArrayLike<number>} list */
export const indexOfLargest = (list) => Array.from(list).indexOf(largest(Array.from(list)));

/** The first rows of a batch. @param {any} ids @returns {number[][]} */
export const rowsIn = ({ data, shape: [, width] }, count = ROWS) =>
  Array.from({ length: count }, (_, row) => [...data.subarray(row * width, (row + 1) * width)]);

/**
 * Opens a model by training it.
 * @param {number | ((settings: any) => number)} steps that it takes
 * @param {(gf: Engine, settings: any, step: () => Promise<void>) => Promise<Model>} learn
 * @param {(model: Model, settings: any, gf: Engine) => Shown} show
 * @returns {OwnModel['open']}
 */
export const trainedModel = (steps, learn, show) => async (gf, settings, onProgress, signal) => {
  const total = typeof steps === 'number' ? steps : steps(settings);
  const model = await learn(gf, settings, stepper(total, onProgress, signal));
  try {
    return { model, ...show(model, settings, gf) };
  } catch (error) {
    model.free();
    throw error;
  }
};

/**
 * The switches by name, and of the seeds the first.
 * @param {import('./claim.js').Claim} claim
 * @param {import('./claim.js').Params} [params]
 */
export function settingsOfOne(claim, params) {
  const { seeds, ...given } = settingsOf(claim, params);
  return { ...given, seed: seeds[0] };
}

/**
 * @param {Engine} gf
 * @param {{claim: import('./claim.js').Claim} & ExploreModule} module
 * @param {import('./claim.js').Params} [params] its switches; of the seeds the first is taken
 * @param {import('./claim.js').OnProgress} [onProgress]
 * @param {import('./claim.js').Signal} [signal]
 * @returns {Promise<Shown & {model: Model}>} to be freed by its `free`
 * @throws {RangeError} for a claim that has none; GlassformerError for switches that it has not
 */
export async function openOwnModel(gf, { claim, ownModel }, params, onProgress, signal) {
  if (!ownModel) throw new RangeError(`Claim ${claim.number} has no model of its own.`);
  return ownModel.open(gf, settingsOfOne(claim, params), onProgress, signal);
}
