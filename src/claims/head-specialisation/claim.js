import { makeNeighbours, makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf } from '../shared/claim.js';
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
const NEIGHBOURS = 'name both neighbours';
/** The total variation below which we say that two heads learn the same map. */
const ALIKE = 0.25;

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 14,
  name: 'Specialisation of heads',
  sentence: 'Different heads learn different relations.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, sections 3.2.2 and 4',
  literature: {
    for: ['Clark et al. 2019, “What Does BERT Look At?”', 'Voita et al. 2019, “Analyzing Multi-Head Self-Attention”'],
    against: ['Michel et al. 2019, “Are Sixteen Heads Really Better than One?”'],
  },
  why:
    'Each head has its own W^Q and W^K, so two heads can attend to two places where one must average them. Where ' +
    'one relation is enough, nothing in the loss makes heads differ.',
  limits:
    'Two short tasks and one layer, and what the heads of a large model do. Below a total variation of .25 we call ' +
    'two maps the same.',
  quotes: [
    'Multi-head attention allows the model to jointly attend to information ' +
      'from different representation subspaces at different positions.',
  ],
  choices: [
    { label: 'Each head learns its own relation.', verdict: 'true' },
    { label: 'Only where the task asks for several.', verdict: 'it depends' },
    { label: 'They learn the same map.', verdict: 'false' },
  ],
  guess: { name: 'own', from: 0, to: 1 },
  inputs: [
    { name: 'task', label: 'Task', values: ['both', NEIGHBOURS, 'reverse'], default: 'both' },
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
      name: 'reverseDistance',
      label: 'Total variation between heads that reverse',
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
  contrast: { task: 'reverse', heads: 4 },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { task, heads, seeds } = settingsOf(claim, params);
  const [sidesSteps, reverseSteps] = [naming().limit + LONG, reversing().limit];
  return overTrainings(
    seeds,
    (task === 'reverse' ? 0 : sidesSteps) + (task === NEIGHBOURS ? 0 : reverseSteps),
    async (seed, step) => {
      if (task === 'reverse') return measure(gf, { task, heads, seed }, step);
      const numbers = await bothSides(gf, { heads, seed }, step);
      if (task !== 'both') return numbers;
      const { distance } = await measure(gf, { task: 'reverse', heads, seed }, step);
      return { ...numbers, reverseDistance: distance };
    },
    onProgress,
    signal,
  );
}

/**
 * What the heads attend to after training; of one head the steps alone.
 * @param {import('../shared/train.js').Engine} gf
 * @param {{task: string, heads: number, seed: number}} settings
 * @param {() => Promise<void>} step
 */
async function attended(gf, settings, step) {
  const { data, limit, rows } = settingOf(settings.task);
  const heldOut = dataOf(data, settings.seed, rows).heldOut.batch;
  let steps = Infinity;
  const after = (/** @type {Model} */ model, /** @type {number} */ at) => {
    if (at % EVERY === 0 && steps === Infinity && shareRight(model, heldOut) >= 0.99) steps = at;
    return settings.heads === 1 && steps < Infinity;
  };
  return freed(await learn(gf, settings, step, settings.heads === 1 ? LONG : limit, after), (model) => {
    model.forward({ ids: heldOut.ids, capture: true });
    return { steps, weights: /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights')) };
  });
}

/** @param {Parameters<typeof attended>} given */
async function measure(...given) {
  const { steps, weights } = await attended(...given);
  return { steps, distance: distanceOf(weights), maps: meanMaps(weights) };
}

/**
 * @param {import('../shared/train.js').Engine} gf
 * @param {{heads: number, seed: number}} settings
 * @param {() => Promise<void>} step
 */
async function bothSides(gf, settings, step) {
  const { steps, weights } = await attended(gf, { task: NEIGHBOURS, ...settings }, step);
  const places = Array.from({ length: LENGTH - 2 }, (_, i) => i + 1);
  const left = massOf(weights, (at) => at - 1, places);
  const right = massOf(weights, (at) => at + 1, places);
  const { steps: stepsOfOne } = await attended(gf, { task: NEIGHBOURS, ...settings, heads: 1 }, step);
  return {
    ...{ steps, distance: distanceOf(weights), maps: meanMaps(weights) },
    own: left.map((mass, head) => Math.max(mass, right[head])),
    other: left.map((mass, head) => Math.min(mass, right[head])),
    sides: new Set(left.map((mass, head) => (mass > right[head] ? -1 : 1))).size,
    ...{ stepsOfOne, left, right },
  };
}

/** @type {import('../shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const differ = [smallest(numbers.own.flat()) > 0.5 && smallest(numbers.sides) === 2];
    differ.push(median(numbers.reverseDistance) > ALIKE);
    return {
      verdict: differ.every(Boolean) ? 'true' : differ.some(Boolean) ? 'it depends' : 'false',
      on: 'the task',
      found:
        `${sidesOf(numbers)} Two heads that reverse differ by a total variation of only ` +
        `${say(numbers.reverseDistance)}.`,
    };
  },
  (numbers, { heads }) =>
    numbers.own
      ? sidesOf(numbers)
      : `The maps of ${heads} heads that reverse differ by a total variation of ${say(numbers.distance)} (1: they ` +
        'share no weight).',
);

/** @param {any} numbers */
const sidesOf = ({ own, other, steps, stepsOfOne }) =>
  `Where both neighbours are asked, each head gives its own side ${percent(own.flat())} of its weight, the other ` +
  `${percent(other.flat())}; 99 % after ${say(median(steps))} steps, with one head ${say(median(stepsOfOne))}.`;

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
