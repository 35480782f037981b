import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { largest, largestDifference, normal, randomOf, say } from './shared/numbers.js';
import { bySeed, given, marks, range } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';
import { withModel } from './shared/train.js';

const WIDTH = 64;
const PAIRS = 16;
const DISTANCES = 65; // 0 to 64
/** Where the key stands. */
const STARTS = [0, 16, 256, 4096, 65536, 1e6];
const FAR = STARTS[STARTS.length - 1];
const NEAR = 3; // of them are near the beginning
const LINES = 2; // that are drawn: those of more seeds would hide each other
const WORDS = 8;
const BASE = 10000;
const HIDDEN = 64;
/** The difference of two scores, each near 1, that we take for rounding. */
const SAME = 2e-5;
const BFLOAT = 'bfloat16';
const BOTH = 'both';
const [DOUBLE, SINGLE] = ['double precision', 'single precision'];
const ROUNDING = { tolerance: { absolute: 2e-6 } };

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 24,
  name: 'Rotary positions and distance',
  sentence: 'With rotary positions (RoPE) the score of a query and a key depends on their distance only.',
  saidBy: 'Su et al. 2021, “RoFormer: Enhanced Transformer with Rotary Position Embedding”, section 3.1',
  experiment:
    '16 random pairs of a query and a key (d_k 64) are turned by their positions: keys at places 0 to 1,000,000, ' +
    'queries 0 to 64 places on, angles in double or single precision. An untrained encoder of two layers reads 8 ' +
    'words, and again behind 64 hidden tokens.',
  sketch: {
    input: ['q at 64', 'k at 0'],
    stacks: [{ parts: ['turn by place × ω', 'q·k'] }],
    output: 'the same, 10⁶ places on?',
    width: 64,
  },
  literature: {
    for: ['Su et al. 2021, “RoFormer: Enhanced Transformer with Rotary Position Embedding”'],
    against: ['Wang et al. 2024, “When Precision Meets Position: BFloat16 Breaks Down RoPE in Long-Context Training”'],
  },
  why:
    'Each pair of numbers is turned by m·ω in the query and by n·ω in the key. The product of two turned vectors ' +
    'depends on (m − n)·ω: the distance is all that is left. But m·ω at place 10⁶ is rounded by 0.03 in single ' +
    'precision, and two rounded angles do not differ by (m − n)·ω.',
  limits:
    'What the query and the key are matters as before, and behind a causal mask a word’s vector depends on the words ' +
    'before it. A score need not fall with the distance.',
  overturn: 'Scores that stay the same at 10⁶ places with single-precision angles, or drift with exact ones.',
  quotes: [
    {
      text: 'incorporates the explicit relative position dependency in self-attention formulation',
      from: 'Su et al. 2021, abstract',
    },
  ],
  choices: [
    { label: 'Moved together, two tokens keep their score, however the angles are computed.', verdict: 'true' },
    { label: 'With exact angles; with rounded ones the score drifts far into a text.', verdict: 'it depends' },
    { label: 'The score changes with the places as well.', verdict: 'false' },
  ],
  guess: { name: 'rounded', from: 1e-8, to: 10, log: true },
  inputs: [
    {
      name: 'positions',
      label: 'Positions',
      values: ['rotary', 'sinusoidal'],
      default: 'rotary',
      controls: ['sinusoidal'],
    },
    { name: 'format', label: 'Numbers of what is multiplied', values: ['float32', BFLOAT], default: 'float32' },
    { name: 'angles', label: 'Angles in', values: [BOTH, DOUBLE, SINGLE], default: BOTH },
  ],
  scales: [
    { name: 'width', label: 'Width of the head d_k', values: [16, 32, WIDTH, 128], default: WIDTH },
    { name: 'farthest', label: 'Farthest place', values: [256, 4096, 65536, FAR], default: FAR },
  ],
  seeded: true,
  expected: [
    { name: 'moved', label: 'Score, both moved together: largest change', range: [2.6e-7, 3.6e-7], ...ROUNDING },
    {
      name: 'rounded',
      label: 'The same with angles in single precision',
      range: [0.0187, 0.0257],
      tolerance: { factor: 2 },
    },
    { name: 'apart', label: 'Score, moved apart: largest change', range: [2.4, 3.86], tolerance: { factor: 1.5 } },
    { name: 'model', label: 'Output of the encoder: largest change', range: [5e-7, 1.2e-6], ...ROUNDING },
    {
      name: 'moved',
      label: 'Score with sinusoids, both moved together: largest change',
      at: { positions: 'sinusoidal' },
      range: [3.53, 5.63],
      tolerance: { factor: 1.5 },
    },
    {
      name: 'moved',
      label: 'Score in bfloat16, both moved together: largest change',
      at: { format: BFLOAT },
      range: [0.0119, 0.0184],
      tolerance: { factor: 2 },
    },
  ],
  contrast: { positions: 'sinusoidal' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { positions, format, angles, width, farthest, seeds } = settingsOf(claim, params);
  const starts = STARTS.filter((start) => start <= farthest);
  const rounded = format === BFLOAT ? bfloat16 : (/** @type {Float32Array} */ data) => data;
  return overSeeds(
    seeds,
    async (seed) => {
      const [query, key] = pairsOf(seed, width);
      // rows: pairs × distances
      const scoresAt = (/** @type {number} */ start, /** @type {boolean} */ isRounded) => {
        const placed = (/** @type {Float32Array} */ data, /** @type {(row: number) => number} */ at) => {
          const places = Int32Array.from({ length: PAIRS * DISTANCES }, (_, row) => at(row % DISTANCES));
          const x = { data, shape: [places.length, width] };
          const positioned =
            positions === 'rotary' ? gf.rotary(x, { positions: places }) : gf.add(x, encoded(gf, places, width));
          if (isRounded && positions === 'rotary') turnByRounding(positioned.data, places, width);
          return { data: rounded(positioned.data), shape: x.shape };
        };
        const turned = placed(query, (distance) => start + distance);
        return gf
          .dot(
            turned,
            placed(key, () => start),
          )
          .data.map((score) => score / Math.sqrt(width));
      };
      const changesWith = (/** @type {boolean} */ isRounded) => {
        const scores = starts.map((start) => scoresAt(start, isRounded));
        return { scores, changes: scores.map((each) => largestDifference(each, scores[0])) };
      };
      const { scores, changes } = changesWith(angles === SINGLE);
      const row = (/** @type {Float32Array} */ data) => [...data.subarray(0, DISTANCES)];
      /** @type {Record<string, number | number[]>} */
      const numbers = {
        moved: largest(changes),
        changes,
        near: largest(changes.slice(0, NEAR)),
        apart: largest(scores[0].map((score, i) => Math.abs(score - scores[0][i - (i % DISTANCES)]))),
        model: await ofModel(gf, positions, seed),
        first: row(scores[0]),
        far: row(scores[starts.length - 1]),
      };
      if (angles !== BOTH || positions !== 'rotary') return numbers;
      const other = changesWith(true).changes;
      return { ...numbers, rounded: largest(other), roundedChanges: other };
    },
    onProgress,
    signal,
  );
}

