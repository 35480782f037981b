// Of claims whose experiment has no model but vectors and the weights of a layer: the same in a model of one layer,
// whose words are those vectors, and where in it to look. Positions, LayerNorm and output head are left out.
import { Vocabulary } from 'glassformer/tasks';
import * as concatenation from './concatenation/claim.js';
import * as extrapolation from './extrapolation/claim.js';
import * as length from './length/claim.js';
import * as positionWise from './position-wise/claim.js';
import * as scaleGradients from './scale-gradients/claim.js';
import { largest, median } from './shared/numbers.js';
import * as superposition from './superposition/claim.js';
import * as weightsExplain from './weights-explain/claim.js';

/**
 * @typedef {import('./shared/numbers.js').Tensor} Tensor
 * @typedef {import('./models.js').Model} Model
 * @typedef {import('./models.js').Place} Place
 * @typedef {import('glassformer').Engine} Engine
 *
 * @typedef {object} Layer
 * @property {string[]} words
 * @property {Tensor} table [words,d_model]: their vectors
 * @property {number[][]} rows ids of inputs
 * @property {Record<string, any>} config
 * @property {Record<string, Float32Array | Tensor>} weights by their names in PyTorch's layer; those left out are 0
 * @property {(weights: Tensor, model: Model) => {head?: number, row: number, key: number, neuron?: number}} where
 * with the attention weights of the first row, [1,H,T,T]
 *
 * @typedef {object} Given
 * @property {{claim: any}} module
 * @property {(gf: Engine, settings: any) => Layer | Promise<Layer>} layer
 */

/** @param {string} name @param {number} count */
const numbered = (name, count) => Array.from({ length: count }, (_, i) => `${name}${i + 1}`);
const places = (/** @type {number} */ count) => [...Array(count).keys()];
const indexOfLargest = (/** @type {ArrayLike<number>} */ list) => Array.from(list).indexOf(largest(Array.from(list)));

/**
 * A matrix that is 0 but for these cells.
 * @param {number} rows @param {number} columns
 * @param {(put: (row: number, column: number, value: number) => void) => void} fill
 */
function sparse(rows, columns, fill) {
  const data = new Float32Array(rows * columns);
  fill((row, column, value) => void (data[row * columns + column] = value));
  return data;
}

/** The names of an attention layer's weights in a model. @param {Record<string, Tensor>} weights */
const ofAttention = (weights) =>
  Object.fromEntries(Object.entries(weights).map(([name, each]) => [`self_attn.${name}`, each]));

/** @param {number} width */
const identity = (width) => sparse(width, width, (put) => places(width).forEach((c) => put(c, c, 1)));

/** The largest cell of a row. @param {Tensor} weights [1,H,T,T] @param {number} row */
function largestIn({ data, shape: [, heads, queries, keys] }, row) {
  const cells = places(heads * keys).map((i) => data[(Math.floor(i / keys) * queries + row) * keys + (i % keys)]);
  const at = indexOfLargest(cells);
  return { head: Math.floor(at / keys), row, key: at % keys };
}

