import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { identity, largestIn, sparse } from './shared/layer.js';
import { range } from './shared/picture.js';
import { stepper } from './shared/steps.js';
import { percent } from './shared/train.js';

const LENGTHS = [16, 64, 256, 1024, 8192];
const GAPS = [3, 5, 9, 15];
/** Of a run of all gaps single numbers are those of this one. */
const ALL = '3 to 15';
const SHOWN = 5;

/**
 * The weight that is known of a number of keys and a gap.
 * @param {number} keys @param {number} gap @param {number} value @param {number} absolute
 * @returns {import('./shared/claim.js').Expected}
 */
const weight = (keys, gap, value, absolute) => ({
  name: `at${keys}`,
  label: `Weight among ${keys.toLocaleString('en')} keys`,
  at: { gap },
  range: [value, value],
  tolerance: { absolute },
  share: true,
});

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 23,
  name: 'Any length',
  sentence:
    'Every key is one step away, so attention works for sequences of any length: it finds the one that ' + 'matches.',
  saidBy: 'Weng 2018, “Attention? Attention!”, section “A Family of Attention Mechanisms”',
  source: 'https://lilianweng.github.io/posts/2018-06-24-attention/',
  experiment:
    'No model: one softmax over n scores, 16 to 8,192, of which one is above the others by a fixed gap of 5. ' +
    'The weight of that key is measured.',
  sketch: {
    input: ['0', '5', '0', '…', '0'],
    stacks: [{ parts: ['softmax of n scores'] }],
    output: 'the weight of the 5',
  },
  literature: {
    for: [
      'Vaswani et al. 2017, “Attention Is All You Need”, section 4: a constant number of operations between any two ' +
        'positions',
    ],
    against: [
      'Veličković et al. 2024, “softmax is not enough (for sharp out-of-distribution)”, arXiv:2410.01104',
      'Press et al. 2022, “Train Short, Test Long” (ALiBi)',
    ],
  },
  why:
    'The path is one step long at any length, but the weight is 1 / (1 + (n − 1)·e^{−gap}): with a fixed gap it is ' +
    'below ½ from n > 1 + e^{gap} keys on.',
  limits: 'Trained models: this is arithmetic on one softmax. A model may let the gap grow with the length.',
  overturn: 'A gap in score that keeps most of the weight among any number of keys.',
  quotes: [
    {
      text:
        'the dependencies between source and target sequences are not restricted by the in-between distance ' +
        'anymore!',
      from: 'Weng 2018, section “A Family of Attention Mechanisms”',
    },
    {
      text:
        'it may allow the model to extrapolate to sequence lengths longer than the ones encountered during ' +
        'training',
      from: 'Vaswani et al. 2017, section 3.5, of sinusoids',
    },
  ],
  choices: [
    { label: 'The matching key keeps most of the weight, however many others there are.', verdict: 'true' },
    { label: 'It never has most of the weight.', verdict: 'false' },
    { label: 'That depends on how many keys there are and how far its score leads.', verdict: 'it depends' },
  ],
  guess: { name: 'at1024', from: 0, to: 1 },
  inputs: [{ name: 'gap', label: 'By how much its score is above the others', values: [ALL, ...GAPS], default: ALL }],
  scales: [{ name: 'longest', label: 'Most keys', values: [16, 64, 256, 1024, 8192], default: 8192 }],
  seeded: false,
  expected: [
    weight(16, 5, 0.908, 5e-4),
    weight(1024, 5, 0.127, 5e-4),
    { ...weight(1024, 5, 0.127, 5e-4), label: 'Weight among 1,024 keys, gap 5', at: {} },
    weight(8192, 5, 0.0178, 1e-4),
    { name: 'half', label: 'Keys from which on it has less than half', at: { gap: 5 }, range: [150, 150] },
    weight(16, 9, 0.998, 5e-4),
    weight(1024, 9, 0.888, 5e-4),
    weight(8192, 9, 0.497, 5e-4),
    weight(8192, 15, 0.998, 5e-4),
  ],
  contrast: { gap: 15 },
  boundary: {
    x: { name: 'length', label: 'Keys', values: LENGTHS },
    y: { name: 'gap', label: 'Gap', values: GAPS },
    measure: { name: 'at', label: 'Weight of the matching key', isNamedByX: true },
    seeds: 1,
  },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { gap: chosen, longest } = settingsOf(claim, params);
  const lengths = LENGTHS.filter((length) => length <= longest);
  const gap = chosen === ALL ? SHOWN : chosen;
  const step = stepper(lengths.length, onProgress, signal);
  /** @type {Record<string, number>} */
  const numbers = {};
  const byGap = GAPS.map(() => /** @type {number[]} */ ([]));
  for (const length of lengths) {
    await step();
    GAPS.forEach((one, i) => {
      const x = new Float32Array(length);
      x[length >> 1] = one;
      byGap[i].push(gf.softmax(x).data[length >> 1]);
    });
    numbers[`at${length}`] = byGap[GAPS.indexOf(gap)][lengths.indexOf(length)];
  }
  onProgress?.(1);
  return { ...numbers, half: Math.ceil(1 + Math.exp(gap)), lengths, gaps: GAPS, byGap };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ byGap, gaps }) => {
    const kept = byGap.map((/** @type {number[]} */ weights) => weights.map((weight) => weight > 0.5));
    const ends = byGap.map(
      (/** @type {number[]} */ weights, /** @type {number} */ i) =>
        `${percent(weights[weights.length - 1])} with a lead of ${gaps[i]}`,
    );
    return {
      verdict: verdictOf(kept.flat()),
      on: 'the number of keys and the lead in score',
      found:
        `In one softmax over 8,192 keys the weight of the match is ${ends.join(', ')}; over 16 keys it is ` +
        `${among(byGap)}.`,
    };
  },
  weightsOf,
);

