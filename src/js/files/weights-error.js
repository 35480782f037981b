// Measures how far a model in int8 is from its file, which is read again for it, in float32 and a layer at a time.
import { emptyModel } from '../engine/engine.js';
import { plain } from './fill.js';
import { EDITION_3, unknownTo } from '../engine/known.js';
import { handleOf, viewOf } from '../engine/model.js';

/** @typedef {import('../engine/engine.js').Engine} Engine */
/** @typedef {import('../engine/model.js').Model} Model */
/** @typedef {import('../engine/config.js').Config} Config */
/** @typedef {import('../arrays/tensor.js').Tensor} Tensor */
/** @typedef {import('./fill.js').Target} Target */

/**
 * Differences of the logits (without a head, of the output) of 16 tokens that have nothing to do with each other, from
 * those of the file's own numbers in float32.
 * @typedef {object} WeightsError
 * @property {number} rms root mean square of the differences
 * @property {number} max the largest difference
 * @property {number} spread root mean square of the file's logits, each row about its mean, to compare `rms` with
 * @property {number} [agree] share of rows whose likeliest token is the same, where there is a head
 */

/**
 * Reads the file and puts each tensor into its target. It asks for the target again after each wait, and passes over a
 * tensor that has none.
 * @typedef {(target: (to: string) => Target | undefined) => Promise<void>} Pour
 */

const ROWS = 16;

/** Switches off all parts outside the layers. */
const BARE = {
  .../** @type {const} */ ({ weights: 'f32', head: 'none' }),
  vocabulary: 0,
  types: 0,
  window: 0,
  globalLayers: 0,
  globalLayersAbove: 0,
  outputVocabulary: 0,
  outputWidth: 0,
  embeddingScale: false,
  embeddingNorm: false,
  finalNorm: false,
  headTransform: false,
};

/**
 * @param {Engine} gf
 * @param {Model} model in int8
 * @param {Pour} pour
 * @returns {Promise<WeightsError>}
 */
export async function measure(gf, model, pour) {
  const { config, core } = handleOf(model);
  const text = textOf(config);
  const inLayers = config.kind !== 'encoder-decoder' && config.vocabulary && !unknownTo({ config, core }, EDITION_3);
  const wanted = await (inLayers ? byLayers : atOnce)(gf, config, text, pour);
  const { logits, values, output } = model.forward(text);
  const { data, shape } = /** @type {Tensor} */ (logits ?? values ?? output);
  return compare(wanted, /** @type {Float32Array} */ (data), shape[2], logits !== undefined);
}

/** @param {Config} config @returns {any} */
function textOf({ kind, vocabulary, targetVocabulary, tiedEmbeddings, d_model, inputWidth, maxLength }) {
  const rows = Math.min(ROWS, maxLength);
  const ids = (/** @type {number} */ size) =>
    Array.from({ length: rows }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 0) % size);
  const width = inputWidth || d_model;
  const data = Float32Array.from({ length: rows * width }, (_, i) => Math.sin(i * i));
  const vectors = { data, shape: [rows, width] };
  if (kind !== 'encoder-decoder') return vocabulary ? { ids: ids(vocabulary) } : { vectors };
  if (!vocabulary) return { sourceVectors: vectors, targetVectors: vectors };
  return { sourceIds: ids(vocabulary), targetIds: ids((!tiedEmbeddings && targetVocabulary) || vocabulary) };
}

/** The same logits, or output, of the file's numbers. @type {typeof byLayers} */
async function atOnce(gf, config, text, pour) {
  const { logits, values, output } = await pass(gf, { ...config, weights: 'f32' }, text, pour, (to) => to);
  return (logits ?? values ?? output).data;
}

/**
 * Likewise, with the memory of a layer.
 * @param {Engine} gf
 * @param {Config} config
 * @param {any} text
 * @param {Pour} pour
 * @returns {Promise<Float32Array>}
 */
async function byLayers(gf, config, text, pour) {
  const { kind, d_model, embeddingNorm, embeddingScale, head, outputWidth, positions, types } = config;
  const turned = positions === 'rotary' ? positions : 'none'; // which each layer does to its queries and keys
  const bare = { ...config, ...BARE, positions: turned, layers: 0 };
  const ids = /** @type {number[]} */ (text.ids);
  const shape = [ids.length, d_model];
  const own = { positions, types, embeddingNorm, embeddingScale, vocabulary: ids.length };
  const first = (/** @type {string} */ to) => to;
  let { data } = (await pass(gf, { ...bare, ...own }, { ids: ids.map((_, i) => i) }, pour, first, ids)).output;
  for (let i = 0; i < config.layers; i++) {
    const wide = (i < 32 ? config.globalLayers : config.globalLayersAbove) >>> (i % 32);
    const layer = { ...bare, layers: 1, window: wide & 1 ? 0 : config.window };
    const [there, here] = [`${kind}.layers.${i}.`, `${kind}.layers.0.`];
    const nameOf = (/** @type {string} */ to) => (to.startsWith(there) ? here + to.slice(there.length) : undefined);
    ({ data } = (await pass(gf, layer, { vectors: { data, shape } }, pour, nameOf)).output);
  }
  const { finalNorm, headTransform } = config;
  const end = { ...bare, finalNorm, headTransform, ...(headTransform && { head: 'linear', outputVocabulary: 1 }) };
  const last = (/** @type {string} */ to) => (/^generator[.]/.test(to) ? undefined : to);
  const { output, transformed } = await pass(gf, end, { vectors: { data, shape } }, pour, last);
  const read = transformed ?? output;
  return head === 'none' && !outputWidth ? read.data : logitsOf(config, read, pour);
}

