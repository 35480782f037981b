import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inExplore } from './shared/explore.js';
import { largest, say } from './shared/numbers.js';
import { given, marks } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const WORDS = ['the', 'cat', 'sat', 'on', 'mat'];
const SENTENCES = ['the cat sat on the mat', 'the mat sat on the cat'].map((text) =>
  text.split(' ').map((word) => WORDS.indexOf(word)),
);
/** Where each word of the first sentence stands in the second. */
const PLACES = [0, 5, 2, 3, 4, 1];
const WIDTH = 32;
const SAME = 3e-6;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 4,
  name: 'Sentences as sets of words',
  sentence:
    'Without positional encoding “The cat sat on the mat” and “The mat sat on the cat” are the same to a Transformer.',
  saidBy:
    'Hewitt 2023, “Self-Attention & Transformers”, notes of Stanford’s CS224n, section 2.2, of “the oven cooked ' +
    'the bread so” and “the bread cooked the oven so”',
  source: 'https://web.stanford.edu/class/cs224n/readings/cs224n-self-attention-transformers-2023_draft.pdf',
  experiment:
    'An untrained encoder of two layers with d_model 32 and two heads reads both sentences without positions, ' +
    'with and without a causal mask. The output of each word is compared between the two.',
  sketch: {
    input: ['The', 'cat', 'sat', 'on', 'the', 'mat'],
    stacks: [{ name: 'encoder', layers: 2, parts: ['attention: 2', 'FFN: 64'] }],
    output: 'each word’s vector, cat and mat swapped',
    width: 32,
    steps: 0,
  },
  literature: {
    for: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.5', 'Lee et al. 2019, “Set Transformer”'],
    against: [
      'Haviv et al. 2022, “Transformer Language Models without Positional Encodings Still Learn Positional ' +
        'Information”',
      'Kazemnejad et al. 2023, “The Impact of Positional Encoding on Length Generalization in Transformers”',
    ],
  },
  why:
    'Without a mask attention sums over all keys, so permuted words give permuted outputs. A causal mask gives each ' +
    'word other keys, and order enters through it.',
  limits:
    'Untrained weights, two layers, two sentences. “The same” means the output of each word; the order of the ' +
    'outputs changes.',
  overturn: 'A model without a mask and without positions whose outputs of a word differ between the sentences.',
  quotes: [
    {
      text: 'The self-attention operation has no built-in notion of the sequence order.',
      from: 'Hewitt 2023, section 2.2',
    },
  ],
  choices: [
    { label: 'Each word’s output is the same in both sentences.', verdict: 'true' },
    { label: 'Only where every word sees every other.', verdict: 'it depends' },
    { label: 'The outputs differ, with or without positions.', verdict: 'false' },
  ],
  inputs: [
    {
      name: 'positions',
      label: 'Positional encoding',
      values: ['none', 'sinusoidal'],
      default: 'none',
      controls: ['sinusoidal'],
    },
    { name: 'mask', label: 'Mask', values: ['none', 'causal', 'both'], default: 'both' },
  ],
  scales: [
    { name: 'width', label: 'Width d_model', values: [8, WIDTH, 128, 512], default: WIDTH },
    { name: 'layers', label: 'Layers', values: [1, 2, 6, 12], default: 2 },
    { name: 'heads', label: 'Heads', values: [1, 2, 8], default: 2 },
  ],
  seeded: true,
  expected: [
    {
      name: 'bidirectional',
      label: 'Largest difference of a word’s outputs, without mask',
      range: [0, 1e-6],
      tolerance: { absolute: 2e-6 },
    },
    {
      name: 'causal',
      label: 'Largest difference of a word’s outputs, causal mask',
      range: [1.37, 1.79],
      tolerance: { factor: 1.7 },
    },
    {
      name: 'bidirectional',
      label: 'Largest difference with positions, without mask',
      at: { positions: 'sinusoidal' },
      range: [0.62, 2.01],
      tolerance: { factor: 1.5 },
    },
  ],
  contrast: { mask: 'causal' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { positions, mask, width, layers, heads, seeds } = settingsOf(claim, params);
  const differences = (/** @type {number} */ seed, /** @type {boolean} */ causal) => {
    const config = { vocabulary: WORDS.length, d_model: width, heads, d_ff: 2 * width, layers, positions };
    const model = gf.createModel({ kind: 'encoder', ...config, causal, seed });
    try {
      const { data } = model.forward({ ids: SENTENCES }).output;
      const second = SENTENCES[0].length * width;
      return PLACES.map((to, from) =>
        largest(
          Array.from({ length: width }, (_, c) => Math.abs(data[from * width + c] - data[second + to * width + c])),
        ),
      );
    } finally {
      model.free();
    }
  };
  return overSeeds(
    seeds,
    (seed) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      const add = (/** @type {string} */ name, /** @type {boolean} */ causal) => {
        const words = differences(seed, causal);
        Object.assign(numbers, { [name]: largest(words), [`${name}Words`]: words });
      };
      if (mask !== 'causal') add('bidirectional', false);
      if (mask !== 'none') add('causal', true);
      return numbers;
    },
    onProgress,
    signal,
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ bidirectional, causal }) => {
    const [free, masked] = [largest(bidirectional) <= SAME, largest(causal) <= SAME];
    return {
      verdict: verdictOf([free, masked]),
      on: 'the mask',
      found:
        `Where every word sees every other, a word’s outputs differ by at most ${say(largest(bidirectional))}; ` +
        `under a causal mask by ${say(causal)}.`,
    };
  },
  ({ bidirectional, causal }, { positions }) =>
    [bidirectional && `without a mask by ${say(bidirectional)}`, causal && `under a causal mask by ${say(causal)}`]
      .filter(Boolean)
      .join(', ')
      .replace(/^/, `With positions ${positions} a word’s outputs differ `) + '.',
);

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ positions, mask, seed }) =>
  inExplore(
    {
      text: 'the cat sat on the mat',
      d_model: 32,
      d_ff: 64,
      layers: 2,
      heads: 2,
      positions,
      causal: mask === 'causal',
      seed,
      query: 5,
      key: 1,
    },
    'one of the sentences, in a model of these sizes: type the other one there, and compare the rows of a word',
  );

const PRINTED = ['The', 'cat', 'sat', 'on', 'the', 'mat'];

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ bidirectionalWords, causalWords }, params) {
  const masks = [bidirectionalWords, causalWords];
  return [
    {
      kind: 'rows',
      title: 'How much the output of a word differs between the two sentences',
      x: { title: 'largest difference', log: true, low: 1e-8, high: 10 },
      series: [{ name: 'without a mask' }, { name: 'causal mask' }],
      rows: PRINTED.map((label, word) => ({
        label,
        marks: masks.flatMap((lists, mask) =>
          given(lists, () =>
            marks(
              params,
              lists.map((/** @type {number[]} */ list) => list[word]),
              mask,
            ),
          ),
        ),
      })),
      levels: [{ name: 'single precision', at: 3e-6 }],
    },
  ];
}