/** By the claim's number. @type {Record<number, Given>} */
export const LAYERS = {
  1: {
    module: scaleGradients,
    layer(gf, { d_k, seed }) {
      const width = typeof d_k === 'number' ? d_k : 64;
      const { query, key } = scaleGradients.drawn(seed, width);
      const { norms } = scaleGradients.measure(gf, seed, width);
      const middle = median(norms);
      const chosen = indexOfLargest(norms.map((norm) => -Math.abs(norm - middle)));
      const keys = key.shape[1];
      // One more number marks the query, whose own key is moved so far away that its weight is 0.
      const [wide, far] = [width + 1, -1e4];
      const table = sparse(keys + 1, wide, (put) => {
        for (let c = 0; c < width; c++) {
          for (let k = 0; k < keys; k++) put(k, c, key.data[(chosen * keys + k) * width + c]);
          put(keys, c, query.data[chosen * width + c]);
        }
        put(keys, width, 1);
      });
      const projections = sparse(3 * wide, wide, (put) => {
        for (let c = 0; c < width; c++) for (const part of [0, 1, 2]) put(part * wide + c, c, 1);
        put(width, width, 1);
        put(wide + width, width, far);
      });
      return {
        words: [...numbered('k', keys), 'q'],
        table: { data: table, shape: [keys + 1, wide] },
        rows: [places(keys + 1)],
        config: { heads: 1, scoreScale: false },
        weights: { 'self_attn.in_proj_weight': projections, 'self_attn.out_proj.weight': identity(wide) },
        where: (maps) => largestIn(maps, keys),
      };
    },
  },
  8: {
    module: extrapolation,
    layer(_gf, { neurons, activation }) {
      const x = [-1, -0.5, 0, 0.5, 1, 2, 3, 4, 5];
      const weights = Object.entries(extrapolation.network(neurons)).map(([name, rows]) => [
        name,
        Float32Array.from(/** @type {number[]} */ (rows.flat())),
      ]);
      const row = x.indexOf(3);
      return {
        words: x.map(String),
        table: { data: Float32Array.from(x), shape: [x.length, 1] },
        rows: [places(x.length)],
        config: { heads: 1, d_ff: neurons, activation },
        weights: Object.fromEntries(weights),
        where(_maps, model) {
          const { data } = /** @type {Tensor} */ (model.tensor('encoder.layers.0.ffn.activation'));
          return { row, key: row, neuron: indexOfLargest(data.subarray(row * neurons, (row + 1) * neurons)) };
        },
      };
    },
  },
  11: {
    module: superposition,
    async layer(gf, { seed }) {
      const trained = await superposition.learn(gf, { seed }, async () => {});
      const weights = Object.fromEntries([...trained.weights()].map(([name, each]) => [`self_attn.${name}`, each]));
      trained.free();
      return {
        words: ['0', '1'],
        table: { data: Float32Array.of(1, 0, 0, 1), shape: [2, 2] },
        rows: superposition.PAIRS.map(([a, b]) => [a, b]).sort(([a, b], [c, d]) => Number(c !== d) - Number(a !== b)),
        config: { heads: 2 },
        weights,
        where: (maps) => largestIn(maps, 0),
      };
    },
  },
  12: {
    module: positionWise,
    layer(_gf, { sublayer, seed }) {
      const { x, edited, attention, network } = positionWise.drawn(seed);
      const [count, width] = x.shape;
      const at = positionWise.EDITED;
      const other = edited.data.slice(at * width, (at + 1) * width);
      const first = places(count);
      const isNetwork = sublayer === 'FFN';
      return {
        words: [...numbered('x', count), `y${at + 1}`],
        table: { data: Float32Array.of(...x.data, ...other), shape: [count + 1, width] },
        rows: [first, first.with(at, count)],
        config: { heads: positionWise.HEADS, d_ff: 4 * width },
        weights: isNetwork ? network : ofAttention(attention),
        where(weights, model) {
          if (!isNetwork) {
            const each = places(positionWise.HEADS).map((head) => weights.data[head * count * count + at]);
            return { head: indexOfLargest(each), row: 0, key: at };
          }
          const { data } = /** @type {Tensor} */ (model.tensor('encoder.layers.0.ffn.activation'));
          const neuron = indexOfLargest(data.subarray(at * 4 * width, (at + 1) * 4 * width));
          return { row: at, key: at, neuron };
        },
      };
    },
  },
  15: {
    module: concatenation,
    layer(_gf, { projection, seed }) {
      const { x, weights } = concatenation.drawn(seed, projection);
      return {
        words: numbered('x', x.shape[0]),
        table: x,
        rows: [places(x.shape[0])],
        config: { heads: concatenation.HEADS },
        weights: ofAttention(weights),
        where: (maps) => largestIn(maps, 0),
      };
    },
  },
  21: {
    module: weightsExplain,
    async layer(gf, { keys, scale, seed }) {
      const { query, key, value } = weightsExplain.drawn(seed, keys, scale);
      const numbers = await weightsExplain.run(gf, { keys, scale, seed, seeds: 1 });
      const [[weights], [others]] = /** @type {number[][][]} */ ([numbers.weights, numbers.others]);
      const far = places(keys).map((row) =>
        places(keys).reduce((sum, c) => sum + Math.abs(weights[row * keys + c] - others[row * keys + c]), 0),
      );
      const parts = [query, key, value];
      const [d_k, d_v] = [query.shape[1], value.shape[1]];
      const width = 2 * d_k + d_v;
      const table = sparse(keys, width, (put) => {
        for (let word = 0; word < keys; word++)
          parts.forEach(({ data, shape: [, own] }, part) => {
            for (let c = 0; c < own; c++) put(word, part * d_k + c, data[word * own + c]);
          });
      });
      // The model divides by the root of its own width.
      const larger = Math.sqrt(width / d_k);
      const projections = sparse(3 * width, width, (put) =>
        parts.forEach(({ shape: [, own] }, part) => {
          for (let c = 0; c < own; c++) put(part * width + c, part * d_k + c, part === 0 ? larger : 1);
        }),
      );
      return {
        words: numbered('x', keys),
        table: { data: table, shape: [keys, width] },
        rows: [places(keys)],
        config: { heads: 1 },
        weights: { 'self_attn.in_proj_weight': projections, 'self_attn.out_proj.weight': identity(width) },
        where: (maps) => largestIn(maps, indexOfLargest(far)),
      };
    },
  },
  23: {
    module: length,
    layer: (_gf, { gap }) => ({
      words: ['other', 'match'],
      // The first number is what is looked for, the second is 1 in each word.
      table: { data: Float32Array.of(0, 1, gap, 1), shape: [2, 2] },
      rows: [16, 64, 128].map((count) => places(count).map((at) => Number(at === count >> 1))),
      config: { heads: 1, scoreScale: false },
      weights: {
        'self_attn.in_proj_weight': sparse(6, 2, (put) => {
          put(0, 1, 1);
          put(2, 0, 1);
          put(4, 0, 1);
        }),
        'self_attn.out_proj.weight': identity(2),
      },
      where: (maps) => largestIn(maps, maps.shape[2] >> 1),
    }),
  },
};

