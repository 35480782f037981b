// The model's side of the page: keeps one model, runs it when its input changed, hands out tensors.

import { GlassformerError, load } from 'glassformer';

/**
 * @typedef {{data: Float32Array, shape: number[]}} Tensor
 *
 * What to compute, by `key`, and which tensors of it to send. `masks` names for each kind of
 * attention the tensor of masked scores that shows which cells are hidden.
 * @typedef {{
 *   id: number, key: string, config: Record<string, unknown>, ids: number[],
 *   targetIds: number[] | null, names: string[], masks: Record<string, string>,
 * }} Request
 *
 * @typedef {{
 *   variant: string, reason: string, version: string, parameters: number, milliseconds: number,
 *   memoryBytes: number, finite: boolean,
 * }} Facts
 *
 * @typedef {{
 *   id: number, key: string, tensors: Record<string, Tensor>,
 *   hidden: Record<string, Uint8Array>, facts: Facts,
 * }} Answer
 *
 * @typedef {{id: number, error: {code: string, parameter: string, message: string}}} Failure
 */

const engine = load();
engine.catch(() => {}); // told with each answer

/** @type {import('glassformer').Model | null} */
let model = null;
let modelKey = '';
let ranKey = '';
let milliseconds = 0;
let finite = true;

self.onmessage = async (/** @type {MessageEvent<Request>} */ { data: request }) => {
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
function answer(gf, { id, key, config, ids, targetIds, names, masks }) {
  const current = prepare(gf, config);
  if (ranKey !== key) {
    const start = performance.now();
    const { output } = current.forward({ ids, ...(targetIds ? { targetIds } : {}), capture: true });
    milliseconds = performance.now() - start;
    finite = output.data.every(Number.isFinite);
    ranKey = key;
  }
  /** @type {Answer['tensors']} */
  const tensors = {};
  for (const name of names) tensors[name] = /** @type {Tensor} */ (current.tensor(name));
  /** @type {Answer['hidden']} */
  const hidden = {};
  for (const [kind, name] of Object.entries(masks)) hidden[kind] = hiddenCells(current, name);
  const { variant, reason, version, memoryBytes } = gf;
  const facts = { variant, reason, version, memoryBytes, parameters: current.parameterCount, milliseconds, finite };
  return { id, key, tensors, hidden, facts };
}

/**
 * The model of a configuration: the present one if only the seed differs or nothing.
 * @param {Awaited<typeof engine>} gf
 * @param {Record<string, unknown>} config
 */
function prepare(gf, config) {
  const { seed, ...shape } = config;
  const key = JSON.stringify(shape);
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
  modelKey = key;
  return model;
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
  if (error instanceof GlassformerError) {
    return { code: error.code, parameter: String(error.parameter ?? ''), message: error.message };
  }
  return { code: 'internal', parameter: '', message: error instanceof Error ? error.message : String(error) };
}