/** Queries and keys, each repeated for all distances. @param {number} seed @param {number} width */
function pairsOf(seed, width) {
  const random = randomOf(seed, claim.name);
  return range(2).map(() => {
    const { data } = normal(random, [PAIRS, width]);
    return Float32Array.from({ length: PAIRS * DISTANCES * width }, (_, i) => {
      const pair = Math.floor(i / (DISTANCES * width));
      return data[pair * width + (i % width)];
    });
  });
}

/**
 * Turns rows, in place, by what their angles lose in single precision. It is small, so that two terms of the series
 * of sine and cosine are enough, which give the same bits everywhere.
 * @param {Float32Array} data
 * @param {Int32Array} places
 * @param {number} width
 */
function turnByRounding(data, places, width) {
  const half = width / 2;
  for (let i = 0; i < half; i++) {
    const omega = BASE ** (-i / half);
    for (let row = 0; row < places.length; row++) {
      const rounding = Math.fround(places[row] * Math.fround(omega)) - places[row] * omega;
      const [cos, sin] = [1 - rounding ** 2 / 2 + rounding ** 4 / 24, rounding - rounding ** 3 / 6];
      const at = row * width + i;
      const [a, b] = [data[at], data[at + half]];
      data[at] = a * cos - b * sin;
      data[at + half] = a * sin + b * cos;
    }
  }
}

