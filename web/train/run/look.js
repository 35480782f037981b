// The view of a run's present moment: predictions on held-out rows, attention heads and FFN neurons on one of them or
// on a row of the reader's own, and the weights with their hash.

import { predictor } from 'glassformer/tasks';
import { rowsOf } from './recipes.js';

/**
 * @typedef {import('./run.js').Run} Run
 * @typedef {{at: number, expected: string, got: string, right: boolean}} Answer at a place of a row
 * @typedef {{words: string[], answers: Answer[]}} Row
 * @typedef {{layer: number, heads: number, size: number, data: Float32Array}} LayerMaps [heads, size, size]
 * @typedef {{layer: number, count: number, data: Float32Array}} LayerNeurons activations [size, count]
 * @typedef {number | string} Example one of the rows, or the text of one of the reader's own
 * @typedef {{rows: Row[], example: number, own: boolean, maps: LayerMaps[], neurons: LayerNeurons[],
 *   hash: string | null, ffn: import('./ffn-tasks.js').FfnLook | null,
 *   written: {prompt: string, text: string} | null}} Look `own`: the last row is the reader's own; `written`: how the
 * model continues the beginning of the row; `hash`: null where only what every frame shows was looked at
 */

const ROWS = 8;
const PROMPT = 4; // tokens
const WRITTEN = 40; // tokens
const PADDING = 1;
/** The input of an FFN's second linear map. */
const GIVEN = { plain: 'activation', gated: 'product' };

/**
 * @param {Run} run
 * @param {Example} example of which maps and neurons are
 * @returns {Promise<Look>}
 * @param {boolean} [whole] with hash, neurons and what is written, which take long
 * @throws {import('glassformer').GlassformerError} where the task has no such row
 */
export async function lookAt({ model, task, heldOut: [probe] }, example, whole = true) {
  const common = { hash: whole ? await hashOf(model) : null };
  if (task.ffn)
    return {
      ...common,
      rows: [],
      example: 0,
      own: false,
      maps: [],
      neurons: [],
      written: null,
      ffn: await task.ffn.show(model),
    };
  const typed = typeof example === 'string' ? task.ask(example) : null;
  const predict = predictor(model);
  const count = Math.min(probe.batch.ids.shape[0], task.rowsShown ?? ROWS);
  const heldOut = { batch: rowsOf(probe.batch, 0, count), questions: probe.questions.filter(({ row }) => row < count) };
  const rows = [];
  for (const each of typed ? [heldOut, typed] : [heldOut]) {
    const { logits } = await predict(each.batch);
    for (const row of rowsIn(each, logits, task.vocabulary.words)) rows.push(row);
  }
  const row = typed ? 0 : Math.min(Number(example), count - 1);
  const { batch } = typed ?? heldOut;
  const length = lengthOf(batch, row);
  const start = row * batch.ids.shape[1];
  const ids = { data: batch.ids.data.slice(start, start + length), shape: [1, length] };
  const { maps = [] } = await predict({ ids }, { maps: true });
  const neurons = whole ? neuronsOf(model) : [];
  return {
    ...common,
    ffn: null,
    rows,
    example: typed ? count : row,
    own: typed !== null,
    neurons,
    written: whole && task.decode ? writtenBy(model, task.decode, ids.data, probe.batch.ids.shape[1]) : null,
    maps: maps.map(({ data, shape }, layer) => ({
      layer,
      heads: shape[1],
      size: length,
      data: Float32Array.from(data),
    })),
  };
}

/** The tokens of a row without its padding. @param {import('./recipes.js').Batch} batch @param {number} row */
function lengthOf({ ids, padding }, row) {
  const width = ids.shape[1];
  const end = padding?.data.subarray(row * width, (row + 1) * width).indexOf(PADDING) ?? -1;
  return end < 0 ? width : end;
}

/**
 * The rows of a batch, with what the model says to them.
 * @param {{batch: import('./recipes.js').Batch, questions: import('glassformer/tasks').Question[]}} probe
 * @param {{data: ArrayLike<number>, shape: readonly number[]}} logits
 * @param {readonly string[]} words
 * @returns {Row[]}
 */
function rowsIn({ batch, questions }, { data, shape: [count, width, size] }, words) {
  return Array.from({ length: count }, (_, row) => ({
    words: [...batch.ids.data.subarray(row * width, row * width + lengthOf(batch, row))].map((id) => words[id]),
    answers: questions
      .filter((each) => each.row === row && each.accepts)
      .map(({ at, accepts: [expected] = [] }) => {
        const got = largest(data, (row * width + at) * size, size);
        return { at, expected: words[expected], got: words[got], right: got === expected };
      }),
  }));
}

/**
 * The numbers that multiply the neurons' value vectors in each layer's FFN, in the last pass of one row: activations,
 * in a gated FFN the products with the gate.
 * @param {Run['model']} model
 */
const neuronsOf = (model) =>
  model
    .tensors()
    .filter(({ node, role, region }) => node === 'ffn' && role === GIVEN[model.config.ffn] && region === 'intermediate')
    .map(({ name, layer, shape }) => ({
      layer: layer ?? 0,
      count: shape[2],
      data: /** @type {Float32Array} */ (model.tensor(name).data),
    }));

/**
 * @param {Run['model']} model
 * @param {(ids: ArrayLike<number>) => string} decode
 * @param {Int32Array} row
 * @param {number} window
 */
function writtenBy(model, decode, row, window) {
  const prompt = row.slice(0, PROMPT);
  const { newIds } = model.generateSync({ ids: prompt, maxTokens: WRITTEN, temperature: 0.7, seed: 0, window });
  return { prompt: decode(prompt), text: decode(newIds) };
}

/** @param {ArrayLike<number>} data @param {number} start @param {number} count @returns {number} its place */
function largest(data, start, count) {
  let best = 0;
  for (let i = 1; i < count; i++) if (data[start + i] > data[start + best]) best = i;
  return best;
}

/**
 * SHA-256 of all weights, one after the other as `model.weights()` lists them.
 * @param {Run['model']} model
 * @returns {Promise<string>} '' where the page is not served securely
 */
export async function hashOf(model) {
  if (!globalThis.crypto?.subtle) return '';
  const blocks = [...model.weights().values()].map(({ data }) => data);
  const all = new Float32Array(blocks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', all));
  return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
