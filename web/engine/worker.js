// The worker: takes requests, responds to each; the page puts errors in words (protocol.js). The models that it keeps
// are in live-models.js.

import { GlassformerError, load } from 'glassformer';
import { loadModel } from 'glassformer/core'; // the first map needs it: gf.loadModel would fetch it later
import { serve } from 'glassformer/worker';
import { withFresh } from '../kit/trap.js';
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

const cache = createModelCache(loadModel);
let ready = start();

function start() {
  const started = load().then((gf) => ({ gf, live: createLiveModels(gf, cache) }));
  started.catch(() => {}); // each response carries the error
  return started;
}

/**
 * @template T
 * @param {(engine: Awaited<typeof ready>) => T | Promise<T>} action
 */
const withEngine = (action) =>
  withFresh(
    async () => action(await ready),
    () => void (ready = start()),
  );

/** Uses of the models wait for one another; a file is fetched meanwhile. @type {Promise<unknown>} */
let last = Promise.resolve();

/**
 * @template T
 * @param {() => Promise<T>} action
 */
function inTurn(action) {
  const turn = last.then(action);
  last = turn.catch(() => {});
  return turn;
}

serve({
  run: (request) => inTurn(() => run(request)),
  open,
  forget: ({ model }) => void cache.forget(model),
  corpus: ({ model, ids }) => cache.setCorpus(model, ids),
  save: (request) => inTurn(() => save(request)),
  generate: (request) => inTurn(() => generate(request)),
});

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
    throw error;
  }
}

/** @param {import('./protocol.js').OpenRequest} request @returns {Promise<Response>} */
async function open({ type: _, model, file, ...options }) {
  if (!file) cache.fetch(model); // while the module is being compiled
  try {
    return { type: 'opened', model, info: await withEngine(({ gf }) => cache.open(gf, model, file, options)) };
  } catch (error) {
    if (!file || !(error instanceof GlassformerError)) throw error;
    const { code, parameter = '', message } = error;
    throw { code, parameter: String(parameter), message }; // not in other words: it names parts of the file
  }
}

/** @param {import('./protocol.js').SaveRequest} query @returns {Promise<Response>} */
async function save({ format, ...query }) {
  const bytes = await withEngine(async ({ live }) => {
    const model = await live.borrow(query);
    return format === 'onnx' ? model.save({ format }) : model.save();
  });
  return { type: 'saved', format, bytes: /** @type {Uint8Array<ArrayBuffer>} */ (bytes) };
}

/**
 * Continues a text, sending each token as it is drawn.
 * @param {import('./protocol.js').GenerateRequest & {onToken: (token: number) => void}} request
 */
async function generate({ ids, ending, options, signal, onToken, ...query }) {
  let sent = 0;
  await withEngine(async ({ live }) => {
    signal.throwIfAborted();
    let drawn = 0;
    for await (const { id } of (await live.borrow(query)).generate({ ids, ...options, signal })) {
      if (++drawn > sent) {
        sent = drawn; // a second try draws the same tokens
        onToken(id);
      }
      if (ending.includes(id)) break;
    }
  });
}
