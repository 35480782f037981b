// The work of `workers` in each engine: steps in one piece, and in four shards by none, one and two workers. Two
// engines in workers of their own, each with the whole step, show the speed of threads that wait for nobody.
import { load } from '../../dist/js/index.js';
import { creek } from '../../dist/tasks/index.js';
import { paired } from './harness.js';

const B = 16;
const T = 64;
const ids = { data: Int32Array.from({ length: B * T }, (_, at) => (at * at + 7 * at) % 256), shape: [B, T] };
const deep = { kind: 'decoder', vocabulary: 256, d_model: 128, heads: 4, layers: 4, head: 'tied', norm: 'pre' };

/** @type {Record<string, {config: object, settings: object, batch: any}>} */
const MODELS = {
  "creek's recipe": { config: creek.config, settings: creek.trainer, batch: creek.batches(0).next().value },
  '4 layers, d_model 128': { config: deep, settings: { clip: 1 }, batch: { ids, labels: ids } },
};

/** The ways to compute steps. @type {Record<string, {shards?: number, workers?: number}>} */
const WAYS = {
  'in one piece': {},
  '0 workers': { workers: 0 },
  '1 worker': { workers: 1 },
  '2 workers': { workers: 2 },
};

/** Where two threads share nothing but the machine. */
const APART = 'two engines at once';

/**
 * All ways take turns, so that what slows one slows all.
 * @param {{effort?: object}} options
 * @returns {Promise<{model: string, way: string, workers: number, median: number, samples: number[]}[]>} milliseconds
 */
export default async function work({ effort }) {
  const gf = await load();
  const { load: loadRemote } = await import('../../dist/js/worker.js');
  const rows = [];
  for (const [title, { config, settings, batch }] of Object.entries(MODELS)) {
    const trainers = Object.entries(WAYS).map(([way, shards]) => {
      const model = gf.createModel({ ...config, seed: 7 });
      return { way, model, trainer: model.trainer({ ...settings, ...shards }) };
    });
    const remotes = await Promise.all([loadRemote(), loadRemote()]);
    const apart = await Promise.all(
      remotes.map(async (remote) =>
        (await remote.createModel({ ...config, seed: 7 })).trainer({ ...settings, shards: 4 }),
      ),
    );
    const times = await paired(
      {
        ...Object.fromEntries(trainers.map(({ way, trainer }) => [way, () => trainer.step(batch)])),
        [APART]: () => Promise.all(apart.map((trainer) => trainer.step(batch))),
      },
      effort,
    );
    for (const remote of remotes) remote.terminate();
    for (const { way, model, trainer } of trainers) {
      rows.push({ model: title, way, workers: trainer.workers ?? 0, ...times[way] });
      model.free();
    }
    const [both, samples] = [times[APART].median / 2, times[APART].samples.map((ms) => ms / 2)]; // of two steps
    rows.push({ model: title, way: APART, workers: 0, median: both, samples });
  }
  return rows;
}
