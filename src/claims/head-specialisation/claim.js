import { makeNeighbours, makeReverse } from 'glassformer/tasks';
import { settingsOf } from '../shared/claim.js';
import { median, say, smallest } from '../shared/numbers.js';
import {
  dataOf,
  freed,
  massOf,
  meanMaps,
  overTrainings,
  percent,
  recipeOf,
  shareRight,
  train,
  trained,
} from '../shared/train.js';

const [LENGTH, TOKENS, EVERY] = [8, 6, 25];
/** @typedef {import('../shared/train.js').Model} Model */

/** Steps that one head may take. */
const LONG = 600;

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 14,
  name: 'Specialisation of heads',
  sentence: 'Different heads learn different relations.',
  source: 'Vaswani et al. 2017, “Attention Is All You Need”, sections 3.2.2 and 4; Clark et al. 2019, section 4',
  quotes: [
    'Multi-head attention allows the model to jointly attend to information ' +
      'from different representation subspaces at different positions.',
  ],
  choices: [
    { label: 'Each head takes a relation of its own.', verdict: 'holds' },
    { label: 'They differ somewhat.', verdict: 'holds only if' },
    { label: 'They learn the same map.', verdict: 'fails' },
  ],
  inputs: [
    { name: 'task', label: 'Task', values: ['name both neighbours', 'reverse'], default: 'name both neighbours' },
    { name: 'heads', label: 'Heads', values: [2, 4], default: 2 },
  ],
  long: true,
  seeded: true,
  expected: [
    {
      name: 'own',
      label: 'Weight of each head on its own side',
      range: [0.53, 0.67],
      tolerance: { absolute: 0.03 },
      share: true,
    },
    {
      name: 'other',
      label: 'Weight of each head on the other side',
      range: [0.04, 0.12],
      tolerance: { absolute: 0.05 },
      share: true,
    },
    { name: 'steps', label: 'Steps to 99 %', range: [200, 250], tolerance: { absolute: 2 * EVERY } },
    { name: 'stepsOfOne', label: 'Steps to 99 % with one head', range: [400, 550], tolerance: { absolute: 2 * EVERY } },
    {
      name: 'distance',
      label: 'Total variation between heads',
      at: { task: 'reverse' },
      range: [0.07, 0.23],
      tolerance: { absolute: 0.05 },
    },
    {
      name: 'distance',
      label: 'Total variation between heads',
      at: { task: 'reverse', heads: 4 },
      range: [0.29, 0.42],
      tolerance: { absolute: 0.05 },
    },
  ],
  flip: { params: { task: 'reverse' }, verdict: 'fails' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { task, heads, seeds } = settingsOf(claim, params);
  const { data, limit, rows } = settingOf(task);
  const both = task !== 'reverse';
  return overTrainings(
    seeds,
    limit + (both ? LONG : 0),
    async (seed, step) => {
      const heldOut = dataOf(data, seed, rows).heldOut.batch;
      const { ids } = heldOut;
      const learnt = async (/** @type {number} */ count, /** @type {number} */ most) => {
        let steps = Infinity;
        const after = (/** @type {Model} */ model, /** @type {number} */ at) => {
          if (at % EVERY === 0 && steps === Infinity && shareRight(model, heldOut) >= 0.99) steps = at;
          return count === 1 && steps < Infinity; // of one head the steps alone
        };
        return freed(await learn(gf, { task, heads: count, seed }, step, most, after), (model) => {
          model.forward({ ids, capture: true });
          return { steps, weights: /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights')) };
        });
      };
      const { steps, weights } = await learnt(heads, limit);
      const result = { steps, distance: distanceOf(weights), maps: meanMaps(weights) };
      if (!both) return result;
      const places = Array.from({ length: LENGTH - 2 }, (_, i) => i + 1);
      const left = massOf(weights, (at) => at - 1, places);
      const right = massOf(weights, (at) => at + 1, places);
      const { steps: stepsOfOne } = await learnt(1, LONG);
      const sides = left.map((mass, head) => (mass > right[head] ? -1 : 1));
      return {
        ...result,
        own: left.map((mass, head) => Math.max(mass, right[head])),
        other: left.map((mass, head) => Math.min(mass, right[head])),
        sides: new Set(sides).size,
        stepsOfOne,
        left,
        right,
      };
    },
    onProgress,
    signal,
  );
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ distance, own, other, sides, steps, stepsOfOne }) {
  const apart = `The maps of two heads differ by a total variation of ${say(distance)} (1: they share no weight)`;
  if (own && smallest(own.flat()) > 0.5 && smallest(sides) === 2)
    return {
      verdict: 'holds',
      why:
        `Each head gives its own side ${percent(own.flat())} of its weight, the other ${percent(other.flat())}; ` +
        `99 % after ${say(median(steps))} steps, with one head ${say(median(stepsOfOne))}.`,
    };
  if (median(distance) < 0.25) return { verdict: 'fails', why: `${apart}: they learn much the same map.` };
  return { verdict: 'holds only if', why: `${apart}.` };
}

/** The task of a switch, how it is trained, how many steps at most. @param {string} task */
export const settingOf = (task) => (task === 'reverse' ? reversing() : naming());

/**
 * @param {import('../shared/train.js').Engine} gf
 * @param {{task: string, heads: number, seed: number}} settings
 * @param {() => Promise<void>} step called before each
 * @param {number} [most] steps
 * @param {(model: Model, at: number) => boolean} [after] each; true ends it
 * @returns {Promise<Model>} that has learned the task; to be freed
 */
export function learn(gf, { task, heads, seed }, step, most, after) {
  const { data, trainer, limit, rows } = settingOf(task);
  return trained(gf, { ...data.config, heads, seed }, (model) =>
    train(model.trainer(trainer), dataOf(data, seed, rows).batches(), most ?? limit, step, (at) => after?.(model, at)),
  );
}

function naming() {
  return { limit: 500, rows: 128, trainer: recipeOf(3e-3), data: makeNeighbours({ letters: TOKENS, length: LENGTH }) };
}

function reversing() {
  const data = makeReverse({ length: LENGTH });
  return { limit: 300, rows: 64, trainer: /** @type {any} */ (data.trainer), data };
}

/**
 * @param {{data: ArrayLike<number>, shape: readonly number[]}} weights [B,H,T,S]
 * @returns {number} total variation between rows of two heads, half the sum of |differences|; mean over rows and pairs
 */
function distanceOf({ data, shape: [rows, heads, queries, keys] }) {
  const size = queries * keys;
  let [sum, pairs] = [0, 0];
  for (let a = 0; a < heads; a++)
    for (let b = 0; b < a; b++, pairs++)
      for (let row = 0; row < rows; row++)
        for (let i = 0; i < size; i++)
          sum += Math.abs(data[(row * heads + a) * size + i] - data[(row * heads + b) * size + i]) / 2;
  return sum / (pairs * rows * queries);
}
