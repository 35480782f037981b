// The model's side of the page: keeps one model, runs it when its input changed, hands out tensors.

import { GlassformerError, load, readSafetensors } from 'glassformer';

/**
 * @typedef {{data: Float32Array, shape: number[]}} Tensor
 *
 * What to compute, by `key`, and which tensors of it to send. `masks` names for each kind of
 * attention the tensor of masked scores that shows which cells are hidden.
 * @typedef {{
 *   id: number, key: string, config: Record<string, unknown>, ids: number[],
 *   targetIds: number[] | null, names: string[], masks: Record<string, string>,
 *   model: string | null, generate: {begin: number, end: number, maxTokens: number} | null,
 * }} Request
 *
 * Opens a trained model; or lets the present one go on with a text.
 * @typedef {{open: string}} OpenRequest
 * @typedef {{
 *   write: number, model: string, config: Record<string, unknown>, ids: number[], ending: number[],
 *   options: {maxTokens: number, temperature: number, topK: number, seed: number},
 * }} WriteRequest
 *
 * @typedef {{
 *   variant: string, reason: string, version: string, parameters: number, milliseconds: number,
 *   memoryBytes: number, finite: boolean, absent: string[],
 * }} Facts
 * `absent`: weights that the file of the trained model does not have.
 *
 * @typedef {{
 *   id: number, key: string, tensors: Record<string, Tensor>,
 *   hidden: Record<string, Uint8Array>, facts: Facts, written: number[] | null,
 * }} Answer
 *
 * @typedef {{code: string, parameter: string, message: string}} Problem
 * @typedef {{id: number, error: Problem}} Failure
 * @typedef {{opened: string, description: import('./plan.js').Description, bytes: number} | {opened: string, error: Problem}} Opened
 * @typedef {{wrote: number, token?: number, error?: Problem, done?: boolean}} Wrote
 */

const engine = load();
engine.catch(() => {}); // told with each answer

/** @type {import('glassformer').Model | null} */
let model = null;
/** Columns that a canvas of every browser can hold. */
const WIDEST = 16384;

let modelKey = '';
let ranKey = '';
let milliseconds = 0;
let finite = true;
/** @type {string[]} */
let absent = [];
/** @type {number[] | null} */
let written = null;
/** @type {Map<string, {description: import('./plan.js').Description, weights: ReturnType<typeof readSafetensors>['tensors'], bytes: number}>} */
const opened = new Map();

self.onmessage = async (/** @type {MessageEvent<Request | OpenRequest | WriteRequest>} */ { data: request }) => {
  if ('open' in request) return self.postMessage(await open(request.open));
  if ('write' in request) return write(await engine, request);
  /** @type {Answer | Failure} */
  let reply;
  try {
    reply = answer(await engine, request);
  } catch (error) {
    ranKey = '';
    reply = { id: request.id, error: describe(error) };
  }
  const buffers = 'error' in reply ? [] : [...Object.values(reply.tensors), ...Object.values(reply.hidden)]
    .map(item => /** @type {ArrayBuffer} */ ('data' in item ? item.data.buffer : item.buffer));
  self.postMessage(reply, { transfer: buffers });
};

/**
 * @param {Awaited<typeof engine>} gf
 * @param {Request} request
 * @returns {Answer}
 */
function answer(gf, { id, key, config, ids, targetIds, names, masks, model: name, generate }) {
  for (const parameter of ['d_model', 'd_ff']) {
    const width = Number(config[parameter]);
    if (width > WIDEST) throw { code: 'range', parameter, message: `${parameter}: this page draws at most ${WIDEST} columns, got ${width}` };
  }
  const current = prepare(gf, config, name);
  if (ranKey !== key) {
    const start = performance.now();
    written = generate && translate(current, ids, generate);
    const targets = generate && written ? [generate.begin, ...written.slice(0, -1)] : targetIds;
    const { output } = current.forward({ ids, ...(targets ? { targetIds: targets } : {}), capture: true });
    milliseconds = performance.now() - start;
    finite = output.data.every(Number.isFinite);
    ranKey = key;
  }
  /** @type {Answer['tensors']} */
  const tensors = {};
  for (const each of names) {
    tensors[each] = /** @type {Tensor} */ (each === 'probabilities'
      ? gf.softmax({ x: /** @type {Tensor} */ (current.tensor('logits')) }) : current.tensor(each));
  }
  /** @type {Answer['hidden']} */
  const hidden = {};
  for (const [kind, each] of Object.entries(masks)) hidden[kind] = hiddenCells(current, each);
  const { variant, reason, version, memoryBytes } = gf;
  const facts = { variant, reason, version, memoryBytes, parameters: current.parameterCount, milliseconds, finite, absent };
  return { id, key, tensors, hidden, facts, written };
}

