import { makeReverse } from 'glassformer/tasks';
import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { DIGIT, inTrain, rowsIn } from './shared/explore.js';
import { largestDifference, normal, randomOf, say, smallest } from './shared/numbers.js';
import { bySeed, marks, STEP } from './shared/picture.js';
import { dataOf, overTrainings, percent, shareRight, train, trained, withModel } from './shared/train.js';

const LENGTH = 6;
const WIDTH = 16;
const EVERY = 25;
export const HELD_OUT = 256;
export const task = makeReverse({ length: LENGTH });
const DESIGNS = /** @type {Record<string, any>} */ ({
  'post-LN': { norm: 'post' },
  'pre-LN': { norm: 'pre', finalNorm: true },
  'no LayerNorm': { norm: 'none' },
  'no residual': { norm: 'post', residual: false },
});
/** The difference up to which a layer passes x on, and the share of digits from which we say that a network learns. */
const SAME = 1e-4;
const LEARNT = 0.95;
const SHARE = { tolerance: { absolute: 0.1 }, share: true };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 16,
  name: 'Training of a deep network',
  sentence: 'With LayerNorm(x + Sublayer(x)) a layer can be the identity, so that very deep networks train.',
  saidBy: 'Zhang et al. 2023, “Dive into Deep Learning”, section “Residual Connection and Layer Normalization”',
  source: 'https://d2l.ai/chapter_attention-mechanisms-and-transformers/transformer.html',
  experiment:
    'Twelve post-LN layers of width 16 learn to reverse 6 digits in 250 steps. Before that, one layer whose ' +
    'sublayers give 0 is asked for its output.',
  sketch: {
    input: ['3', '8', '1', '…', '5'],
    stacks: [{ name: 'post-LN', layers: 12, parts: ['attention: 1', 'FFN: 32'] }],
    output: '6 digits in reverse',
    width: 16,
    steps: 250,
  },
  literature: {
    for: [
      'He et al. 2016, “Deep Residual Learning for Image Recognition”',
      'Devlin et al. 2019, “BERT”: post-LN, trained at 12 and 24 layers',
      'Wang et al. 2022, “DeepNet: Scaling Transformers to 1,000 Layers” (post-LN with scaled residuals)',
    ],
    against: [
      'Xiong et al. 2020, “On Layer Normalization in the Transformer Architecture”',
      'Liu et al. 2020, “Understanding the Difficulty of Training Transformers”',
    ],
  },
  why:
    'Inside the stack x is the output of a LayerNorm, and LayerNorm leaves such a row as it is. But every LayerNorm ' +
    'on the residual path also rescales the gradient, layer after layer.',
  limits:
    'One task at width 16; BERT trains 12 and 24 post-LN layers. A warm-up of 200 steps does not help here: at 1e-3 ' +
    'and 5e-4 five seeds are at 32 to 38 % after 1,200 steps. The identity needs γ = 1 and β = 0. 95 % is our cutoff.',
  overturn: 'Twelve post-LN layers that learn this task as soon as two of them do.',
  quotes: [
    {
      text: 'Both are key to effective deep architectures.',
      from: 'Zhang et al. 2023, section “Residual Connection and Layer Normalization”',
    },
    {
      text: 'The residual mapping can learn the identity function more easily',
      from: 'Zhang et al. 2023, section “Residual Networks (ResNet) and ResNeXt”',
    },
    { text: 'the output of each sub-layer is LayerNorm(x + Sublayer(x))', from: 'Vaswani et al. 2017, section 3.1' },
  ],
  choices: [
    { label: 'A layer whose sublayers give 0 passes x on, and the deep network learns.', verdict: 'true' },
    { label: 'One of the two.', verdict: 'it depends' },
    { label: 'Neither.', verdict: 'false' },
  ],
  guess: { name: 'share', from: 0, to: 1 },
  inputs: [
    {
      name: 'design',
      label: 'Layers',
      values: Object.keys(DESIGNS),
      default: 'post-LN',
      controls: ['no LayerNorm', 'no residual'],
    },
    { name: 'layers', label: 'Number of layers', values: [2, 6, 12], default: 12 },
    { name: 'learningRate', label: 'Learning rate', values: [1e-3, 2e-3, 5e-3], default: 5e-3 },
  ],
  scales: [
    { name: 'layers', label: 'Layers', values: [2, 6, 12] },
    { name: 'learningRate', label: 'Learning rate', values: [1e-3, 2e-3, 5e-3] },
    { name: 'width', label: 'Width d_model', values: [WIDTH, 32], default: WIDTH },
  ],
  long: true,
  seeded: true,
  expected: [
    {
      name: 'identity',
      label: '|output − x| where the sublayers give 0',
      range: [0, 1.2e-5],
      tolerance: { absolute: 1e-5 },
    },
    { name: 'share', label: 'Digits right at step 250', range: [0.24, 0.31], ...SHARE },
    { name: 'share', label: 'Digits right at step 250', at: { layers: 2 }, range: [0.96, 1], ...SHARE },
    {
      name: 'steps',
      label: 'Steps to 99 % (∞: not reached)',
      at: { design: 'pre-LN' },
      range: [175, 250],
      tolerance: { absolute: EVERY },
    },
    { name: 'identity', label: '|output − x| where the sublayers give 0', at: { design: 'pre-LN' }, range: [0, 0] },
    {
      name: 'peak',
      label: 'Highest loss of a batch, in nats',
      at: { design: 'no LayerNorm' },
      range: [260, 470],
      tolerance: { relative: 0.1 },
    },
    { name: 'share', label: 'Digits right at step 250', at: { design: 'no residual' }, range: [0.1, 0.19], ...SHARE },
  ],
  contrast: { design: 'pre-LN' },
  boundary: {
    x: { name: 'layers', label: 'Layers', values: [2, 6, 12] },
    y: { name: 'learningRate', label: 'Learning rate', values: [1e-3, 2e-3, 5e-3] },
    measure: { name: 'share', label: 'Digits right at the end' },
    seeds: 1,
  },
};

