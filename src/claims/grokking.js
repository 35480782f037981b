import { IGNORE } from 'glassformer/tasks';
import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { cosineOf, median, randomOf, rowsOf, say, sineOf } from './shared/numbers.js';
import { bySeed, marks, range } from './shared/picture.js';
import { overTrainings, percent, recipeOf, shareRight, train, withModel } from './shared/train.js';

/** Numbers are added modulo it. */
const NUMBERS = 23;
const STEPS = 800;
const EVERY = 25;
const RATE = 1e-2;
const DECAY = 1;
/** From this share of trained pairs on we say that they are learned. */
const LEARNED = 0.99;
/** The gain at unseen pairs from which on more training has helped; the last measurements, whose median is taken. */
const [GAIN, LAST] = [0.3, 5];
const STRONGEST = 3;
const RUNS = /** @type {const} */ (['Decay', 'Plain']);
const [SUM, RANDOM] = ['a + b', 'random answers'];
const [APART, MIRRORED] = ['in both orders', 'in one order'];
const AXIS = { title: 'share right', low: 0, high: 1, percent: true };

const share = sharesWithin(0.1);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 38,
  name: 'Grokking',
  sentence: 'Once the training set is learned, more training only overfits.',
  saidBy: 'Goodfellow, Bengio and Courville 2016, “Deep Learning”, section 7.8',
  source: 'https://www.deeplearningbook.org/contents/regularization.html',
  experiment:
    'A decoder of one layer learns sums modulo 23 of four fifths of all pairs, for long after it knows them, with ' +
    'weight decay 1 and with none. The other pairs, seen in neither order, are asked all the while.',
  sketch: {
    input: ['a', 'b', '='],
    stacks: [{ name: 'decoder', layers: 1, parts: ['attention, causal: 4', 'FFN: 128'] }],
    output: 'a + b mod 23',
    width: 32,
    steps: STEPS,
  },
  literature: {
    for: ['Prechelt 1998, “Early Stopping – But When?”'],
    against: [
      'Power et al. 2022, “Grokking: Generalization Beyond Overfitting on Small Algorithmic Datasets”',
      'Nanda et al. 2023, “Progress Measures for Grokking via Mechanistic Interpretability”',
    ],
  },
  why:
    'To know pairs by heart takes large weights, which decay makes smaller at each step. The rule does with a few ' +
    'waves in the embedding and smaller weights, so decay lets it win, long after the loss on trained pairs is low.',
  limits:
    'One small table that has a rule. In 800 steps it comes with decay 1, not with 0.3 or 2, and with four fifths of ' +
    'the pairs, not with two thirds. Shares jump: the median of the last five counts; 30 points is our cutoff.',
  overturn: 'A run with decay that stays where it was at unseen pairs, or one without that learns them.',
  quotes: [
    {
      text: 'training error decreases steadily over time, but validation set error begins to rise again',
      from: 'Goodfellow et al. 2016, section 7.8',
    },
  ],
  choices: [
    { label: 'Unseen pairs stay wrong, with decay and without.', verdict: 'true' },
    { label: 'That depends on the weight decay.', verdict: 'it depends' },
    { label: 'Unseen pairs become right either way.', verdict: 'false' },
  ],
  guess: { name: 'endDecay', from: 0, to: 1 },
  inputs: [
    { name: 'answers', label: 'Answers', values: [SUM, RANDOM], default: SUM, controls: [RANDOM] },
    { name: 'unseen', label: 'Pairs left out', values: [APART, MIRRORED], default: APART },
    { name: 'trained', label: 'Share of pairs trained', values: [0.5, 0.8], default: 0.8 },
  ],
  scales: [
    { name: 'trained', label: 'Share of pairs trained', values: [0.3, 0.5, 0.65, 0.8, 0.9] },
    { name: 'decay', label: 'Weight decay', values: [0.1, 0.3, DECAY, 2], default: DECAY },
    { name: 'learningRate', label: 'Learning rate', values: [3e-3, 6e-3, RATE, 2e-2], default: RATE },
    { name: 'steps', label: 'Steps', values: [200, 400, STEPS, 1600], default: STEPS },
    { name: 'numbers', label: 'Numbers', values: [13, NUMBERS, 31], default: NUMBERS },
    { name: 'width', label: 'Width d_model', values: [16, 32, 64], default: 32 },
  ],
  long: true,
  seeded: true,
  expected: [
    share('learnedDecay', 'Unseen pairs right when the trained ones are learned', [0, 0.02]),
    share('endDecay', 'Unseen pairs right at the end', [0.81, 0.962]),
    share('learnedPlain', 'Without decay: unseen pairs right when the trained ones are learned', [0, 0.019]),
    share('endPlain', 'Without decay: unseen pairs right at the end', [0, 0.019]),
    {
      name: 'lossEndPlain',
      label: 'Without decay: loss on unseen pairs at the end',
      range: [32.6, 41.8],
      tolerance: { relative: 0.15 },
    },
    share('wavesDecay', 'Power of the embedding in three waves', [0.704, 0.89]),
    share('wavesPlain', 'Without decay: power of the embedding in three waves', [0.37, 0.44]),
    share('endDecay', 'Random answers: unseen pairs right at the end', [0.01, 0.06], { answers: RANDOM }),
    share('learnedPlain', 'b + a trained: unseen pairs right when the trained are learned', [0.67, 0.8], {
      unseen: MIRRORED,
    }),
    share('endDecay', 'b + a trained: unseen pairs right at the end', [0.97, 1], { unseen: MIRRORED }),
  ],
  contrast: { answers: RANDOM },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, decay, ...settings } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    RUNS.length * settings.steps,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      for (const name of RUNS) {
        const weightDecay = name === 'Decay' ? decay : 0;
        const found = await learn(gf, { ...settings, weightDecay, seed }, step);
        for (const [key, value] of Object.entries(found)) numbers[`${key}${name}`] = value;
      }
      return numbers;
    },
    onProgress,
    signal,
  );
}