/**
 * A pass of a part of the model.
 * @param {Engine} gf
 * @param {any} config
 * @param {any} input
 * @param {Pour} pour
 * @param {(to: string) => string | undefined} nameOf a weight of the whole model in the part
 * @param {readonly number[]} [ids] the rows of the embedding that the part has
 */
async function pass(gf, config, input, pour, nameOf, ids) {
  const model = emptyModel(gf, config);
  try {
    const weights = model.tensors().filter(({ region }) => region === 'weight');
    const names = new Set(weights.map(({ name }) => name));
    await pour((to) => {
      const name = nameOf(to);
      if (name === undefined || !names.has(name)) return undefined;
      const target = plain(viewOf(model, name));
      return ids && to === 'tok_emb.weight' ? some(target, ids, config.d_model) : target;
    });
    const results = /** @type {{output: Tensor, logits?: Tensor, values?: Tensor}} */ (
      model.forward({ ...input, capture: true })
    );
    const transformed = config.headTransform ? /** @type {Tensor} */ (model.tensor('transform.norm.out')) : undefined;
    return { ...results, transformed };
  } finally {
    model.free();
  }
}

/**
 * Some rows of a table, of which whole rows are put.
 * @param {Target} target
 * @param {readonly number[]} ids
 * @param {number} columns
 * @returns {Target}
 */
function some(target, ids, columns) {
  return {
    ...target,
    put(data, from) {
      for (const [i, id] of ids.entries()) {
        const at = id * columns - from;
        if (at >= 0 && at < data.length) target.put(data.subarray(at, at + columns), i * columns);
      }
    },
  };
}

/**
 * @param {Config} config
 * @param {Tensor} read what the head reads
 * @param {Pour} pour
 */
async function logitsOf(config, { data }, pour) {
  const { d_model: C, head, outputVocabulary, outputWidth, vocabulary } = config;
  const V = outputWidth || outputVocabulary || vocabulary;
  const rows = data.length / C;
  const [logits, bias] = [new Float32Array(rows * V), new Float32Array(V)];
  const name = outputWidth ? 'output_proj' : 'generator';
  const table = head === 'tied' ? 'tok_emb.weight' : `${name}.weight`;
  /** @type {Target} */
  const products = {
    ...plain(logits),
    put(weights, from) {
      for (let n = 0, column = from / C; n < weights.length; n += C, column++) {
        for (let row = 0; row < rows; row++) {
          let sum = 0;
          for (let k = 0; k < C; k++) sum += data[row * C + k] * weights[n + k];
          logits[row * V + column] = sum;
        }
      }
    },
  };
  await pour((to) => (to === table ? products : to === `${name}.bias` ? plain(bias) : undefined));
  return logits.map((logit, i) => logit + bias[i % V]);
}

/**
 * @param {ArrayLike<number>} wanted
 * @param {ArrayLike<number>} got
 * @param {number} columns
 * @param {boolean} isLogits
 * @returns {WeightsError}
 */
function compare(wanted, got, columns, isLogits) {
  const [most, best] = [wanted, got].map((rows) => (/** @type {number} */ from) => {
    let at = from;
    for (let i = from; i < from + columns; i++) if (rows[i] > rows[at]) at = i;
    return at;
  });
  let max = 0;
  let squares = 0;
  let same = 0;
  let spread = 0;
  for (let from = 0; from < wanted.length; from += columns) {
    let mean = 0;
    for (let i = from; i < from + columns; i++) mean += wanted[i] / columns;
    for (let i = from; i < from + columns; i++) {
      const apart = Math.abs(got[i] - wanted[i]);
      max = Math.max(max, apart);
      squares += apart ** 2;
      spread += (wanted[i] - mean) ** 2;
    }
    same += Number(most(from) === best(from));
  }
  const root = (/** @type {number} */ sum) => Math.sqrt(sum / wanted.length);
  const error = { rms: root(squares), max, spread: root(spread) };
  return isLogits ? { ...error, agree: (same * columns) / wanted.length } : error;
}
