import { kindOf, outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inExplore } from './shared/explore.js';
import { largest, normal, randomOf, say, smallest } from './shared/numbers.js';
import { bySeed } from './shared/picture.js';
import { overTrainings, withModel } from './shared/train.js';

const LENGTH = 16;
const WIDTH = 64;
const NEURONS = 256;
const DEPTHS = [12, 24, 48];
const DEEPEST = 48;
/** A gain below it has vanished; beyond one over it, it has exploded. */
const KEPT = 1e-3;
const ALONE = 'LayerNorm alone';
/** Of stacks with residual connections alone that have one of the two sublayers. */
const PARTS = /** @type {Record<string, any>} */ ({
  network: { norm: 'none', heads: 0 },
  attention: { norm: 'none', d_ff: 0 },
});
const PLAIN = { norm: 'none', residual: false };
const DESIGNS = /** @type {Record<string, any>} */ ({
  'residual alone': { norm: 'none' },
  'residual, pre-LN': { norm: 'pre', finalNorm: true },
  'residual, post-LN': { norm: 'post' },
  [ALONE]: { norm: 'post', residual: false },
});
const DECADE = { factor: 10 };
/** Of single precision. */
const LARGEST = 3.4e38;

/**
 * The expected gains of a design at all depths.
 * @param {string} design
 * @param {readonly [low: number, high: number][]} ranges by depth
 * @param {import('./shared/claim.js').Tolerance} [tolerance]
 */