/**
 * The model of a configuration: the present one if only the seed differs or nothing.
 * @param {Awaited<typeof engine>} gf
 * @param {Record<string, unknown>} config
 * @param {string | null} name of the trained model whose weights it gets
 */
function prepare(gf, config, name) {
  const { seed, ...shape } = config;
  const key = JSON.stringify([shape, name]);
  if (model && key === modelKey) {
    if (!Object.is(model.seed, seed)) {
      ranKey = '';
      model.initialize(/** @type {number} */ (seed));
    }
    return model;
  }
  model?.free(); // first, so that the next may use its memory
  model = null;
  ranKey = '';
  model = gf.createModel(config);
  const weights = name === null ? null : opened.get(name)?.weights;
  if (weights) model.loadWeights(weights, { strict: false });
  absent = weights ? [...model.weights().keys()].filter(each => !weights.has(each)) : [];
  modelKey = key;
  return model;
}

/**
 * Fetches a trained model from beside the page and makes sure that it can be used.
 * @param {string} name
 * @returns {Promise<Opened>}
 */
async function open(name) {
  try {
    const gf = await engine;
    if (!opened.has(name)) {
      const [text, file] = await Promise.all([get(`${name}.json`, 'text'), get(`${name}.safetensors`, 'arrayBuffer')]);
      const description = JSON.parse(text);
      const { tensors } = readSafetensors(new Uint8Array(file));
      const trial = gf.createModel(description.config);
      try {
        trial.loadWeights(tensors); // all of them, and no other
        if (description.vocabulary.length !== description.config.vocabulary) throw new Error('the vocabulary has another size than the embeddings');
      } finally {
        trial.free();
      }
      opened.set(name, { description, weights: tensors, bytes: file.byteLength });
    }
    const { description, bytes } = /** @type {NonNullable<ReturnType<typeof opened.get>>} */ (opened.get(name));
    return { opened: name, description, bytes };
  } catch (error) {
    return { opened: name, error: describe(error) };
  }
}

/**
 * @param {string} file
 * @param {'text' | 'arrayBuffer'} how
 * @returns {Promise<any>}
 */
async function get(file, how) {
  const response = await fetch(`models/${file}`); // beside the worker
  if (!response.ok) throw new Error(`models/${file} could not be fetched (${response.status})`);
  return response[how]();
}

/**
 * The likeliest translation.
 * @param {import('glassformer').Model} current
 * @param {number[]} sourceIds
 * @param {NonNullable<Request['generate']>} generate
 */
function translate(current, sourceIds, { begin, end, maxTokens }) {
  return [...current.generate({ ids: [begin], sourceIds, maxTokens, endId: end }).newIds];
}

/**
 * Goes on with a text, telling each token as it is drawn.
 * @param {Awaited<typeof engine>} gf
 * @param {WriteRequest} request
 */
function write(gf, { write: wrote, model: name, config, ids, ending, options }) {
  try {
    const tail = ids.slice(-ending.length);
    ranKey = '';
    prepare(gf, config, name).generate({
      ids, ...options,
      onToken(token) {
        tail.push(token);
        self.postMessage({ wrote, token });
        return !ending.every((id, i) => id === tail.at(i - ending.length));
      },
    });
    self.postMessage({ wrote, done: true });
  } catch (error) {
    self.postMessage({ wrote, error: describe(error) });
  }
}

/**
 * The cells that a mask hides, from the scores after masking ([1, H, T, S]; all heads alike).
 * @param {import('glassformer').Model} current
 * @param {string} name
 */
function hiddenCells(current, name) {
  const scores = current.view(name);
  const { shape } = current.tensors().find(tensor => tensor.name === name) ?? { shape: [1, 1, 0, 0] };
  return Uint8Array.from(scores.subarray(0, shape[2] * shape[3]), value => (value === -Infinity ? 1 : 0));
}

/** @param {unknown} error */
function describe(error) {
  if (isProblem(error)) return error;
  if (error instanceof GlassformerError) {
    return { code: error.code, parameter: String(error.parameter ?? ''), message: error.message };
  }
  return { code: 'internal', parameter: '', message: error instanceof Error ? error.message : String(error) };
}

/** @param {unknown} error @returns {error is Problem} */
function isProblem(error) {
  return typeof error === 'object' && error !== null && !(error instanceof Error) && 'parameter' in error;
}
