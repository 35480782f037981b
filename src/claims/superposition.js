import { outcomeOf, settingsOf } from './shared/claim.js';
import { largestIn, ofAttention } from './shared/layer.js';
import { largest, lengthOf, normal, randomOf, say } from './shared/numbers.js';
import { bySeed, given, marks } from './shared/picture.js';
import { overTrainings, percent, train, trained } from './shared/train.js';

/** The error depends on them: .59 to .91 over lengths of 8 to 32 and widths of 32 to 128, less for the small ones. */
const WIDTH = 128;
const HEADS = 4;
/** With SGD 40 of 40 seeds find XOR by two heads; Adam leaves 5 of them stuck. */
const STEPS = 2000;
const RATE = 0.3;
/** Sizes of the inputs at which the error is shown. */
const SCALES = [0.01, 0.03, 0.1, 0.3, 1, 3, 10];
const PAIRS = [0, 1].flatMap((a) => [0, 1].map((b) => [a, b]));

/**
 * The known distance between the output of a sum and the sum of the outputs, at some switches.
 * @param {string} label
 * @param {import('./shared/claim.js').Params} at
 * @param {readonly [low: number, high: number]} range
 * @param {number} [absolute] tolerance
 * @returns {import('./shared/claim.js').Expected}
 */
const error = (label, at, range, absolute = 0.05) => ({ name: 'error', label, at, range, tolerance: { absolute } });

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 11,
  name: 'Multi-head attention as a linear map',
  sentence: 'Multi-head attention is strictly linear: only the feed-forward network brings a nonlinearity.',
  saidBy:
    'Hewitt 2023, “Self-Attention & Transformers”, notes of Stanford’s CS224n, section 2.3; the paper never says it',
  source: 'https://web.stanford.edu/class/cs224n/readings/cs224n-self-attention-transformers-2023_draft.pdf',
  experiment:
    'An untrained attention layer of width 128 with four heads reads 24 random rows x, y and x + y. Then ' +
    'attention alone, with one head and with two, is trained on XOR of two tokens.',
  sketch: {
    input: ['x', 'y', 'x + y'],
    stacks: [{ layers: 1, parts: ['attention: 4'] }],
    output: 'f(x) + f(y) = f(x + y)?',
    width: 128,
    steps: 0,
  },
  literature: {
    for: ['Elhage et al. 2021, “A Mathematical Framework for Transformer Circuits”: linear with the weights kept'],
    against: ['Ramsauer et al. 2021, “Hopfield Networks is All You Need”: a step of attention minimizes an energy'],
  },
  why:
    'In softmax(QKᵀ)·V the weights depend on the input as well as the values do. With the weights kept as they are, ' +
    'the rest is linear.',
  limits: 'Random weights, and XOR on two tokens. How much a trained model needs this nonlinearity.',
  overturn: 'Attention whose output of x + y is that of x plus that of y at every scale of the input.',
  quotes: [
    {
      text:
        'if we stack two self-attention layers, we get something that looks a lot like a single self-attention ' +
        'layer',
      from: 'Hewitt 2023, section 2.3',
    },
  ],
  choices: [
    { label: 'The output of a sum is the sum of the outputs.', verdict: 'true' },
    { label: 'It is, exactly, for small inputs only.', verdict: 'it depends' },
    { label: 'It is far from the sum.', verdict: 'false' },
  ],
  guess: { name: 'error', from: 0, to: 1 },
  inputs: [
    {
      name: 'weights',
      label: 'Attention weights',
      values: ['computed', 'frozen'],
      default: 'computed',
      controls: ['frozen'],
    },
    { name: 'scale', label: 'Size of the inputs', values: [0.1, 1, 3], default: 1 },
    { name: 'length', label: 'Tokens', values: [8, 24, 32], default: 24 },
  ],
  scales: [
    { name: 'scale', label: 'Size of the inputs', values: [0.01, 0.1, 0.3, 1, 3] },
    { name: 'length', label: 'Tokens', values: [2, 8, 24, 32, 128] },
    { name: 'width', label: 'Width d_model', values: [16, 32, WIDTH, 256], default: WIDTH },
  ],
  seeded: true,
  expected: [
    {
      name: 'oneHead',
      label: 'Attention alone learns XOR, 1 head: squared error',
      range: [1 / 6, 1 / 6],
      tolerance: { absolute: 0.002 },
    },
    {
      name: 'twoHeads',
      label: 'Attention alone learns XOR, 2 heads: squared error',
      range: [0, 0],
      tolerance: { absolute: 0.002 },
    },
    error('‖f(x + y) − f(x) − f(y)‖ / ‖f(x + y)‖', {}, [0.79, 0.86]),
    error('The same, inputs × 0.1', { scale: 0.1 }, [0.02, 0.02]),
    error('The same, inputs × 3', { scale: 3 }, [1.15, 1.23]),
    error('The same, 8 tokens', { length: 8 }, [0.695, 0.803]),
    error('The same, 32 tokens', { length: 32 }, [0.823, 0.858]),
    error('The same, 8 tokens, inputs × 3', { scale: 3, length: 8 }, [0.986, 1.131]),
    error('The same, 32 tokens, inputs × 3', { scale: 3, length: 32 }, [1.18, 1.219]),
    error('The same, weights kept as they are for x + y', { weights: 'frozen' }, [0, 3e-7], 7e-7),
  ],
  contrast: { weights: 'frozen' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { weights: kind, scale, length, width, seeds } = settingsOf(claim, params);
  const d = width / HEADS;
  const body = async (/** @type {number} */ seed, /** @type {() => Promise<void>} */ step) => {
    await step();
    const random = randomOf(seed, claim.name);
    const [x, y] = [0, 1].map(() => normal(random, [length, width], scale));
    const deviation = 1 / Math.sqrt(width);
    const weights = {
      in_proj_weight: normal(random, [3 * width, width], deviation),
      'out_proj.weight': normal(random, [width, width], deviation),
    };
    const of = (/** @type {typeof x} */ input) => gf.multiHeadAttention(input, { weights, heads: HEADS });
    const outputOf = (/** @type {typeof x} */ input, /** @type {ReturnType<typeof of>} */ whole) => {
      if (kind === 'computed') return of(input).output.data;
      const values = of(input).value;
      const square = (/** @type {import('./shared/numbers.js').Tensor} */ t) => ({
        data: t.data,
        shape: t.shape.slice(-3),
      });
      const heads = gf.matmul(square(whole.weights), square(values)).data;
      const concat = Float32Array.from({ length: length * width }, (_, i) => {
        const [t, c] = [Math.floor(i / width), i % width];
        return heads[(Math.floor(c / d) * length + t) * d + (c % d)];
      });
      const a = { data: concat, shape: [length, width] };
      return gf.matmul(a, weights['out_proj.weight'], { transposeB: true }).data;
    };
    const errorAt = (/** @type {number} */ factor) => {
      const [a, b] = [x, y].map(({ data, shape }) => ({ data: data.map((one) => one * factor), shape }));
      const sum = { ...a, data: a.data.map((one, i) => one + b.data[i]) };
      const whole = of(sum);
      const [fa, fb, fsum] = [a, b, sum].map((input) => outputOf(input, whole));
      return lengthOf(fsum.map((one, i) => one - fa[i] - fb[i])) / lengthOf(fsum);
    };
    /** @type {Record<string, number | number[]>} */
    const measured = { error: errorAt(1), byScale: SCALES.map((size) => errorAt(size / scale)) };
    if (kind === 'computed') {
      const keep = (/** @type {string} */ name) => (/** @type {number} */ each) => void (measured[name] = each);
      (await learn(gf, { heads: 1, seed }, step, keep('oneHead'))).free();
      (await learn(gf, { heads: 2, seed }, step, keep('twoHeads'))).free();
    }
    return measured;
  };
  return overTrainings(seeds, 2 * STEPS, body, onProgress, signal, (lists) => ({ ...lists, scales: SCALES }));
}