/** @param {number[][]} byGap */
const among = (byGap) => percent(byGap.map(([weight]) => weight));

/** @param {any} numbers */
function weightsOf({ at16, at8192, half }) {
  return (
    `In one softmax, with a lead of fixed size, the match has ${percent(at16)} of the weight among 16 keys and ` +
    `${percent(at8192)} among 8,192; it has less than half from ${half.toLocaleString('en')} keys on.`
  );
}

/** @type {import('./shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the weight of the match among 16 keys',
  text: () => ({
    token: /[a-z]+/gi,
    joint: ' ',
    does: 'one match among many keys',
    node: 'attention',
    goal: 'each word looks for “match”, whose score is above the others by the gap of the claim.',
    hint: 'It opens at the weight of the match among 16 keys; the other texts have 64 and 128. Type more words.',
  }),
  layer: (_gf, { gap: chosen }) => ({
    words: ['other', 'match'],
    // The first number is the match that the query asks for, the second is 1 in each word.
    table: { data: Float32Array.of(0, 1, typeof chosen === 'number' ? chosen : SHOWN, 1), shape: [2, 2] },
    rows: [16, 64, 128].map((count) => range(count).map((at) => Number(at === count >> 1))),
    config: { heads: 1, scoreScale: false },
    weights: {
      'self_attn.in_proj_weight': sparse(6, 2, (put) => {
        put(0, 1, 1);
        put(2, 0, 1);
        put(4, 0, 1);
      }),
      'self_attn.out_proj.weight': identity(2),
    },
    where: (maps) => largestIn(maps, maps.shape[2] >> 1),
  }),
};

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ lengths, gaps, byGap }, { gap }) => [
  {
    kind: 'curves',
    title: 'Weight of the matching key',
    x: { title: 'keys n', log: true, ticks: lengths },
    y: { title: 'weight', low: 0, high: 1, percent: true },
    series: gaps.map((/** @type {number} */ one) => ({ name: `gap ${one}${one === gap ? ', as chosen' : ''}` })),
    lines: byGap.map((/** @type {number[]} */ list, /** @type {number} */ series) => ({
      series,
      label: '',
      joined: true,
      dots: true,
      points: list.map((y, i) => [lengths[i], y]),
    })),
    levels: [{ name: 'half of the weight', at: 0.5 }],
  },
];
