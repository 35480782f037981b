// The vectors that a model has at one place over some texts, and which of the texts are held out.
import { tagOf } from '../arrays/arrays.js';
import { GlassformerError } from '../errors.js';
import { calls } from '../engine/named.js';
import { turnOf } from '../engine/turns.js';
import { expectRank, ints, listOf, maybe, number, optional, refuseType } from '../arrays/tensor.js';
import { seed as readSeed, signalReader } from '../arrays/tensor.js';

/** @typedef {import('./corpus.js').Places} Places */
/** @typedef {import('../arrays/tensor.js').Tensor} FloatTensor */

/**
 * The texts of a corpus, and how they are divided.
 * @typedef {object} CorpusOptions
 * @property {readonly string[]} [texts] that the model reads; its tokenizer makes ids of them
 * @property {readonly import('../arrays/tensor.js').Ints[]} [ids] the same as ids of each text; one of both is needed
 * @property {number} [seed] of the held-out part, 0 to 4294967295; default 0
 * @property {number} [heldOut] share of the texts that are held out, above 0 and below 1; default 0.3
 * @property {import('../engine/generate.js').Signal} [signal] an AbortSignal: aborted, it rejects with its reason
 */

/** Readers of `CorpusOptions`. */
export const CORPUS = {
  texts: maybe(listOf((text, name) => (typeof text === 'string' ? text : refuseType(name, text, 'a text')), 'texts')),
  ids: maybe(listOf(ints, 'an array of ids of each text')),
  seed: optional(readSeed, 0),
  heldOut: optional(number(Number.MIN_VALUE, 1 - 2 ** -53), 0.3),
  signal: maybe(signalReader),
};

/** Tokens of a pass: some megabytes of activations. */
const PASS = 4096;

/**
 * The ids of each text.
 * @param {any} model
 * @param {{texts?: readonly string[], ids?: readonly any[]}} given
 * @param {string} who asks, for the error
 * @returns {Promise<number[][]>}
 */
export async function idsOf(model, { texts, ids }, who) {
  if (!calls.has(Object(model)) && tagOf(model) !== 'GlassformerModel') {
    throw new GlassformerError('foreign', 'model', model, 'must be a model that an engine has made');
  }
  if ((texts === undefined) === (ids === undefined)) {
    const why = texts ? 'texts say it already' : 'needed: texts or ids';
    throw new GlassformerError(texts ? 'unknown' : 'missing', texts ? 'ids' : 'texts', undefined, why);
  }
  if (model.config?.kind === 'encoder-decoder') {
    throw new GlassformerError('config', 'kind', model.config.kind, `${who} needs an encoder or a decoder`);
  }
  if (ids) {
    return ids.map((each, i) => {
      expectRank(each, 1, 1, `ids[${i}]`);
      return each.data.length ? [...each.data] : refuseType(`ids[${i}]`, [], 'an array of ids');
    });
  }
  const { tokenizer } = model;
  if (!tokenizer) throw new GlassformerError('config', 'texts', undefined, 'the model has no tokenizer: give ids');
  const cut = tokenizer.maxLength ? { truncation: true, maxLength: tokenizer.maxLength } : {};
  const read = [];
  for (const text of /** @type {readonly string[]} */ (texts)) read.push([...tokenizer.encode(text, cut).ids]);
  return read.filter(({ length }) => length > 0);
}

/**
 * Whether a text is held out: a hash of its number and the seed, alike on every machine.
 * @param {number} text @param {number} seed @param {number} share
 */
function isHeldOut(text, seed, share) {
  let hash = Math.imul(text + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32 < share;
}

/**
 * The vectors at every token of the texts, in passes over texts of one length.
 * @param {any} model
 * @param {number[][]} rows
 * @param {{at: any, seed: number, heldOut: number, signal?: import('../engine/generate.js').Signal}} given
 * @returns {Promise<{vectors: Float32Array, width: number, places: Places}>}
 */
export async function vectorsOf(model, rows, { at, seed, heldOut, signal }) {
  const starts = [0];
  for (const row of rows) starts.push(starts[starts.length - 1] + row.length);
  const count = starts[rows.length];
  const places = { text: new Int32Array(count), token: new Int32Array(count), heldOut: new Uint8Array(count) };
  rows.forEach((row, text) => {
    const isHeld = Number(isHeldOut(text, seed, heldOut));
    for (let token = 0; token < row.length; token++) {
      places.text[starts[text] + token] = text;
      places.token[starts[text] + token] = token;
      places.heldOut[starts[text] + token] = isHeld;
    }
  });
  if (!places.heldOut.includes(0) || !places.heldOut.includes(1)) {
    const why = `${rows.length} texts do not divide into a training part and a held-out one: give more`;
    throw new GlassformerError('range', 'texts', rows.length, why);
  }
  const order = [...rows.keys()].sort((a, b) => rows[a].length - rows[b].length || a - b);
  let width = 0;
  let vectors = new Float32Array();
  let turn = Date.now();
  for (let from = 0, to = 0; from < order.length; from = to) {
    signal?.throwIfAborted();
    const { length } = rows[order[from]];
    while (to < order.length && rows[order[to]].length === length && (to - from + 1) * length <= PASS) to++;
    to = Math.max(to, from + 1);
    const texts = order.slice(from, to);
    const trace = await model.trace({ ids: texts.map((text) => rows[text]), capture: [at], logits: false });
    const { data, shape } = /** @type {FloatTensor} */ (await trace.tensor(at));
    await trace.free();
    width ||= data.length / (texts.length * length);
    if (shape[0] !== texts.length || shape[1] !== length || !Number.isInteger(width) || shape.length !== 3) {
      throw new GlassformerError(
        'shape',
        'at',
        shape,
        `must have a row for each token: [${texts.length}, ${length}, …]`,
      );
    }
    if (!vectors.length) vectors = new Float32Array(count * width);
    texts.forEach((text, i) => {
      vectors.set(data.subarray(i * length * width, (i + 1) * length * width), starts[text] * width);
    });
    turn = await turnOf(turn);
  }
  return { vectors, width, places };
}

/**
 * The mean of the vectors that are not held out.
 * @param {Float32Array} vectors @param {Uint8Array} heldOut @param {number} width
 */
export function meanOf(vectors, heldOut, width) {
  const mean = new Float64Array(width);
  let count = 0;
  heldOut.forEach((isHeld, row) => {
    if (isHeld) return;
    count++;
    for (let i = 0; i < width; i++) mean[i] += vectors[row * width + i];
  });
  return mean.map((sum) => sum / count);
}