/**
 * @param {Engine} gf
 * @param {number} number of the claim
 * @param {any} settings with its `seed`, if it has any
 * @returns {Promise<import('./models.js').Shown & {model: Model}>}
 */
export async function layerModel(gf, number, settings) {
  const { words, table, rows, config, weights, where } = await LAYERS[number].layer(gf, settings);
  const model = gf.createModel({
    ...{ kind: 'encoder', vocabulary: words.length, d_model: table.shape[1], d_ff: 1, layers: 1, head: 'none' },
    ...{ positions: 'none', embeddingScale: false, norm: 'none', maxLength: largest(rows.map((row) => row.length)) },
    ...config,
  });
  try {
    for (const name of model.weights().keys()) {
      const given = name === 'tok_emb.weight' ? table : weights[name.replace('encoder.layers.0.', '')];
      if (given) model.view(name).set('data' in given ? given.data : given);
      else model.view(name).fill(0);
    }
    model.forward({ ids: rows[0], capture: true });
    const maps = /** @type {Tensor} */ (model.tensor('encoder.layers.0.self_attn.weights'));
    const place = { kind: /** @type {const} */ ('encoder'), head: 0, neuron: null, ...where(maps, model) };
    return { model, task: { vocabulary: new Vocabulary(words) }, rows, place };
  } catch (error) {
    model.free();
    throw error;
  }
}
