// Workers that end at random moments within random calls. Their short form is workers.test.js.
import assert from 'node:assert/strict';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';

import { GlassformerError, load } from 'glassformer';
import { load as loadWorker } from 'glassformer/worker';
import { mortal, WAYS } from '../js/mortal-worker.js';
import { random } from '../js/reference.js';
import { DECODER, hash, KINDS } from '../js/shards-cases.js';

export const about = 'workers that end at a random moment: every call settles, refused ones with one code';
export const long = 200;

const PATIENCE = 60_000; // ms until a call counts as one that hangs
const TEXT = { ids: [1, 2, 3] };
const BATCH = { ...TEXT, labels: [2, 3, 4] };
const LONG = { ...TEXT, maxTokens: 400, maxOperations: Infinity };

/** Fails where a promise does not settle. @template T @param {Promise<T>} promise @param {string} what */
async function settled(promise, what) {
  /** @type {any} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} does not settle`)), PATIENCE);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** @param {any} error @param {string} what @param {string} parameter */
function checkEnded(error, what, parameter) {
  assert(error instanceof GlassformerError, `${what}: ${error}`);
  assert.deepEqual([error.code, error.parameter], ['freed', parameter], `${what}: ${error}`);
}

/** @typedef {ReturnType<typeof random>} Random */

/** An engine in a worker. @param {Random} r @param {(worker: any) => unknown} end */
async function engine(r, end) {
  const calls = {
    softmax: ({ gf }) => gf.softmax([0, 1]),
    createModel: ({ gf }) => gf.createModel({ ...DECODER, layers: 2 }),
    forward: ({ model }) => model.forward({ ...TEXT, capture: true }),
    generate: async ({ model }) => await model.generate(LONG),
    'generate with a signal': async ({ model }) =>
      await model.generate({ ...LONG, signal: new AbortController().signal }),
    'loop over generate': async ({ model }) => {
      for await (const { id } of model.generate(LONG)) assert(id >= 0);
    },
    save: ({ model }) => model.save(),
    clone: ({ model }) => model.clone(),
    'load a file': async ({ gf, model }) => gf.loadModel(await model.save()),
    step: ({ trainer }) => trainer.step(BATCH),
    train: ({ trainer }) => trainer.train(Array.from({ length: 20 }, () => BATCH)),
    state: ({ trainer }) => trainer.state(),
  };
  const worker = mortal();
  const exit = new Promise((resolve) => worker.once('exit', resolve));
  const loading = loadWorker({ worker });
  const begun = loading.then(async (gf) => {
    const model = await gf.createModel(DECODER);
    return { gf, model, trainer: await model.trainer() };
  });
  begun.catch(() => {}); // checked below
  const ready = r.bool(0.3) ? Promise.resolve() : begun.then(() => {});
  const moment = r.int(0, 100);
  const ending = ready.then(() => wait(moment)).then(() => end(worker));
  /** @type {any} */
  let objects;
  try {
    objects = await settled(begun, 'loading');
  } catch (error) {
    if (error?.code === 'unsupported') assert.equal(error.parameter, 'worker');
    else checkEnded(error, 'loading', 'worker');
  }
  let refused = objects ? 0 : 1;
  const names = objects ? Array.from({ length: r.int(1, 12) }, () => r.pick(Object.keys(calls))) : [];
  const asked = names.map((name) => calls[name](objects));
  for (const each of asked) each.catch(() => {}); // checked below
  for (const [i, each] of asked.entries()) {
    try {
      await settled(each, names[i]);
    } catch (error) {
      checkEnded(error, names[i], 'worker');
      refused++;
    }
  }
  await ending;
  await settled(exit, 'the thread');
  if (objects) {
    for (const name of Object.keys(calls)) {
      const later = calls[name](objects).then(() => assert.fail(`${name}: there is no worker`));
      await settled(later, name).catch((error) => checkEnded(error, `later ${name}`, 'worker'));
    }
  }
  return { engines: 1, duringLoad: Number(!objects), refused };
}

const gf = await load({ variant: 'simd' });

/** A trainer in shards: what is refused changes nothing. @param {Random} r @param {(worker: any) => unknown} end */
async function shards(r, end) {
  const { batch } = KINDS.decoder;
  const given = batch(r.next, 6);
  /** @type {any[]} */
  const made = [];
  const worker = () => made[made.push(mortal()) - 1];
  const models = [gf.createModel(DECODER), gf.createModel(DECODER)];
  const trainer = models[0].trainer({ workers: 2, worker, dropout: 0.1 });
  const other = models[1].trainer({ shards: 4, dropout: 0.1 });
  const early = r.bool(0.3); // while its workers start
  if (!early) await settled(Promise.resolve(trainer.step(given)), 'the first step');
  let over = false;
  const ending = wait(r.int(0, early ? 60 : 15)).then(() => {
    if (made.length) end(r.pick(made));
    return wait(50);
  });
  ending.then(() => (over = true));
  let refused = 0;
  do {
    try {
      await settled(Promise.resolve(trainer.step(given)), 'a step');
    } catch (error) {
      checkEnded(error, 'a step', 'workers');
      refused++;
    }
    await turn(); // steps without workers never wait for a message, so no timer would run
  } while (!over);
  await settled(Promise.resolve(trainer.step(given)), 'a later step').catch((error) => {
    checkEnded(error, 'a later step', 'workers');
    refused++;
  });
  await settled(Promise.resolve(trainer.step(given)), 'the last step');
  while (other.steps < trainer.steps) await other.step(given);
  assert.equal(hash(trainer), hash(other), 'a refused step changed something');
  const figures = { trainers: 1, refused, withoutWorkers: Number(trainer.workers === 0) };
  for (const model of models) model.free();
  return figures;
}

/** @param {{count: number, seed: number}} options */
export async function run({ count, seed }) {
  /** @type {Record<string, number>} */
  const figures = {};
  for (let i = 0; i < count; i++) {
    const own = seed * 1000 + i;
    const r = random(own);
    const kind = r.pick([engine, shards]);
    const [way, [end]] = r.pick(Object.entries(WAYS));
    try {
      const found = await kind(r, end);
      for (const [name, number] of Object.entries({ [way]: 1, ...found }))
        figures[name] = (figures[name] ?? 0) + number;
    } catch (error) {
      throw new Error(`seed ${own}: ${kind.name}, ${way}`, { cause: error });
    }
  }
  return figures;
}