/**
 * Trains an attention layer alone to say at both of two tokens whether they differ.
 * @param {import('glassformer').Engine} gf
 * @param {{heads?: number, seed: number}} settings
 * @param {() => Promise<void>} step
 * @param {(error: number) => void} [onError] takes the mean squared error at the end
 */
function learn(gf, { heads = 2, seed }, step, onError) {
  const oneHot = (/** @type {number} */ bit) => [1 - bit, bit];
  const vectors = PAIRS.map((pair) => pair.map(oneHot));
  const labels = PAIRS.map(([a, b]) => [0, 1].map(() => [0, 1].map(() => Number(a !== b))));
  const batch = { vectors: gf.tensor(vectors), labels: gf.tensor(labels) };
  return trained(gf, { kind: 'attention', d_model: 2, heads, seed }, async (model) => {
    const trainer = model.trainer({ optimizer: 'sgd', learningRate: RATE, loss: 'mse', clip: 0 });
    await train(trainer, () => batch, STEPS, step);
    onError?.(trainer.loss(batch).loss);
  });
}

/** Up to rounding. @param {number[]} errors */
const isLinear = (errors) => largest(errors) < 1e-5;

/** @param {number[]} errors by size of the inputs, the smallest first */
const first = ([error]) => error;

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ error, twoHeads, byScale }) => ({
    verdict: isLinear(error) ? 'true' : isLinear(byScale.map(first)) ? 'it depends' : 'false',
    on: 'the size of the inputs',
    found:
      `The output of a sum is off the sum of the outputs by ${percent(error)} of its length; ` +
      `two heads alone learn XOR, with an error of ${say(largest(twoHeads))} at most.`,
  }),
  ({ error }, { weights, scale, length }) =>
    weights === 'frozen'
      ? `With the weights kept, the sum of the outputs is met within ${say(largest(error))}: ` +
        'the softmax is what makes attention nonlinear.'
      : `${length} tokens, inputs times ${scale}: the output of a sum is off the sum of the outputs by ` +
        `${percent(error)} of its length.`,
);

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: true,
  where: 'the two heads that say XOR',
  isUsed: ({ weights }) => weights !== 'frozen',
  text: () => ({
    token: /[01]/g,
    joint: '',
    does: 'attention alone says XOR',
    node: 'attention',
    goal: 'say at both of two bits whether they differ, by an attention layer alone.',
    hint:
      'It opens at the largest weight of the first bit. Change one bit, and the weights change with it: weights that ' +
      'depend on the input are what makes attention nonlinear.',
  }),
  layer: async (gf, { seed }) => {
    const trained = await learn(gf, { seed }, async () => {});
    const weights = ofAttention(trained.weights());
    trained.free();
    return {
      words: ['0', '1'],
      table: { data: Float32Array.of(1, 0, 0, 1), shape: [2, 2] },
      rows: PAIRS.map(([a, b]) => [a, b]).sort(([a, b], [c, d]) => Number(c !== d) - Number(a !== b)),
      config: { heads: 2 },
      weights,
      where: (maps) => largestIn(maps, 0),
    };
  },
};

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ byScale, scales, oneHead, twoHeads }, params) => [
  {
    kind: 'curves',
    title: 'How far f(x + y) is from f(x) + f(y)',
    x: { title: 'size of the inputs', log: true, ticks: scales },
    y: { title: '‖f(x + y) − f(x) − f(y)‖ / ‖f(x + y)‖', log: true, low: 1e-8, high: 10 },
    series: [{ name: params.weights === 'frozen' ? 'weights kept' : 'weights recomputed' }],
    lines: bySeed(params, 0, byScale, (i) => scales[i]),
    levels: [{ name: 'as chosen', at: Number(params.scale ?? 1), vertical: true }],
  },
  ...given(oneHead, () => [
    /** @type {import('./shared/picture.js').Rows} */ ({
      kind: 'rows',
      title: 'Attention alone, trained on XOR',
      x: { title: 'mean squared error', low: 0 },
      rows: [
        { label: '1 head', marks: marks(params, oneHead) },
        { label: '2 heads', marks: marks(params, twoHeads) },
      ],
    }),
  ]),
];
