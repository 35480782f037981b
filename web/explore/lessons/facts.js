// What a page of the book or a puzzle may read: the numbers of the result that is shown, at the reader's place.

import { temperatureOf } from '../../engine/interventions.js';
import { PROBABILITIES, attentionPath } from '../../engine/plan.js';
import { selectedIn } from '../shared/words.js';

/** @typedef {ReturnType<typeof factsOf>} Facts */

/**
 * What a page needs has not arrived, or this model does not have it.
 */
export class Missing extends Error {}

/**
 * The result of a page's function; undefined while a number that it needs has not arrived.
 * @template T
 * @param {() => T} read
 */
export function tried(read) {
  try {
    return read();
  } catch (error) {
    if (error instanceof Missing || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** @param {Pick<import('../index.js').Context, 'result' | 'state' | 'modelInfo'>} context */
export function factsOf({ result, state, modelInfo }) {
  const place = selectedIn(result, state);
  const { selection, kind, stack, columnWords, row } = place;
  const { settings, tokens, interventions } = result.plan;
  const prefix = attentionPath(kind, selection.layer);

  /** @param {string} name */
  function tensor(name) {
    const found = result.tensors.get(name);
    if (!found) throw new Missing(name);
    return found;
  }

  /**
   * A row of a tensor [1, tokens, width] or [tokens, width].
   * @param {string} name @param {number} [at]
   */
  function rowOf(name, at = row) {
    const { data, shape } = tensor(name);
    const width = shape[shape.length - 1];
    return data.subarray(at * width, (at + 1) * width);
  }

  /**
   * A head's row of a tensor [1, heads, tokens, width] of the chosen attention; the mean of all heads' where that is
   * chosen.
   * @param {string} name @param {number} [at] @param {number} [head]
   */
  function headRow(name, at = row, head = selection.head) {
    const { data, shape } = tensor(`${prefix}.${name}`);
    const [, heads, rows, width] = shape;
    const of = (/** @type {number} */ each) =>
      data.subarray((each * rows + at) * width, (each * rows + at + 1) * width);
    if (!selection.mean || name !== 'weights') return of(head);
    return of(0).map(
      (_, i) => Array.from({ length: heads }, (__, each) => of(each)[i]).reduce((a, b) => a + b) / heads,
    );
  }

  /** The model's answers at a row, the likeliest first. @param {number} [at] */
  function answers(at = row) {
    const probabilities = /** @type {import('../../engine/protocol.js').Tensor | undefined} */ (
      result.derived.get(PROBABILITIES)
    );
    if (!probabilities || !modelInfo) throw new Missing(PROBABILITIES);
    const width = probabilities.shape[probabilities.shape.length - 1];
    const words = modelInfo.outputVocabulary;
    return Array.from(probabilities.data.subarray(at * width, (at + 1) * width), (probability, id) => ({
      id,
      word: words[id],
      probability,
    })).sort((a, b) => b.probability - a.probability);
  }

  /** @param {string} name */
  function derived(name) {
    const found = result.derived.get(name);
    if (!found) throw new Missing(name);
    return found;
  }

  return {
    ...place,
    state,
    settings,
    tokens,
    interventions,
    modelInfo,
    prefix,
    word: place.rowWords[row],
    keyWord: columnWords[place.key],
    ids: tokens[stack]?.ids ?? [],
    size: settings.d_model / settings.heads,
    temperature: temperatureOf(interventions),
    tensor,
    derived,
    rowOf,
    headRow,
    answers,
  };
}

/** @param {ArrayLike<number>} vector */
export const norm = (vector) => Math.hypot(...Array.from(vector));

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const distance = (a, b) => Math.hypot(...Array.from(a, (value, i) => value - b[i]));

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
export const dot = (a, b) => Array.from(a).reduce((so, value, i) => so + value * b[i], 0);

/** @param {ArrayLike<number>} values @param {number} [from] @param {number} [to] */
export const total = (values, from = 0, to = values.length) =>
  Array.from(values)
    .slice(from, to)
    .reduce((a, b) => a + b, 0);

/** Where the largest stands. @param {ArrayLike<number>} values */
export const largest = (values) =>
  Array.from(values).reduce((best, value, i, all) => (value > all[best] ? i : best), 0);

/** How many keys an even spread of the same entropy would have. @param {ArrayLike<number>} weights */
export const spread = (weights) =>
  Math.exp(-Array.from(weights).reduce((so, weight) => so + (weight ? weight * Math.log(weight) : 0), 0));