/**
 * Pairs to learn, each in both orders, and others.
 * @param {{answers: string, unseen: string, trained: number, numbers: number, seed: number}} of
 */
function pairsOf({ answers, unseen, trained, numbers, seed }) {
  const random = randomOf(seed, claim.name);
  const all = range(numbers).flatMap((a) => range(numbers).map((b) => [a, b]));
  const table = all.map(([a, b]) => (answers === SUM ? (a + b) % numbers : random.integer(numbers)));
  const answerOf = (/** @type {number[]} */ [a, b]) => table[Math.min(a, b) * numbers + Math.max(a, b)];
  const drawn = random.shuffle(unseen === APART ? all.filter(([a, b]) => a <= b) : all);
  const count = Math.round(trained * drawn.length);
  const batchOf = (/** @type {number[][]} */ list) => {
    const isMirrored = (/** @type {number[]} */ [a, b]) => unseen === APART && a !== b;
    const pairs = list.flatMap((pair) => (isMirrored(pair) ? [pair, [pair[1], pair[0]]] : [pair]));
    const tensor = (/** @type {number[][]} */ rows) => ({
      data: Int32Array.from(rows.flat()),
      shape: [rows.length, 3],
    });
    return {
      ids: tensor(pairs.map((pair) => [...pair, numbers])),
      labels: tensor(pairs.map((pair) => [IGNORE, IGNORE, answerOf(pair)])),
    };
  };
  return { own: batchOf(drawn.slice(0, count)), other: batchOf(drawn.slice(count)) };
}

/**
 * @param {import('./shared/train.js').Engine} gf
 * @param {any} settings those of the run
 * @param {() => Promise<void>} step
 */
function learn(gf, { learningRate, weightDecay, steps, width, ...of }, step) {
  const { own, other } = pairsOf(of);
  const config = /** @type {const} */ ({
    kind: 'decoder',
    vocabulary: of.numbers + 1,
    d_model: width,
    heads: 4,
    d_ff: 4 * width,
    layers: 1,
    norm: 'pre',
    finalNorm: false,
    positions: 'learned',
    maxLength: 3,
    head: 'linear',
    seed: of.seed,
  });
  return withModel(gf, config, async (model) => {
    const trainer = model.trainer({ ...recipeOf(learningRate, undefined, 10), weightDecay });
    const shares = () => [own, other].map((batch) => shareRight(model, batch));
    const curve = [shares()];
    const losses = [trainer.loss(other).loss];
    await train(
      trainer,
      () => own,
      steps,
      step,
      (at) => {
        if (at % EVERY !== 0) return;
        curve.push(shares());
        losses.push(trainer.loss(other).loss);
      },
    );
    const at = curve.findIndex(([share]) => share >= LEARNED);
    const [trainedCurve, unseenCurve] = [0, 1].map((i) => curve.map((pair) => pair[i]));
    return {
      trained: trainedCurve,
      unseen: unseenCurve,
      losses,
      steps: at < 0 ? Infinity : at * EVERY,
      learned: at < 0 ? unseenCurve[0] : unseenCurve[at],
      end: median(unseenCurve.slice(-LAST)),
      lossLearned: losses[Math.max(at, 0)],
      lossEnd: median(losses.slice(-LAST)),
      waves: strongest(model, of.numbers),
    };
  });
}

