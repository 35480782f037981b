import { makeNeighbours, makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { DIGIT, indexOfLargest, inTrain, rowsIn, SAME_RUN } from './shared/explore.js';
import { median, say } from './shared/numbers.js';
import { given, marks, range, seedsOf } from './shared/picture.js';
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
} from './shared/train.js';

const LENGTH = 8;
const TOKENS = 6;
const WIDTH = 32;
const EVERY = 25;
/** @typedef {import('./shared/train.js').Model} Model */
/** @typedef {{task: string, heads: number | string, seed: number, rate?: number, d_model?: number}} Settings */

/** Steps that one head may take. */
const LONG = 600;
const NEIGHBOURS = 'name both neighbours';
const REVERSE = 'reverse';
const BOTH = 'both';
const TASKS = [NEIGHBOURS, REVERSE];
/** Of a task in the names of its numbers. */
const NAMES = /** @type {Record<string, string>} */ ({ [NEIGHBOURS]: 'neighbours', [REVERSE]: 'reverse' });
const HEADS = [2, 4];
const ALL = '2 and 4';
/** The total variation below which we say that two heads learn the same map. */
const ALIKE = 0.25;

/**
 * @param {...readonly [low: number, high: number]} ranges of the shares, by task and number of heads
 * @returns {import('./shared/claim.js').Expected[]}
 */
const differing = (...ranges) =>
  TASKS.flatMap((task) => HEADS.map((count) => ({ task, count }))).map(({ task, count }, i) => ({
    name: `${NAMES[task]}Share${count}`,
    label: `Seeds in which ${count} heads that ${task} differ`,
    range: ranges[i],
    share: true,
  }));

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 14,
  name: 'Specialisation of heads',
  sentence: 'Different heads learn different relations.',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, sections 3.2.2 and 4',
  experiment:
    'One layer (d_model 32) with two or four heads learns two tasks: to name both neighbours of a letter, and ' +
    'to reverse 8 digits. In each seed the attention maps of the heads are compared.',
  sketch: {
    input: ['c', 'a', 'f', '…', 'b'],
    stacks: [{ layers: 1, parts: ['attention: 2'] }],
    output: 'both neighbours, or the reverse',
    width: 32,
  },
  literature: {
    for: ['Clark et al. 2019, “What Does BERT Look At?”', 'Voita et al. 2019, “Analyzing Multi-Head Self-Attention”'],
    against: ['Michel et al. 2019, “Are Sixteen Heads Really Better than One?”'],
  },
  why:
    'Each head has its own W^Q and W^K, so two heads can attend to two places where one must average them. Where ' +
    'one relation is enough, nothing in the loss makes heads differ.',
  limits:
    'Two short tasks and one layer; what the heads of a large model do. Up to a mean total variation of 0.25 we call ' +
    'maps the same: of 20 seeds two heads that reverse differ in 5.',
  overturn: 'Two heads that learn the same map where the task has two relations, in most seeds.',
  quotes: [
    {
      text:
        'Multi-head attention allows the model to jointly attend to information from different representation ' +
        'subspaces at different positions.',
      from: 'Vaswani et al. 2017, section 3.2.2',
    },
  ],
  choices: [
    { label: 'Each head learns its own relation.', verdict: 'true' },
    { label: 'That depends on the task and on how many heads there are.', verdict: 'it depends' },
    { label: 'They learn the same map.', verdict: 'false' },
  ],
  guess: { name: 'reverseShare2', from: 0, to: 1 },
  inputs: [
    { name: 'task', label: 'Task', values: [BOTH, ...TASKS], default: BOTH },
    { name: 'heads', label: 'Heads', values: [ALL, ...HEADS], default: ALL },
  ],
  scales: [
    { name: 'rate', label: 'Learning rates, times', values: [0.5, 1, 2], default: 1 },
    { name: 'd_model', label: 'Width d_model', values: [16, WIDTH], default: WIDTH },
  ],
  long: true,
  seeded: true,
  expected: [
    ...differing([1, 1], [1, 1], [0, 0.6], [1, 1]),
    {
      name: 'own2',
      label: 'Two heads: weight of each on its own neighbour',
      range: [0.54, 0.67],
      tolerance: { absolute: 0.03 },
      share: true,
    },
    {
      name: 'other2',
      label: 'Two heads: weight of each on the other neighbour',
      range: [0.05, 0.13],
      tolerance: { absolute: 0.05 },
      share: true,
    },
    { name: 'steps2', label: 'Two heads: steps to 99 %', range: [225, 300], tolerance: { absolute: 2 * EVERY } },
    { name: 'stepsOfOne', label: 'One head: steps to 99 %', range: [375, 475], tolerance: { absolute: 2 * EVERY } },
    {
      name: 'reverse2',
      label: 'Total variation between two heads that reverse',
      range: [0.067, 0.226],
      tolerance: { absolute: 0.05 },
    },
    {
      name: 'reverse4',
      label: 'Total variation between four heads that reverse',
      range: [0.29, 0.43],
      tolerance: { absolute: 0.05 },
    },
  ],
  contrast: { task: REVERSE, heads: 4 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { task, heads, rate, d_model, seeds } = settingsOf(claim, params);
  const counts = heads === ALL ? HEADS : [heads];
  const tasks = task === BOTH ? TASKS : [task];
  const total = counts.length * tasks.reduce((sum, one) => sum + settingOf(one).limit, 0);
  return overTrainings(
    seeds,
    total + (tasks.includes(NEIGHBOURS) ? LONG : 0),
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const count of counts)
        for (const one of tasks) {
          const { distance, maps, ...more } = await measure(gf, { task: one, heads: count, rate, d_model, seed }, step);
          numbers[`${NAMES[one]}${count}`] = distance;
          numbers.maps ??= maps;
          for (const [name, value] of Object.entries(more)) numbers[`${name}${count}`] = value;
        }
      if (tasks.includes(NEIGHBOURS))
        numbers.stepsOfOne = (await attended(gf, { task: NEIGHBOURS, heads: 1, rate, d_model, seed }, step)).steps;
      return numbers;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, ...shares(lists, tasks, counts), counts, tasks }),
  );
}

