import { makeFacts } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { indexOfLargest, NAMED } from './shared/explore.js';
import { largestDifference, median, say } from './shared/numbers.js';
import { bySeed, marks, range } from './shared/picture.js';
import { freed, overTrainings, percent, recipeOf, shareRight, train, trained } from './shared/train.js';

const HEADS = 4;
const NEURONS = 128;
const OBJECTS = 64;
const STEPS = 300;
/** Subjects, and relations, of so many facts. */
const SIDES = /** @type {Record<number, number>} */ ({ 64: 8, 256: 16 });
const WIDTHS = [16, 24, 32];
const RATE = 3e-3;
/** The share of single neurons that can be spared from which on we say that none of them stores a fact. */
const SPARED = 0.9;
const SHARE = { tolerance: { absolute: 0.05 }, share: true };

/**
 * Expected numbers at a load, in the run over both loads and in a run at this load alone.
 * @param {number} load
 * @param {readonly [low: number, high: number]} ffnOff
 * @param {readonly [low: number, high: number]} attentionOnly
 * @param {readonly [low: number, high: number]} harmless
 * @returns {import('./shared/claim.js').Expected[]}
 */
const known = (load, ffnOff, attentionOnly, harmless) =>
  /** @type {import('./shared/claim.js').Params[]} */ ([{}, { facts: load }]).flatMap((at) => [
    { name: `ffnOff${load}`, label: `${load} facts: left without the FFN`, at, range: ffnOff, ...SHARE },
    {
      name: `attentionOnly${load}`,
      label: `${load} facts: a model that has no FFN`,
      at,
      range: attentionOnly,
      ...SHARE,
    },
    {
      name: `harmless${load}`,
      label: `${load} facts: neurons whose loss costs none`,
      at,
      range: harmless,
      tolerance: { absolute: 5 },
    },
  ]);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 13,
  name: 'Feed-forward network as key–value memory',
  sentence: 'The feed-forward network is a key–value memory: its neurons store the facts.',
  saidBy:
    'Geva et al. 2021, “Transformer Feed-Forward Layers Are Key-Value Memories”, abstract; Dai et al. 2022, ' +
    '“Knowledge Neurons in Pretrained Transformers”, abstract',
  experiment:
    'One layer of width 16 (four heads, 128 neurons) learns 64 or 256 facts by heart in 300 steps. Then the ' +
    'whole network, or each neuron alone, is switched off, and the facts that are left are counted.',
  sketch: {
    input: ['subject', 'relation'],
    stacks: [{ layers: 1, parts: ['attention: 4', 'FFN: 128'] }],
    output: 'the object of 64 or 256 facts',
    width: 16,
    steps: 300,
  },
  literature: {
    for: [
      'Geva et al. 2021, “Transformer Feed-Forward Layers Are Key-Value Memories”',
      'Meng et al. 2022, “Locating and Editing Factual Associations in GPT”',
    ],
    against: [
      'Hase et al. 2023, “Does Localization Inform Editing?”',
      'Niu et al. 2024, “What does the Knowledge Neuron Thesis Have to do with Knowledge?”',
    ],
  },
  why:
    'FFN(x) = Σ ReLU(x·kᵢ + bᵢ)·vᵢ + b: each neuron compares x with a key kᵢ and adds a value vᵢ. Facts that ' +
    'leave room are spread thinly over many neurons, and attention can hold them as well.',
  limits:
    'One layer that learns facts by heart, by default at width 16. A memory spread over many neurons is not ' +
    'refuted by single ones that can be spared; Geva et al. claim none. We say “spared” from 90 % of the ' +
    'neurons on.',
  overturn: 'Single neurons that many facts need at a light load, or none at a heavy one.',
  quotes: [
    {
      text:
        'how factual knowledge is stored in pretrained Transformers by introducing the concept of knowledge ' +
        'neurons',
      from: 'Dai et al. 2022, abstract',
    },
    {
      text: 'feed-forward layers in transformer-based language models operate as key-value memories',
      from: 'Geva et al. 2021, abstract',
    },
  ],
  choices: [
    { label: 'Facts are lost with the neurons that store them.', verdict: 'true' },
    { label: 'That depends on how many facts there are for the model.', verdict: 'it depends' },
    { label: 'No fact needs the network.', verdict: 'false' },
  ],
  guess: { name: 'ffnOff256', from: 0, to: 1 },
  inputs: [
    { name: 'facts', label: 'Facts', values: ['64 and 256', 64, 256], default: '64 and 256' },
    { name: 'neurons', label: 'Neurons of the FFN', values: [16, 32, 64, NEURONS], default: NEURONS },
    { name: 'width', label: 'Width d_model', values: WIDTHS, default: WIDTHS[0] },
  ],
  scales: [
    { name: 'neurons', label: 'Neurons of the FFN', values: [32, NEURONS] },
    { name: 'width', label: 'Width d_model', values: [16, 32] },
    { name: 'learningRate', label: 'Learning rate', values: [1e-3, RATE, 1e-2], default: RATE },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'difference', label: 'Σ ReLU(x·kᵢ)vᵢ and the network', range: [0, 1.3e-6], tolerance: { absolute: 1e-5 } },
    ...known(64, [0.2, 0.35], [0.99, 1], [122, NEURONS]),
    ...known(256, [0.07, 0.11], [0.91, 0.98], [2, 15]),
    { name: 'attentionOff64', label: '64 facts: left without attention', range: [0.07, 0.13], ...SHARE },
  ],
  contrast: { facts: 64 },
  boundary: {
    x: { name: 'facts', label: 'Facts', values: [64, 256] },
    y: { name: 'width', label: 'Width d_model', values: WIDTHS },
    measure: { name: 'spared', label: 'Single neurons that can be spared', isNamedByX: true },
    seeds: 1,
  },
};