const STEPS = 250;

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, ...settings } = settingsOf(claim, params);
  const passed = await passing(gf, configOf(settings), seeds[0]);
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) => {
      /** @type {Training} */
      const training = { share: NaN, steps: Infinity, peak: 0, curve: [], losses: [] };
      (await learn(gf, { ...settings, seed }, step, training)).free();
      return training;
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, ...passed, every: EVERY }),
  );
}

/** @param {{design: string, width?: number}} settings */
const configOf = ({ design, width = WIDTH }) => ({
  ...task.config,
  d_model: width,
  d_ff: 2 * width,
  ...DESIGNS[design],
});

/**
 * The model of a seed, as `run` trains it.
 * @typedef {{share: number, steps: number, peak: number, curve: number[], losses: number[]}} Training
 * @param {import('./shared/train.js').Engine} gf
 * @param {{design: string, layers: number, learningRate: number, seed: number}} settings
 * @param {() => Promise<void>} step
 * @param {Partial<Training>} [training] takes what is measured
 */
function learn(gf, { layers, learningRate, seed, ...design }, step, training = {}) {
  return trained(gf, { ...configOf(design), layers, seed }, (model) => {
    const heldOut = task.heldOut(seed, { count: HELD_OUT }).map(({ batch }) => batch);
    const all = task.batches(seed);
    const trainer = model.trainer(/** @type {any} */ ({ ...task.trainer, learningRate }));
    const after = (/** @type {number} */ at, /** @type {number} */ loss) => {
      training.peak = Math.max(training.peak ?? 0, loss);
      if (at % EVERY > 0) return false;
      const share = heldOut.reduce((sum, batch) => sum + shareRight(model, batch), 0) / heldOut.length;
      training.share = share;
      training.curve?.push(share);
      training.losses?.push(loss);
      if (share >= 0.99) training.steps = at;
      return share >= 0.99;
    };
    return train(trainer, () => all.next().value, STEPS, step, after);
  });
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const [passes, learns] = [numbers.identity < SAME, smallest(numbers.share) >= LEARNT];
    return { verdict: verdictOf([passes, learns]), on: 'which half is meant', found: findings(numbers) };
  },
  (numbers, { design, layers, learningRate }) =>
    `${design}, ${layers} layers, learning rate ${learningRate}: ${findings(numbers)}`.replace(/^[np]/, (first) =>
      first.toUpperCase(),
    ),
);

