// Some claims experiment with vectors and the weights of a layer, without a model. This builds a one-layer model with
// those vectors as its words. The model has only the experiment's parts: no positions, LayerNorm, residual connection
// or output head, and attention and an FFN only where the experiment is about them.
import { Vocabulary } from 'glassformer/tasks';
import { indexOfLargest } from './explore.js';
import { largest } from './numbers.js';
import { range } from './picture.js';

/**
 * @typedef {import('./numbers.js').Tensor} Tensor
 * @typedef {import('./explore.js').Model} Model
 *
 * @typedef {object} Layer
 * @property {string[]} words
 * @property {Tensor} table [words,d_model]: their vectors
 * @property {number[][]} rows ids of inputs
 * @property {Record<string, any>} config
 * @property {Record<string, Float32Array | Tensor>} weights by their names in PyTorch's layer; those left out are 0
 * @property {(weights: Tensor, model: Model) => {head?: number, row: number, key: number, neuron?: number}} where
 * with the attention weights of the first row, [1,H,T,T], if there is attention
 */

/** @param {string} name @param {number} count */
export const numbered = (name, count) => range(count).map((i) => `${name}${i + 1}`);

/**
 * A matrix that is 0 but for these cells.
 * @param {number} rows @param {number} columns
 * @param {(put: (row: number, column: number, value: number) => void) => void} fill
 */
export function sparse(rows, columns, fill) {
  const data = new Float32Array(rows * columns);
  fill((row, column, value) => void (data[row * columns + column] = value));
  return data;
}

/** By their names in a model. @param {Record<string, Tensor> | Map<string, Tensor>} weights of an attention layer */
export const ofAttention = (weights) =>
  Object.fromEntries(
    [...(weights instanceof Map ? weights : Object.entries(weights))].map(([name, each]) => [
      `self_attn.${name}`,
      each,
    ]),
  );

/** @param {number} width */
export const identity = (width) => sparse(width, width, (put) => range(width).forEach((c) => put(c, c, 1)));

/** The largest cell of a row. @param {Tensor} weights [1,H,T,T] @param {number} row */
export function largestIn({ data, shape: [, heads, queries, keys] }, row) {
  const cells = range(heads * keys).map((i) => data[(Math.floor(i / keys) * queries + row) * keys + (i % keys)]);
  const at = indexOfLargest(cells);
  return { head: Math.floor(at / keys), row, key: at % keys };
}

/** The neuron with the largest activation in a row. @param {Model} model @param {number} row */
export function largestNeuron(model, row) {
  const { data, shape } = /** @type {Tensor} */ (model.tensor('encoder.layers.0.ffn.activation'));
  const count = shape[shape.length - 1];
  return indexOfLargest(data.subarray(row * count, (row + 1) * count));
}

/**
 * A model that is made of a layer, and where it opens.
 * @param {import('glassformer').Engine} gf
 * @param {Layer} layer
 */
export function openLayer(gf, { words, table, rows, config, weights, where }) {
  const model = gf.createModel({
    kind: 'encoder',
    vocabulary: words.length,
    d_model: table.shape[1],
    d_ff: 0,
    layers: 1,
    head: 'none',
    positions: 'none',
    embeddingScale: false,
    norm: 'none',
    residual: false,
    maxLength: largest(rows.map((row) => row.length)),
    ...config,
  });
  try {
    for (const name of model.weights().keys()) {
      const given = name === 'tok_emb.weight' ? table : weights[name.replace('encoder.layers.0.', '')];
      if (given) model.view(name).set('data' in given ? given.data : given);
      else model.view(name).fill(0);
    }
    model.forward({ ids: rows[0], capture: true });
    const maps = model.config.heads > 0 ? model.tensor('encoder.layers.0.self_attn.weights') : null;
    const found = where(/** @type {Tensor} */ (maps), model);
    const cell = { kind: /** @type {const} */ ('encoder'), head: 0, neuron: null, ...found };
    return { model, task: { vocabulary: new Vocabulary(words) }, rows, cell };
  } catch (error) {
    model.free();
    throw error;
  }
}