/** The facts of a load; of both the smaller. @param {number | string} load */
const taskOf = (load) => makeFacts({ side: SIDES[Number(load)] ?? SIDES[64], objects: OBJECTS });

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {{facts: number | string, seed: number, neurons?: number, width?: number, learningRate?: number}} settings
 * @param {() => Promise<void>} step called before each
 * @param {number} [d_ff]
 * @returns {Promise<import('./shared/train.js').Model>} that has learned the facts of the seed; to be freed
 */
function learn(gf, { facts, seed, neurons = NEURONS, width = WIDTHS[0], learningRate = RATE }, step, d_ff = neurons) {
  const { config, batch } = taskOf(facts);
  const all = batch(0, seed);
  return trained(gf, { ...config, d_model: width, heads: HEADS, d_ff, seed }, (model) =>
    train(model.trainer(recipeOf(learningRate, STEPS, 20)), () => all, STEPS, step),
  );
}

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { facts, seeds, ...sizes } = settingsOf(claim, params);
  const { neurons } = sizes;
  const loads = typeof facts === 'number' ? [facts] : [64, 256];
  return overTrainings(
    seeds,
    loads.length * (2 * STEPS + neurons),
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const all = { difference: 0 };
      for (const load of loads) {
        const { difference, ...measured } = await measure(gf, { ...sizes, facts: load, seed }, step);
        all.difference = Math.max(all.difference, difference);
        for (const [name, value] of Object.entries(measured)) all[`${name}${load}`] = value;
      }
      return all;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, loads }),
  );
}

/**
 * Measures the share of learned facts that a model still knows without its parts.
 * @param {import('./shared/train.js').Engine} gf
 * @param {{facts: number, neurons: number, width: number, seed: number}} settings
 * @param {() => Promise<void>} step
 */
async function measure(gf, settings, step) {
  const { facts, neurons, seed } = settings;
  const batch = taskOf(facts).batch(0, seed);
  const result = await freed(await learn(gf, settings, step), async (model) => {
    const left = (/** @type {object[]} */ ablate) => shareRight(model, batch, { ablate });
    const neuron = (/** @type {number} */ i) => ({ layer: 0, neuron: i });
    const right = left([]);
    const kills = /** @type {number[]} */ ([]);
    for (let i = 0; i < neurons; i++) {
      await step();
      kills.push(left([neuron(i)]));
    }
    const harmless = kills.filter((share) => share >= right).length;
    return {
      difference: sumOfNeurons(gf, model, batch.ids),
      right,
      ffnOff: left(Array.from({ length: neurons }, (_, i) => neuron(i))),
      attentionOff: left(Array.from({ length: HEADS }, (_, head) => ({ layer: 0, head }))),
      harmless,
      spared: harmless / neurons,
      kills,
    };
  });
  const attentionOnly = await learn(gf, settings, step, 0);
  return { ...result, attentionOnly: await freed(attentionOnly, (model) => shareRight(model, batch)) };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const needed = [64, 256].map((load) => median(numbers[`spared${load}`]) < SPARED);
    return {
      verdict: verdictOf(needed),
      on: 'the load',
      found: [64, 256].map((load) => losses(numbers, load)).join(' '),
    };
  },
  (numbers) => numbers.loads.map((/** @type {number} */ load) => losses(numbers, load)).join(' '),
);