/** @param {any} numbers */
function findings({ share, steps, peak, identity, raw }) {
  const passes =
    identity < SAME
      ? `Inside the stack a layer whose sublayers give 0 passes x on within ${say(identity)} (a raw x: ${say(raw)})`
      : `A layer whose sublayers give 0 does not pass x on (off by ${say(identity)})`;
  return smallest(share) >= LEARNT
    ? `${passes}; ${percent(share)} of the digits are right at step ${say(steps.map(reached))}.`
    : `${passes}; at step ${STEPS} ${percent(share)} of the digits are right, and the highest loss was ${say(peak)}.`;
}

/** The step of a share of 99 %, or the last. @param {number} at */
const reached = (at) => Math.min(at, STEPS);

/**
 * The output for x of a layer whose sublayers' last weights are 0.
 * @param {import('./shared/train.js').Engine} gf
 * @param {any} config
 * @param {number} seed
 */
function passing(gf, config, seed) {
  const one = { ...config, vocabulary: 0, positions: 'none', head: 'none', layers: 1, finalNorm: false, seed };
  return withModel(gf, one, (model) => {
    for (const name of ['self_attn.out_proj', 'linear2'])
      for (const part of ['weight', 'bias']) model.view(`encoder.layers.0.${name}.${part}`).fill(0);
    const raw = gf.tensor(normal(randomOf(seed, claim.name), [LENGTH, config.d_model]));
    // as it comes from the LayerNorm of the layer before
    const inside = gf.tensor(gf.layerNorm(raw).output);
    const off = (/** @type {typeof raw} */ vectors) =>
      largestDifference(model.forward({ vectors }).output.data, vectors.data);
    return { identity: off(inside), raw: off(raw) };
  });
}

const MOST_LAYERS = 6; // of Train

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'at its residual stream',
  text: () => ({
    token: DIGIT,
    joint: '',
    does: 'a deep network',
    node: 'add',
    shows: 'cosines',
    goal: 'say six digits in reverse, in as many steps as the claim allows.',
    hint:
      'It opens at its residual stream: how far each sublayer turns the vector of each token. Compare the answers of ' +
      'the row with its digits in reverse: where training failed, they are much the same at every place.',
  }),
  steps: STEPS,
  learn,
  show: (_model, { seed }) => {
    const { ids } = dataOf(task, seed, HELD_OUT).heldOut.batch;
    const key = ids.shape[1] - 1; // from which the first digit is to come
    return { task, rows: rowsIn(ids), cell: { kind: 'encoder', head: 0, row: 0, key, neuron: null } };
  },
};

/** @type {import('./shared/explore.js').MatchingOf} */
export function matching({ design, layers, learningRate, seed }) {
  const { norm, residual = true } = DESIGNS[design];
  return inTrain(
    {
      task: 'reverse',
      layers: Math.min(layers, MOST_LAYERS),
      d_model: 16,
      d_ff: 32,
      norm,
      residual,
      learningRate,
      seed,
      step: 250,
    },
    `the same on Train’s 8 digits${layers > MOST_LAYERS ? `, with ${MOST_LAYERS} layers` : ''}`,
  );
}

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ curve, losses, identity, raw, every }, params) {
  const series = [{ name: `${params.layers ?? 12} layers, ${params.design ?? 'post-LN'}` }];
  const step = (/** @type {number} */ i) => (i + 1) * every;
  return [
    {
      kind: 'curves',
      title: 'Held-out digits that are right',
      x: STEP,
      y: { title: 'share right', low: 0, high: 1, percent: true },
      series,
      lines: bySeed(params, 0, curve, step),
      levels: [{ name: '1 of 10 digits', at: 0.1 }],
    },
    {
      kind: 'curves',
      title: 'Loss of the batch',
      x: STEP,
      y: { title: 'nats a token', log: true },
      series,
      lines: bySeed(params, 0, losses, step),
      levels: [{ name: 'ln 10', at: Math.log(10) }],
    },
    {
      kind: 'rows',
      title: 'How far a layer is from the identity when its sublayers give 0',
      x: { title: 'largest difference', log: true, low: 1e-8, high: 10 },
      rows: [
        { label: 'Inside the stack', marks: marks({}, identity) },
        { label: 'A raw x', marks: marks({}, raw) },
      ],
    },
  ];
}
