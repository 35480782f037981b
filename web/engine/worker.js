// The model's side of the page: takes messages, answers each. Models and runs are kept in runs.js.

import { GlassformerError, load, readSafetensors, writeSafetensors } from 'glassformer';
import { fetchWork } from './derived.js';
import { createRuns } from './live-models.js';
import { createShelf } from './model-cache.js';

/**
 * @typedef {Awaited<ReturnType<typeof load>>} Engine
 * @typedef {import('glassformer').Model} Model
 * @typedef {ReturnType<typeof readSafetensors>['tensors']} Weights
 * @typedef {{data: Float32Array, shape: number[]}} Tensor
 *
 * What to compute, by `key`, and what of it to send: tensors, and names with '@' of the lab. `masks`
 * names for each kind of attention the tensor of masked scores that shows which cells are hidden.
 * `runs`: of how many plans the results are kept.
 * @typedef {{
 *   id: number, key: string, config: Record<string, unknown>, ids: number[],
 *   targetIds: number[] | null, changes: import('../app/schema.js').Change[], names: string[], masks: Record<string, string>,
 *   model: string | null, generate: {begin: number, end: number, maxTokens: number} | null, runs: 1 | 2,
 * }} Request
 *
 * Opens a trained model; or lets one go on with a text; or writes the weights of one as a file.
 * @typedef {{open: string}} OpenRequest
 * @typedef {{
 *   write: number, model: string, config: Record<string, unknown>, changes: import('../app/schema.js').Change[], ids: number[], ending: number[],
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
 *   id: number, key: string, tensors: Record<string, Tensor>, lab: Record<string, any>,
 *   hidden: Record<string, Uint8Array>, facts: Facts, written: number[] | null,
 * }} Answer
 *
 * @typedef {{save: Pick<Request, 'config' | 'model' | 'changes'>}} SaveRequest
 *
 * @typedef {{code: string, parameter: string, message: string}} Problem
 * @typedef {{id: number, error: Problem}} Failure
 * @typedef {{opened: string, description: import('./plan.js').Description} | {opened: string, error: Problem}} Opened
 * @typedef {{wrote: number, token?: number, error?: Problem, done?: boolean}} Wrote
 * @typedef {{saved: Uint8Array<ArrayBuffer>} | {saved: null, error: Problem}} Saved
 */

const shelf = createShelf(readSafetensors);
let ready = start();

function start() {
  const started = load().then((gf) => ({ gf, runs: createRuns(gf, shelf) }));
  started.catch(() => {}); // told with each answer
  return started;
}

/**
 * Does something with the module; once more with a fresh instance where the first broke down. WebKit's JIT makes
 * one in some sixty instances that reads out of bounds.
 * @template T
 * @param {(engine: Awaited<typeof ready>) => T | Promise<T>} deed
 */
async function withEngine(deed) {
  for (let tries = 1; ; tries++) {
    try {
      return await deed(await ready);
    } catch (error) {
      if (!hasTrapped(error)) throw error;
      ready = start(); // what trapped may have left anything half done
      if (tries === 2) throw error;
    }
  }
}

self.onmessage = async (
  /** @type {MessageEvent<Request | OpenRequest | WriteRequest | SaveRequest>} */ { data: request },
) => {
  if ('open' in request) self.postMessage(await open(request.open));
  else if ('write' in request) await write(request);
  else if ('save' in request) self.postMessage(await save(request.save));
  else {
    const reply = await answer(request);
    self.postMessage(reply, { transfer: [...buffersOf(reply)] });
  }
};

/** @param {Request} request @returns {Promise<Answer | Failure>} */
async function answer(request) {
  try {
    await fetchWork(request.names);
    if (request.names.some((name) => name.startsWith('@corpus/'))) await shelf.fetchCorpus(request.model);
    return await withEngine(({ runs }) => runs.answer(request));
  } catch (error) {
    ready.then(
      ({ runs }) => runs.forget(),
      () => {},
    );
    return { id: request.id, error: describe(error) };
  }
}

/** @param {string} name @returns {Promise<Opened>} */
async function open(name) {
  try {
    return { opened: name, description: await withEngine(({ gf }) => shelf.open(gf, name)) };
  } catch (error) {
    return { opened: name, error: describe(error) };
  }
}

/** @param {SaveRequest['save']} wish @returns {Promise<Saved>} */
async function save(wish) {
  try {
    return {
      saved: await withEngine(
        ({ runs }) => /** @type {Uint8Array<ArrayBuffer>} */ (writeSafetensors(runs.borrow(wish).weights())),
      ),
    };
  } catch (error) {
    return { saved: null, error: describe(error) };
  }
}

/** Goes on with a text, telling each token as it is drawn. @param {WriteRequest} request */
async function write({ write: wrote, ids, ending, options, ...wish }) {
  let told = 0;
  try {
    await withEngine(({ runs }) => {
      const all = [...ids];
      runs.borrow(wish).generate({
        ids,
        ...options,
        onToken(token) {
          all.push(token);
          if (all.length - ids.length > told) {
            // a second try draws the same tokens
            told++;
            self.postMessage({ wrote, token });
          }
          return !ending.every((id, i) => id === all.at(i - ending.length));
        },
      });
    });
    self.postMessage({ wrote, done: true });
  } catch (error) {
    self.postMessage({ wrote, error: describe(error) });
  }
}

/**
 * The memory of all typed arrays in an answer, to be moved, not copied.
 * @param {unknown} value
 * @param {Set<ArrayBuffer>} [found]
 */
function buffersOf(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) found.add(/** @type {ArrayBuffer} */ (value.buffer));
  else if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) buffersOf(each, found);
  return found;
}

/** @param {unknown} error */
function describe(error) {
  if (isProblem(error)) return error;
  if (error instanceof GlassformerError) {
    return { code: error.code, parameter: String(error.parameter ?? ''), message: error.message };
  }
  if (hasTrapped(error)) {
    const message = `The WebAssembly module broke down, and so did a fresh one: this browser reports “${/** @type {Error} */ (error).message}”.`;
    return { code: 'broken', parameter: '', message };
  }
  return { code: 'internal', parameter: '', message: error instanceof Error ? error.message : String(error) };
}

/** By its name, as there may be no WebAssembly here. @param {unknown} error */
const hasTrapped = (error) => error instanceof Error && error.name === 'RuntimeError';

/** @param {unknown} error @returns {error is Problem} */
function isProblem(error) {
  return typeof error === 'object' && error !== null && !(error instanceof Error) && 'parameter' in error;
}
