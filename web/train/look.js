// What a run shows of the present moment: predictions on held-out rows, the attention of each head on one of them,
// and the hash of its weights.

import { predictor } from 'glassformer/tasks';
import { rowsOf } from './recipes.js';

/**
 * @typedef {import('./run.js').Run} Run
 * @typedef {{at: number, expected: string, got: string, right: boolean}} Answer at a place of a row
 * @typedef {{words: string[], answers: Answer[]}} Row
 * @typedef {{layer: number, heads: number, size: number, data: Float32Array}} LayerMaps [heads, size, size]
 * @typedef {{rows: Row[], example: number, maps: LayerMaps[], hash: string,
 *   written: {prompt: string, text: string} | null}} Look `written`: how the model continues the beginning of the row
 */

const ROWS = 8;
const PROMPT = 4; // tokens
const WRITTEN = 40; // tokens
const PADDING = 1;

/** @param {Run} run @param {number} example which of the rows the maps are of @returns {Promise<Look>} */
export async function lookAt({ model, task, heldOut: [{ batch, questions }] }, example) {
  const { words } = task.vocabulary;
  const width = batch.ids.shape[1];
  const predict = predictor(model);
  const count = Math.min(batch.ids.shape[0], task.rowsShown ?? ROWS);
  const row = Math.min(example, count - 1);
  const shown = rowsOf(batch, 0, count);
  const { logits } = await predict(shown);
  const size = logits.shape[2];
  /** @param {number} row */
  const lengthOf = (row) => {
    const end = shown.padding?.data.subarray(row * width, (row + 1) * width).indexOf(PADDING) ?? -1;
    return end < 0 ? width : end;
  };
  const rows = Array.from({ length: count }, (_, row) => ({
    words: [...shown.ids.data.subarray(row * width, row * width + lengthOf(row))].map((id) => words[id]),
    answers: questions
      .filter((each) => each.row === row && each.accepts)
      .map(({ at, accepts: [expected] = [] }) => {
        const got = largest(logits.data, (row * width + at) * size, size);
        return { at, expected: words[expected], got: words[got], right: got === expected };
      }),
  }));
  const length = lengthOf(row);
  const ids = { data: shown.ids.data.slice(row * width, row * width + length), shape: [1, length] };
  const { maps = [] } = await predict({ ids }, { maps: true });
  return {
    rows,
    example: row,
    written: task.decode ? writtenBy(model, task.decode, ids.data, width) : null,
    maps: maps.map(({ data, shape }, layer) => ({
      layer,
      heads: shape[1],
      size: length,
      data: Float32Array.from(data),
    })),
    hash: await hashOf(model),
  };
}

/**
 * @param {Run['model']} model
 * @param {(ids: ArrayLike<number>) => string} decode
 * @param {Int32Array} row
 * @param {number} window
 */
function writtenBy(model, decode, row, window) {
  const prompt = row.slice(0, PROMPT);
  const { newIds } = model.generate({ ids: prompt, maxTokens: WRITTEN, temperature: 0.7, seed: 0, window });
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