/**
 * In what share of the seeds the heads differ.
 * @param {Record<string, any>} lists
 * @param {readonly string[]} tasks
 * @param {readonly number[]} counts
 */
const shares = (lists, tasks, counts) =>
  Object.fromEntries(
    tasks.flatMap((task) =>
      counts.map((count) => {
        const distances = /** @type {number[]} */ (lists[`${NAMES[task]}${count}`]);
        return [`${NAMES[task]}Share${count}`, distances.filter((one) => one > ALIKE).length / distances.length];
      }),
    ),
  );

/**
 * Trains a model and reads its attention on held-out rows. A single head stops at 99 % right.
 * @param {import('./shared/train.js').Engine} gf
 * @param {Settings} settings
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

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {Settings} settings
 * @param {() => Promise<void>} step
 */
async function measure(gf, settings, step) {
  const { steps, weights } = await attended(gf, settings, step);
  const found = { distance: distanceOf(weights), maps: meanMaps(weights) };
  if (settings.task === REVERSE) return found;
  const places = Array.from({ length: LENGTH - 2 }, (_, i) => i + 1);
  const left = massOf(weights, (at) => at - 1, places);
  const right = massOf(weights, (at) => at + 1, places);
  return {
    ...found,
    steps,
    left,
    right,
    own: left.map((mass, head) => Math.max(mass, right[head])),
    other: left.map((mass, head) => Math.min(mass, right[head])),
  };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(TASKS.flatMap((task) => HEADS.map((count) => numbers[`${NAMES[task]}Share${count}`] > 0.5))),
    on: 'the task and the number of heads',
    found: differences(numbers),
  }),
  differences,
);

/** @param {any} numbers */
function differences(numbers) {
  const { counts, tasks } = numbers;
  const each = tasks.flatMap((/** @type {string} */ task) =>
    counts.map((/** @type {number} */ count) => {
      const [share, apart] = [numbers[`${NAMES[task]}Share${count}`], numbers[`${NAMES[task]}${count}`]];
      return `${count} heads that ${task} ${percent(share)} (total variation ${say(apart)})`;
    }),
  );
  const { own2, other2, steps2, stepsOfOne } = numbers;
  return (
    `Heads differ in this share of the seeds: ${each.join('; ')}.` +
    (own2 && tasks.length === 1
      ? ` Asked for both neighbours, each of two heads gives its own side ${percent(own2.flat())} of its weight, the ` +
        `other ${percent(other2.flat())}; 99 % after ${say(median(steps2))} steps, with one head ` +
        `${say(median(stepsOfOne))}.`
      : '')
  );
}

