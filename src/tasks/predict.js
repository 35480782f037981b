import { GlassformerError } from '../js/errors.js';
import { isObject } from './check.js';

/** @typedef {import('./scores.js').Head} Head */
/** @typedef {import('./scores.js').Tensor} Tensor */

/**
 * The methods of a model that scores call: one of `createModel`, or one in a worker, whose methods give promises.
 * @typedef {object} ModelLike
 * @property {(options: any) => any} forward one pass
 * @property {() => any} tensors lists what can be read
 * @property {(name: string) => any} tensor reads one
 */

/**
 * Runs a model on the batches of a task, for its scores: they ask for its attention, or to leave a head out. Scores
 * take a model too and make its predictor themselves.
 * @param {ModelLike} model of the task's configuration
 * @returns {(batch: any, request?: {maps?: boolean, off?: Head}) => Promise<{logits: Tensor, output: Tensor,
 *   maps?: Tensor[]}>} maps: the attention weights of every layer, of an encoder-decoder its cross-attention
 * @throws {GlassformerError} type
 * @example
 * import { load } from 'glassformer';
 * import { predictor, reverse } from 'glassformer/tasks';
 * const model = (await load()).createModel({ ...reverse.config, seed: 1 });
 * const score = await reverse.score(predictor(model), reverse.heldOut(1, { count: 64 }));
 * score.count; // → 512
 */
export function predictor(model) {
  if (typeof model?.forward !== 'function') {
    throw new GlassformerError('type', 'model', model, 'must be a model, or a function that predicts');
  }
  return async (batch, { maps = false, off } = {}) => {
    if (!isObject(batch)) throw new GlassformerError('type', 'batch', batch, 'must be a batch of a task');
    const options = /** @type {any} */ ({ ...batch });
    delete options.labels;
    if (maps) options.capture = true;
    // Two kinds of attention have their heads: only those of the labels attend to the source.
    if (off) options.ablate = [options.targetIds ? { ...off, attention: 'cross' } : off];
    const prediction = await model.forward(options);
    return maps ? { ...prediction, maps: await mapsOf(model) } : prediction;
  };
}

/**
 * @param {ModelLike} model after a pass with capture
 * @returns {Promise<Tensor[]>}
 */
async function mapsOf(model) {
  /** @type {{name: string, node: string, role: string, region: string, attention: string}[]} */
  const tensors = await model.tensors();
  const all = tensors.filter(
    ({ node, role, region }) => node === 'attention' && role === 'weights' && region === 'intermediate',
  );
  const cross = all.filter(({ attention }) => attention === 'cross');
  return Promise.all((cross.length > 0 ? cross : all).map(({ name }) => model.tensor(name)));
}

/**
 * @template {(...given: any[]) => unknown} P
 * @param {P | ModelLike} given
 * @returns {P} itself, if it predicts, or the predictor of a model
 */
export function predictOf(given) {
  return typeof given === 'function' ? given : /** @type {any} */ (predictor(given));
}