/**
 * The share of the numbers' embeddings, taken as functions of the number, that three waves of it hold.
 * @param {import('./shared/train.js').Model} model
 * @param {number} numbers
 */
function strongest(model, numbers) {
  const embedding = /** @type {import('./shared/numbers.js').Tensor} */ (model.tensor('tok_emb.weight'));
  const rows = rowsOf(embedding).slice(0, numbers);
  const powers = range((numbers - 1) / 2).map((i) => {
    const angles = range(numbers).map((n) => ((((i + 1) * n) % numbers) / numbers - 0.5) * 2 * Math.PI);
    return [cosineOf, sineOf].reduce((sum, wave) => {
      const factors = angles.map(wave);
      const parts = rows[0].map((_, c) => rows.reduce((part, row, n) => part + row[c] * factors[n], 0));
      return sum + parts.reduce((power, part) => power + part * part, 0);
    }, 0);
  });
  const sorted = powers.sort((a, b) => b - a);
  const sum = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0);
  return sum(sorted.slice(0, STRONGEST)) / sum(sorted);
}

/** The median gain at unseen pairs after the others are learned. @param {any} numbers @param {string} name */
const gainOf = (numbers, name) =>
  median(
    numbers[`end${name}`].map(
      (/** @type {number} */ end, /** @type {number} */ s) => end - numbers[`learned${name}`][s],
    ),
  );

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(RUNS.map((name) => gainOf(numbers, name) < GAIN)),
    on: 'the weight decay',
    found: found(numbers),
  }),
  (numbers, { answers, unseen, trained }) =>
    `${answers === RANDOM ? 'Random answers have no rule. ' : ''}${percent(trained)} of the pairs are trained` +
    `${unseen === APART ? '' : ', and of most others b + a is among them'}. ${found(numbers)}`,
);

/** @param {any} numbers */
const found = (numbers) =>
  `The trained pairs are learned after ${say([...numbers.stepsDecay, ...numbers.stepsPlain])} steps. Of the unseen ` +
  `ones ${percent(numbers.learnedDecay)} are right then and ${percent(numbers.endDecay)} at the end; without weight ` +
  `decay ${percent(numbers.learnedPlain)} and ${percent(numbers.endPlain)}, and their loss, ` +
  `${say(numbers.lossLearnedPlain)} then, is ${say(numbers.lossEndPlain)}.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = (numbers, params) => [
  {
    kind: 'curves',
    title: 'Right answers, as training goes on',
    x: { title: 'step', low: 0 },
    y: AXIS,
    series: [{ name: 'trained pairs, with decay' }, { name: 'unseen, with decay' }, { name: 'unseen, without' }],
    lines: ['trainedDecay', 'unseenDecay', 'unseenPlain'].flatMap((name, s) =>
      bySeed(params, s, numbers[name], (i) => i * EVERY, { dots: false }),
    ),
  },
  {
    kind: 'curves',
    title: 'Loss on unseen pairs',
    x: { title: 'step', low: 0 },
    y: { title: 'loss', log: true },
    series: [{ name: 'with decay' }, { name: 'without' }],
    lines: RUNS.flatMap((name, s) => bySeed(params, s, numbers[`losses${name}`], (i) => i * EVERY, { dots: false })),
  },
  {
    kind: 'rows',
    title: 'Power of the embedding in its three strongest waves',
    note: `Of ${(NUMBERS - 1) / 2}, as functions of the number: with them a network adds as one adds angles.`,
    x: { title: 'share of its power', low: 0, high: 1, percent: true },
    rows: RUNS.map((name) => ({
      label: name === 'Decay' ? 'with decay' : 'without',
      marks: marks(params, numbers[`waves${name}`]),
    })),
  },
];