/**
 * Rows of the sinusoids.
 * @param {import('./shared/train.js').Engine} gf
 * @param {Int32Array} places
 * @param {number} width
 */
function encoded(gf, places, width) {
  const rows = places.reduce((all, place) => {
    if (!all.has(place)) all.set(place, gf.positionalEncoding({ d_model: width, length: 1, start: place }).data);
    return all;
  }, new Map());
  const data = new Float32Array(places.length * width);
  places.forEach((place, row) => data.set(rows.get(place), row * width));
  return { data, shape: [places.length, WIDTH] };
}

/** The nearest numbers of 8 bits of mantissa. @param {Float32Array} data */
function bfloat16(data) {
  const bits = new Uint32Array(Float32Array.from(data).buffer);
  return new Float32Array(bits.map((one) => (one + 0x7fff + ((one >>> 16) & 1)) & 0xffff0000).buffer);
}

/**
 * Measures how much the outputs of words change behind hidden tokens.
 * @param {import('./shared/train.js').Engine} gf
 * @param {'rotary' | 'sinusoidal'} positions
 * @param {number} seed
 */
function ofModel(gf, positions, seed) {
  const config = { kind: /** @type {const} */ ('encoder'), vocabulary: WORDS, d_model: 32, heads: 2, d_ff: 64 };
  return withModel(gf, { ...config, layers: 2, positions, seed }, (model) => {
    const words = range(WORDS);
    const { data } = model.forward({ ids: [words] }).output;
    const first = Float32Array.from(data);
    const ids = [[...new Array(HIDDEN).fill(0), ...words]];
    const padding = [ids[0].map((_, at) => Number(at < HIDDEN))];
    const moved = model.forward({ ids, padding }).output.data.slice(-first.length);
    return largestDifference(first, moved);
  });
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([
      largest(numbers.near) <= SAME && largest(numbers.model) <= SAME,
      largest(numbers.moved) <= SAME,
      largest(numbers.rounded) <= SAME,
    ]),
    on: 'how exactly the angles are computed',
    found: changes(numbers),
  }),
  (numbers, { positions, format, angles }) =>
    `Positions ${positions}, ${format}${angles === BOTH ? '' : `, angles in ${angles}`}: ${changes(numbers)}`,
);

/** @param {any} numbers */
const changes = ({ moved, rounded, apart, model }) =>
  `Moved together by up to ${FAR.toLocaleString('en')} places, a query and a key change their score by at most ` +
  `${say(largest(moved))}` +
  `${rounded ? `, and with angles in single precision by up to ${say(largest(rounded))}` : ''}; ` +
  `moved apart by up to ${DISTANCES - 1}, by up to ${say(largest(apart))}. Behind ${HIDDEN} ` +
  `hidden tokens the encoder’s outputs change by at most ${say(largest(model))}.`;

/** @type {import('./shared/picture.js').PictureOf} */
export const picture = ({ first, far, moved, rounded, apart, model }, params) => [
  {
    kind: 'curves',
    title: `Score of one pair, ${params.positions ?? 'rotary'} positions`,
    note: 'The two lines of a seed lie on each other where the distance alone decides.',
    x: { title: 'distance', low: 0, high: DISTANCES - 1 },
    y: { title: 'score' },
    series: [{ name: 'key at place 0' }, { name: `key at place ${FAR.toLocaleString('en')}` }],
    lines: [
      ...bySeed(params, 0, first.slice(0, LINES), (i) => i, { dots: false }),
      ...bySeed(params, 1, far.slice(0, LINES), (i) => i, { joined: false }),
    ],
  },
  {
    kind: 'rows',
    title: 'Largest change, in a score and in an encoder’s output',
    x: { title: 'change', log: true, low: 1e-8, high: 100 },
    rows: [
      { label: 'together', marks: marks(params, moved) },
      ...given(rounded, () => [{ label: 'together, single', marks: marks(params, rounded) }]),
      { label: 'apart', marks: marks(params, apart) },
      { label: 'encoder', marks: marks(params, model) },
    ],
    levels: [{ name: 'rounding', at: SAME }],
  },
];