const gains = (design, ranges, tolerance = DECADE) =>
  DEPTHS.map((depth, i) => ({
    name: `gain${depth}`,
    label: `Gain, ${depth} layers`,
    at: { design },
    range: ranges[i],
    tolerance,
  }));

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 17,
  name: 'Residual connections and vanishing gradients',
  sentence: 'Residual connections cure vanishing gradients.',
  saidBy: 'Veit et al. 2016, “Residual Networks Behave Like Ensembles of Relatively Shallow Networks”, abstract',
  experiment:
    'Untrained stacks of 12, 24 and 48 layers (width 64, four heads, 256 neurons) on 16 random rows, with ' +
    'residual connections alone. The gain is how much longer a random gradient is after its way back through ' +
    'all layers.',
  sketch: {
    input: ['x_{1}', 'x_{2}', '…', 'x_{16}'],
    stacks: [{ layers: 48, parts: ['attention: 4', 'FFN: 256'] }],
    output: 'the gradient on its way back',
    width: 64,
    steps: 0,
  },
  literature: {
    for: [
      'Veit et al. 2016, “Residual Networks Behave Like Ensembles of Relatively Shallow Networks”',
      'Dong et al. 2021, “Attention is Not All You Need: Pure Attention Loses Rank Doubly Exponentially with Depth”',
    ],
    against: [
      'He et al. 2016, “Deep Residual Learning for Image Recognition”, section 4.1: the difficulty is “unlikely ' +
        'to be caused by vanishing gradients”',
    ],
  },
  why:
    'Without them the gradient is a product of Jacobians J that shrink it; with them each factor is I + J. ' +
    'Without a norm the sums grow at every layer, through attention most.',
  limits:
    'Training: all is measured at initialization, on random inputs. A gain below 1/1,000 counts as vanished, ' +
    'one above 1,000 as exploded: these cutoffs are ours.',
  overturn: 'A stack with residual connections whose gradients vanish at initialization.',
  quotes: [
    {
      text:
        'Residual networks avoid the vanishing gradient problem by introducing short paths which can carry ' +
        'gradient throughout the extent of very deep networks.',
      from: 'Veit et al. 2016, abstract',
    },
  ],
  choices: [
    { label: 'With them alone gradients no longer vanish through 48 layers.', verdict: 'true' },
    { label: 'That depends on the sublayer that they bypass.', verdict: 'it depends' },
    { label: 'They vanish all the same.', verdict: 'false' },
  ],
  inputs: [
    {
      name: 'design',
      label: 'Layers',
      values: Object.keys(DESIGNS),
      default: 'residual alone',
      controls: ['LayerNorm alone'],
    },
  ],
  scales: [
    { name: 'd_model', label: 'Width d_model', values: [16, WIDTH, 128], default: WIDTH },
    { name: 'd_ff', label: 'Neurons of the FFN', values: [64, 128, NEURONS, 512], default: NEURONS },
  ],
  long: true,
  seeded: true,
  expected: [
    ...DEPTHS.map((depth, i) => ({
      name: `plain${depth}`,
      label: `Gain without both, ${depth} layers`,
      range: /** @type {const} */ ([
        [8e-5, 4.4e-4],
        [1.5e-7, 6.6e-7],
        [5.7e-14, 6.4e-13],
      ])[i],
      tolerance: DECADE,
    })),
    // Growth without bound, which differs by orders of magnitude between seeds: lower bounds.
    { name: 'gain12', label: 'Gain, 12 layers', range: [1e3, LARGEST], tolerance: DECADE },
    { name: 'gain24', label: 'Gain, 24 layers', range: [1e5, LARGEST], tolerance: DECADE },
    { name: 'network48', label: 'Gain without attention, 48 layers', range: [580, 950], tolerance: DECADE },
    { name: 'normCosine', label: 'LayerNorm alone: mean cosine, 48 layers', range: within(0.9995, 1) },
    { name: 'normGain', label: 'LayerNorm alone: gain, 48 layers', range: [0.02, 2.8], tolerance: DECADE },
    ...gains(ALONE, new Array(3).fill([0.02, 7.7])),
    ...gains('residual, pre-LN', new Array(3).fill([0.5, 1.7])),
    ...gains('residual, post-LN', new Array(3).fill([0.042, 1.6])),
    {
      name: 'cosine48',
      label: 'Mean cosine of two tokens, 48 layers',
      at: { design: 'residual, pre-LN' },
      range: [0.91, 0.942],
      tolerance: { absolute: 0.05 },
    },
    ...['residual, post-LN', 'LayerNorm alone'].flatMap((design) => [
      { name: 'cosine12', label: 'Mean cosine of two tokens, 12 layers', at: { design }, range: within(0.988, 1) },
      { name: 'cosine24', label: 'Mean cosine of two tokens, 24 layers', at: { design }, range: within(0.9995, 1) },
    ]),
  ],
  contrast: { design: 'residual, pre-LN' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { design, seeds, ...sizes } = settingsOf(claim, params);
  const isOwn = kindOf({ inputs: claim.inputs }, params) === 'sentence';
  return overTrainings(
    seeds,
    2 * DEPTHS.length + (isOwn ? 3 : 0),
    async (seed, step) => {
      /** @type {Record<string, number>} */
      const result = {};
      for (const depth of DEPTHS) {
        await step();
        result[`plain${depth}`] = (await measure(gf, { ...PLAIN, ...sizes }, depth, seed)).gain;
        await step();
        const { gain, cosine } = await measure(gf, { ...sizes, ...DESIGNS[design] }, depth, seed);
        result[`gain${depth}`] = gain;
        result[`cosine${depth}`] = cosine;
      }
      if (!isOwn) return result;
      await step();
      const { gain: normGain, cosine: normCosine } = await measure(gf, { ...sizes, ...DESIGNS[ALONE] }, DEEPEST, seed);
      for (const [part, stack] of Object.entries(PARTS)) {
        await step();
        for (const depth of DEPTHS)
          result[`${part}${depth}`] = (await measure(gf, { ...sizes, ...stack }, depth, seed)).gain;
      }
      return { ...result, normGain, normCosine };
    },
    onProgress,
    signal,
    (lists) => ({ ...lists, depths: DEPTHS }),
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => {
    const isPlain = largest(numbers[`plain${DEEPEST}`]) < KEPT;
    const isCured = ['gain', ...Object.keys(PARTS)].map(
      (name) => isPlain && DEPTHS.every((depth) => smallest(numbers[`${name}${depth}`]) >= KEPT),
    );
    const explodes = largest(DEPTHS.flatMap((depth) => numbers[`gain${depth}`])) > 1 / KEPT;
    return {
      verdict: verdictOf(isCured),
      on: 'the sublayer that they bypass',
      found:
        `At initialization ${gainsOf(numbers)}. ` +
        (explodes
          ? `The price: gradients explode (FFNs alone ${sized(numbers, 'network')}, attention alone ` +
            `${sized(numbers, 'attention')}), and tokens become alike (cosine ${say(numbers[`cosine${DEEPEST}`])}). `
          : '') +
        `LayerNorm alone keeps them too, but tokens become one (mean cosine ${say(numbers.normCosine)}).`,
    };
  },
  (numbers) => {
    const cosine = numbers[`cosine${DEEPEST}`];
    const alike = smallest(cosine) > 0.99 ? 'But all tokens become one' : 'Tokens stay apart';
    return `At initialization ${gainsOf(numbers)}. ${alike}: their mean cosine is ${say(cosine)}.`;
  },
);

/** @param {any} numbers @param {string} name @param {number} [depth] */
function sized(numbers, name, depth = DEEPEST) {
  const at = numbers[`${name}${depth}`];
  return largest(at) < Infinity ? say(at) : 'beyond single precision';
}

/** @param {any} numbers */
function gainsOf(numbers) {
  const sizes = [DEPTHS[0], DEEPEST].map((depth) => `${sized(numbers, 'gain', depth)} at ${depth}`);
  const plain = say(numbers[`plain${DEEPEST}`]);
  return `the gain is ${sizes.join(', ')} layers; with neither residual nor LayerNorm ${plain}`;
}

/** @param {number} low @param {number} high @returns {readonly [number, number]} */
function within(low, high) {
  return [low, high + 1e-6];
}

/**
 * The gain of a random direction that goes back through all layers, ‖uᵀJ‖ / ‖u‖, and the mean cosine of two outputs.
 * @param {import('./shared/train.js').Engine} gf
 * @param {any} design
 * @param {number} layers
 * @param {number} seed
 */
function measure(gf, design, layers, seed) {
  const config = { vocabulary: 0, d_model: WIDTH, heads: 4, d_ff: NEURONS, positions: 'none', head: 'none' };
  return withModel(gf, /** @type {any} */ ({ ...config, ...design, layers, seed }), (model) => {
    const random = randomOf(seed, claim.name);
    const { d_model: width } = model.config;
    const [vectors, labels] = [0, 1].map(() => gf.tensor(normal(random, [1, LENGTH, width])));
    const norm = (/** @type {Float32Array} */ x) => gf.vectorNorm(x).data[0];
    let gain = Infinity;
    try {
      model.trainer({ loss: 'linear' }).gradients({ vectors, labels, capture: true });
      gain = norm(/** @type {any} */ (model.tensor('grad.encoder.vectors').data)) / norm(labels.data);
    } catch (error) {
      // The engine refuses gradients beyond single precision, and names them.
      if (/** @type {any} */ (error)?.code !== 'number') throw error;
    }
    const { data } = model.forward({ vectors }).output;
    const rows = Array.from({ length: LENGTH }, (_, t) => data.slice(t * width, (t + 1) * width));
    const pairs = rows.flatMap((a, t) => rows.slice(0, t).map((b) => [a, b]));
    const cosines = pairs.map(([a, b]) => gf.dot(a, b).data[0] / norm(a) / norm(b));
    return { gain, cosine: cosines.reduce((sum, one) => sum + one) / cosines.length };
  });
}

const MOST_LAYERS = 12;

/** @type {import('./shared/explore.js').MatchingOf} */
export function matching({ design, seed }) {
  const { norm, residual = true } = DESIGNS[design];
  const isAlone = design === 'residual alone';
  return inExplore(
    {
      layers: MOST_LAYERS,
      d_model: 64,
      d_ff: 256,
      norm,
      residual,
      seed,
      node: 'add',
      shows: isAlone ? 'norms' : 'cosines',
    },
    `the forward pass through ${MOST_LAYERS} layers: ` +
      (isAlone ? 'how the residual stream grows' : 'how far each sublayer turns its vectors'),
  );
}

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ depths, ...numbers }, params) {
  const of = (/** @type {string} */ name, /** @type {number} */ series) => {
    const lists = numbers[`${name}${depths[0]}`].map((/** @type {number} */ _, /** @type {number} */ s) =>
      depths.map((/** @type {number} */ depth) => numbers[`${name}${depth}`][s]),
    );
    return bySeed(params, series, lists, (i) => depths[i]);
  };
  const name = String(params.design ?? 'residual alone');
  const x = { title: 'layers', log: true, ticks: depths };
  return [
    {
      kind: 'curves',
      title: 'Gain of a gradient on its way back through all layers',
      x,
      y: { title: '‖uᵀJ‖ / ‖u‖', log: true, beyond: 'beyond single precision' },
      series: [{ name }, { name: 'neither residual nor LayerNorm' }],
      lines: [...of('gain', 0), ...of('plain', 1)],
      levels: [{ name: 'kept as it is', at: 1 }],
    },
    {
      kind: 'curves',
      title: 'How alike the tokens have become',
      x,
      y: { title: 'mean cosine of two tokens', high: 1 },
      series: [{ name }],
      lines: of('cosine', 0),
    },
  ];
}