/** The task of a switch, how it is trained, how many steps at most. @param {string} task */
const settingOf = (task) => (task === REVERSE ? reversing() : naming());

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {Settings} settings of both numbers of heads the smaller
 * @param {() => Promise<void>} step called before each
 * @param {number} [most] steps
 * @param {(model: Model, at: number) => boolean} [after] each; true ends it
 * @returns {Promise<Model>} that has learned the task; to be freed
 */
function learn(gf, { task, heads: given, seed, rate = 1, d_model = WIDTH }, step, most, after) {
  const heads = typeof given === 'number' ? given : HEADS[0];
  const { data, trainer, limit, rows } = settingOf(task);
  const recipe = { ...trainer, learningRate: rate * Number(trainer.learningRate) };
  return trained(gf, { ...data.config, d_model, heads, seed }, (model) =>
    train(model.trainer(recipe), dataOf(data, seed, rows).batches(), most ?? limit, step, (at) => after?.(model, at)),
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

/** @param {{task: string}} settings */
const stepsOf = ({ task }) => settingOf(task).limit;

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the place that its first head attends to',
  text: ({ task }) =>
    task === 'reverse'
      ? {
          token: DIGIT,
          joint: '',
          does: 'digits in reverse',
          node: 'attention',
          goal: 'say the digits in reverse.',
          hint: 'It opens at the digit that the third place says; compare the other heads in the same row.',
        }
      : {
          token: /[a-z]/gi,
          joint: '',
          does: 'what stands beside',
          node: 'attention',
          goal: 'name the letters on both sides of each letter. The first and the last place are asked nothing.',
          hint: 'It opens at the neighbour that head 1 attends to; compare head 2 in the same row.',
        },
  steps: stepsOf,
  learn,
  show: (model, settings) => {
    const { data: task, rows: count } = settingOf(settings.task);
    const { ids } = dataOf(task, settings.seed, count).heldOut.batch;
    model.forward({ ids, capture: true });
    const weights = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
    const row = 2;
    const sides = settings.task === 'reverse' ? [weights.shape[3] - 1 - row] : [row - 1, row + 1];
    const masses = sides.map((key) => massOf(weights, () => key, [row])[0]);
    const key = sides[indexOfLargest(masses)];
    const cell = { kind: /** @type {const} */ ('encoder'), head: 0, row, key, neuron: null };
    return { task: /** @type {any} */ (task), rows: rowsIn(ids), cell };
  },
};

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ task, heads, seed }) =>
  task === 'reverse' && typeof heads === 'number'
    ? inTrain({ task: 'reverse', heads, seed, step: 300 }, `${SAME_RUN}, at its last step`)
    : null;

const COLUMNS = /** @type {const} */ (['neighbours', 'reverse']);

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ maps, counts, left2, right2, ...numbers }, params) {
  const [seed] = seedsOf(params);
  const [heads] = counts;
  const size = maps[0].length / heads;
  const apart = COLUMNS.flatMap((task) =>
    counts.flatMap((/** @type {number} */ count) =>
      given(numbers[`${task}${count}`], () => [
        {
          label: `${count} heads, ${task === 'reverse' ? 'reversal' : 'both neighbours'}`,
          marks: marks(params, numbers[`${task}${count}`]),
        },
      ]),
    ),
  );
  return [
    {
      kind: 'maps',
      title: `Attention of each head, ${seed}`,
      note: 'The mean over the held-out inputs.',
      scale: 'share',
      columns: Math.sqrt(size),
      rowAxis: { title: 'query' },
      columnAxis: { title: 'key' },
      maps: range(heads).map((head) => ({
        title: `Head ${head + 1}`,
        values: maps[0].slice(head * size, (head + 1) * size),
      })),
    },
    ...given(left2, () => [
      /** @type {import('./shared/picture.js').Curves} */ ({
        kind: 'curves',
        title: 'Two heads: the weight of each on its two neighbours',
        note: 'A head that has taken one side lies near an axis.',
        x: { title: 'on the left one', low: 0, high: 1, percent: true },
        y: { title: 'weight on the right one', low: 0, high: 1, percent: true },
        series: range(2).map((head) => ({ name: `head ${head + 1}` })),
        lines: range(2).flatMap((series) =>
          seedsOf(params).map((label, s) => ({
            series,
            label,
            dots: true,
            points: [[left2[s][series], right2[s][series]]],
          })),
        ),
      }),
    ]),
    {
      kind: 'rows',
      title: 'How far the maps of the heads are apart',
      x: { title: 'total variation, mean over rows and pairs of heads', low: 0, high: 1 },
      rows: apart,
      levels: [{ name: 'the same up to here', at: 0.25 }],
    },
  ];
}