/** @param {any} numbers @param {number} load */
function losses(numbers, load) {
  const lost = numbers[`right${load}`].map(
    (/** @type {number} */ right, /** @type {number} */ s) => right - numbers[`ffnOff${load}`][s],
  );
  const only = numbers[`attentionOnly${load}`];
  const harmless = numbers[`harmless${load}`];
  const neurons = numbers[`kills${load}`][0].length;
  return (
    `${load} facts: without the FFN ${percent(lost)} of them are lost, without any single one of its neurons none ` +
    `in ${say(harmless)} of ${neurons} cases; a model trained without an FFN learns ${percent(only)}.`
  );
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {import('./shared/train.js').Model} model
 * @param {any} ids
 * @returns {number} the largest difference of the FFN and of Σ ReLU(x·kᵢ + bᵢ) vᵢ + b, its neurons one by one
 */
function sumOfNeurons(gf, model, ids) {
  model.forward({ ids, capture: true });
  const of = (/** @type {string} */ name) => /** @type {any} */ (model.tensor(`encoder.layers.0.${name}`));
  const x = of('norm1.out');
  const keys = of('linear1.weight');
  const values = of('linear2.weight');
  const thresholds = of('linear1.bias').data;
  const bias = of('linear2.bias').data;
  const out = of('ffn.out').data;
  const width = bias.length;
  const rows = { data: x.data, shape: [x.data.length / width, width] };
  const active = gf.relu(gf.linear(rows, keys, thresholds)).data;
  const sum = Float64Array.from(out, (_, i) => bias[i % width]);
  const neurons = thresholds.length;
  for (let i = 0; i < neurons; i++)
    for (let row = 0; row < rows.shape[0]; row++)
      for (let c = 0; c < width; c++) sum[row * width + c] += active[row * neurons + i] * values.data[c * neurons + i];
  return largestDifference(out, sum);
}

const ROWS = 4;

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at the neuron that its facts need most',
  text: () => ({
    token: NAMED,
    joint: ' ',
    does: 'facts by heart',
    node: 'ffn',
    goal: 'from a subject and a relation, name the object, by heart. It is read at the relation, the second token.',
    hint:
      'It opens at the neuron whose ablation lowers the probability of the right objects most, and at the fact that ' +
      'suffers most from it. Ablate it, or a head, and see what is still known.',
  }),
  steps: STEPS,
  learn,
  show: (model, settings, gf) => {
    const task = taskOf(settings.facts);
    const batch = /** @type {any} */ (task.batch(0, settings.seed));
    // Of each fact the logarithm of its object's probability, read at the relation.
    const known = (/** @type {object} */ changes) => {
      const { logits } = /** @type {any} */ (model.forward({ ids: batch.ids, ...changes }));
      const { data } = gf.logSoftmax(logits);
      const [facts, width, words] = logits.shape;
      return range(facts).map((fact) => {
        const at = fact * width + width - 1;
        return data[at * words + batch.labels.data[at]];
      });
    };
    const intact = known({});
    const lost = range(model.config.d_ff).map((neuron) =>
      known({ ablate: [{ layer: 0, neuron }] }).map((each, fact) => intact[fact] - each),
    );
    const neuron = indexOfLargest(lost.map((each) => each.reduce((sum, one) => sum + one, 0)));
    const facts = [...intact.keys()].sort((a, b) => lost[neuron][b] - lost[neuron][a]).slice(0, ROWS);
    const rows = facts.map((fact) => [...batch.ids.data.subarray(2 * fact, 2 * fact + 2)]);
    model.forward({ ids: rows[0], capture: true });
    const { data } = /** @type {any} */ (model.tensor('encoder.layers.0.self_attn.weights'));
    const subject = range(model.config.heads).map((head) => data[4 * head + 2]);
    return { task, rows, cell: { kind: 'encoder', head: indexOfLargest(subject), row: 1, key: 0, neuron } };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ loads, ...numbers }, params) => [
  {
    kind: 'rows',
    title: 'Facts that the model knows',
    x: { title: 'share of the facts', low: 0, high: 1, percent: true },
    rows: loads.flatMap((/** @type {number} */ load) =>
      [
        ['whole model', 'right'],
        ['FFN off', 'ffnOff'],
        ['attention off', 'attentionOff'],
        ['trained without an FFN', 'attentionOnly'],
      ].map(([label, name]) => ({ label: `${load} facts, ${label}`, marks: marks(params, numbers[`${name}${load}`]) })),
    ),
  },
  {
    kind: 'curves',
    title: 'Facts left when one neuron is off',
    x: { title: 'neurons, the costliest first', low: 0 },
    y: { title: 'share of the facts', low: 0.9, high: 1, percent: true },
    series: loads.map((/** @type {number} */ load) => ({ name: `${load} facts` })),
    lines: loads.flatMap((/** @type {number} */ load, /** @type {number} */ series) =>
      bySeed(
        params,
        series,
        numbers[`kills${load}`].map((/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)),
        (i) => i + 1,
        { dots: false },
      ),
    ),
  },
];
