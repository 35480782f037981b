// The worker: takes requests, responds to each. The models that it keeps are in live-models.js.

import { GlassformerError, load, writeSafetensors } from 'glassformer';
import { loadDerived } from './derived.js';
import { createLiveModels } from './live-models.js';
import { createModelCache } from './model-cache.js';

/**
 * @typedef {Awaited<ReturnType<typeof load>>} Engine
 * @typedef {import('glassformer').Model} Model
 * @typedef {ReturnType<Model['weights']>} Weights
 * @typedef {import('./protocol.js').Problem} Problem
 * @typedef {import('./protocol.js').Response} Response
 */

const cache = createModelCache();
let ready = start();

function start() {
  const started = load().then((gf) => ({ gf, live: createLiveModels(gf, cache) }));
  started.catch(() => {}); // each response carries the error
  return started;
}

/**
 * Does something with the module; once more with a fresh instance where the first trapped. WebKit's JIT makes
 * one in some sixty instances that reads out of bounds.
 * @template T
 * @param {(engine: Awaited<typeof ready>) => T | Promise<T>} action
 */
async function withEngine(action) {
  for (let tries = 1; ; tries++) {
    try {
      return await action(await ready);
    } catch (error) {
      if (!hasTrapped(error)) throw error;
      ready = start(); // what trapped may have left anything half done
      if (tries === 2) throw error;
    }
  }
}

/** @param {Response} response */
const respond = (response) => self.postMessage(response, { transfer: [...buffersOf(response)] });

self.onmessage = async (/** @type {MessageEvent<import('./protocol.js').Request>} */ { data: request }) => {
  if (request.type === 'run') respond(await run(request));
  else if (request.type === 'open')
    self.postMessage(await open(request.model)); // the cache keeps what it says
  else if (request.type === 'save') respond(await save(request));
  else await generate(request);
};

/** @param {import('./protocol.js').RunRequest} request @returns {Promise<Response>} */
async function run(request) {
  try {
    const { corpus } = await loadDerived(request.names);
    if (corpus) await cache.fetchCorpus(request.model);
    return await withEngine(({ live }) => live.run(request));
  } catch (error) {
    ready.then(
      ({ live }) => live.forget(),
      () => {},
    );
    return { type: 'refused', id: request.id, error: describe(error) };
  }
}

/** @param {string} model @returns {Promise<Response>} */
async function open(model) {
  try {
    return { type: 'opened', model, info: await withEngine(({ gf }) => cache.open(gf, model)) };
  } catch (error) {
    return { type: 'opened', model, error: describe(error) };
  }
}

/** @param {import('./protocol.js').SaveRequest} query @returns {Promise<Response>} */
async function save(query) {
  try {
    const bytes = await withEngine(({ live }) => writeSafetensors(live.borrow(query).weights()));
    return { type: 'saved', bytes: /** @type {Uint8Array<ArrayBuffer>} */ (bytes) };
  } catch (error) {
    return { type: 'saved', bytes: null, error: describe(error) };
  }
}

/** Continues a text, sending each token as it is drawn. @param {import('./protocol.js').GenerateRequest} request */
async function generate({ id, ids, ending, options, ...query }) {
  let sent = 0;
  try {
    await withEngine(({ live }) => {
      const all = [...ids];
      live.borrow(query).generate({
        ids,
        ...options,
        onToken(token) {
          all.push(token);
          if (all.length - ids.length > sent) {
            sent++; // a second try draws the same tokens
            respond({ type: 'token', id, token });
          }
          return !ending.every((each, i) => each === all.at(i - ending.length));
        },
      });
    });
  } catch (error) {
    respond({ type: 'token', id, error: describe(error) });
  }
}

/**
 * The memory of all typed arrays in a response, to be moved, not copied.
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
    const { message: reported } = /** @type {Error} */ (error);
    const twice = 'The WebAssembly module broke down, and so did a fresh one';
    const message = `${twice}: this browser reports “${reported}”.`;
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
