import { outcomeOf, settingsOf } from './shared/claim.js';
import { inExplore } from './shared/explore.js';
import { leastSquares } from './shared/linear.js';
import { largest, largestDifference, normal, randomOf, rowsOf, say, smallest } from './shared/numbers.js';
import { bySeed, marks } from './shared/picture.js';
import { overSeeds } from './shared/steps.js';

const WIDTH = 64;
const POSITIONS = 400;
/** The offsets to both sides for which products are shown. */
const AROUND = 100;
const RIDGE = 1e-6;
const NEAR = 50;
const SAME = 1e-6;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 3,
  name: 'A fixed offset is a linear map',
  sentence: 'For any fixed offset k, PE(pos + k) can be represented as a linear function of PE(pos).',
  saidBy: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.5',
  experiment:
    'Sinusoidal encodings of 400 positions with d_model 64, each moved by k with the same rotation matrix. ' +
    'Nothing is trained; for comparison a matrix is fitted to a table of random encodings.',
  sketch: {
    input: ['PE(0)', 'PE(1)', '…', 'PE(399)'],
    stacks: [{ parts: ['one rotation for k'] }],
    output: 'PE(k) … PE(399 + k)?',
    width: 64,
  },
  literature: {
    for: ['Su et al. 2021, “RoFormer: Enhanced Transformer with Rotary Position Embedding”'],
    against: ['Yan et al. 2019, “TENER”: the product of two encodings knows their distance, not its direction'],
  },
  why:
    'Each pair (sin ω·pos, cos ω·pos) turns by the angle k·ω when pos grows by k. That rotation is the same for ' +
    'every pos.',
  limits: 'That a model uses it. The product PE(pos)·PE(pos + k) is the same for k and −k, and not monotone.',
  overturn: 'An offset at which no one matrix takes each encoding to the one k places on.',
  quotes: [
    {
      text: 'for any fixed offset k, PE_{pos+k} can be represented as a linear function of PE_pos',
      from: 'Vaswani et al. 2017, section 3.5',
    },
  ],
  choices: [
    { label: 'One matrix moves every position by k, also positions that it was not made for.', verdict: 'true' },
    { label: 'It moves the first 50 positions only.', verdict: 'it depends' },
    { label: 'No matrix does.', verdict: 'false' },
  ],
  inputs: [
    {
      name: 'table',
      label: 'Positions',
      values: ['sinusoidal', 'random'],
      default: 'sinusoidal',
      controls: ['random'],
    },
    { name: 'offset', label: 'Offset k', values: [1, 2, 5, 10, 50], default: 5 },
  ],
  scales: [
    { name: 'offset', label: 'Offset k', values: [1, 2, 5, 10, 50, 500] },
    { name: 'width', label: 'Width d_model', values: [16, WIDTH, 128, 256], default: WIDTH },
    { name: 'positions', label: 'Positions', values: [POSITIONS, 1000, 4000], default: POSITIONS },
  ],
  seeded: true,
  expected: [
    {
      name: 'rotationError',
      label: 'Largest error of the rotation by k·ω',
      range: [0, 1.2e-7],
      tolerance: { absolute: 8.8e-7 },
    },
    { name: 'productSpread', label: 'Spread of PE(pos)·PE(pos + k) over positions', range: [0, 1e-5] },
    { name: 'normError', label: 'Largest | ‖PE‖² − d/2 |', range: [0, 1e-5] },
    { name: 'rises', label: 'Offsets at which the product rises again', range: [1, POSITIONS] },
    {
      name: 'fitError',
      label: 'Error of a fitted map at positions that it was not fitted to',
      at: { table: 'random' },
      range: [6.73, 6.94],
      tolerance: { relative: 0.04 },
    },
  ],
  contrast: { table: 'random' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { table, offset, width, positions, seeds } = settingsOf(claim, params);
  const pe = gf.positionalEncoding({ d_model: width, length: positions + offset });
  const [from, to] = parts(pe, offset);
  const turned = gf.matmul(from, rotation(offset, width));
  const along = gf.dot(from, to).data;
  const norms = gf.dot(pe, pe).data;
  const byOffset = gf.matmul(from, { data: pe.data.slice(0, width), shape: [width, 1] }).data;
  const exact = {
    rotationError: largestDifference(turned.data, to.data),
    nearError: largestDifference(turned.data.slice(0, NEAR * width), to.data.slice(0, NEAR * width)),
    productSpread: largest(along) - smallest(along),
    normError: largest(norms.map((square) => Math.abs(square - width / 2))),
    rises: byOffset.filter((product, k) => k > 0 && product > byOffset[k - 1]).length,
  };
  return overSeeds(
    table === 'random' ? seeds : seeds.slice(0, 1),
    (seed) => {
      // of the same norm as the sinusoids
      const random = normal(randomOf(seed, claim.name), pe.shape, Math.SQRT1_2);
      const used = table === 'random' ? random : pe;
      return { fitError: fitted(gf, used, offset), products: around(gf, used) };
    },
    onProgress,
    signal,
    (lists) => ({ ...exact, ...lists, around: AROUND }),
  );
}

/**
 * The product of the row in the middle with each around it.
 * @param {import('glassformer').Engine} gf
 * @param {import('./shared/numbers.js').Tensor} table
 */
function around(gf, { data, shape: [, width] }) {
  const first = (POSITIONS >> 1) - AROUND;
  const row = (/** @type {number} */ at) => data.slice(at * width, (at + 1) * width);
  const a = Array.from({ length: 2 * AROUND + 1 }, (_, i) => row(first + i));
  return [...gf.matmul(a, [row(first + AROUND)], { transposeB: true }).data];
}

/**
 * The block-diagonal matrix that turns each pair (sin, cos) by k·ω, for rows from the left.
 * @param {number} k
 * @param {number} width
 */
function rotation(k, width) {
  const data = new Float32Array(width * width);
  for (let c = 0; c < width; c += 2) {
    const angle = k / 10000 ** (c / width);
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
    data.set([cos, -sin], c * width + c);
    data.set([sin, cos], (c + 1) * width + c);
  }
  return { data, shape: [width, width] };
}

/**
 * The first positions, and those k further on.
 * @param {import('./shared/numbers.js').Tensor} table
 * @param {number} k
 */
const parts = ({ data, shape: [rows, width] }, k) =>
  [0, k].map((start) => ({ data: data.slice(start * width, (start + rows - k) * width), shape: [rows - k, width] }));

/**
 * Fits a map to every other position and gives its error at the rest, root mean square of the rows' norms.
 * @param {import('glassformer').Engine} gf
 * @param {import('./shared/numbers.js').Tensor} table
 * @param {number} k
 */
function fitted(gf, table, k) {
  const [from, to] = parts(table, k).map(rowsOf);
  const half = (/** @type {number[][]} */ rows, /** @type {number} */ odd) => rows.filter((_, r) => r % 2 === odd);
  const map = leastSquares(half(from, 0), half(to, 0), RIDGE);
  const found = gf.matmul(half(from, 1), map);
  const wanted = half(to, 1).flat();
  const squares = found.data.reduce((sum, value, i) => sum + (value - wanted[i]) ** 2, 0);
  return Math.sqrt(squares / (from.length / 2));
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  ({ rotationError, nearError }) => ({
    verdict: rotationError < SAME ? 'true' : nearError < SAME ? 'it depends' : 'false',
    on: 'the position',
    found: `Turning each pair by k·ω gives PE(pos + k) within ${say(rotationError)}.`,
  }),
  ({ rotationError, fitError }, { table, offset }) =>
    table === 'random'
      ? `A map fitted to half the rows of a random table misses the others by ${say(fitError)}, ` +
        'as much as a row is long: the sinusoids make it possible.'
      : `At an offset of ${offset} the rotation gives PE(pos + k) within ${say(rotationError)} too.`,
);

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ table, seed }) =>
  inExplore(
    { d_model: 64, positions: table === 'random' ? 'learned' : 'sinusoidal', seed, node: 'positions' },
    'PE of the places of a sentence, and the products of each with each',
  );

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ products, around, rotationError, fitError }, params) {
  const { table = 'sinusoidal', offset = 5 } = params;
  return [
    {
      kind: 'curves',
      title: `PE(pos)·PE(pos + k), ${table === 'random' ? 'random vectors' : 'sinusoids'}`,
      note: 'It depends on the offset alone, is the same to both sides, and does not fall steadily.',
      x: { title: 'offset k', low: -around, high: around },
      y: { title: 'dot product' },
      series: [{ name: String(table) }],
      lines: bySeed(params, 0, products, (i) => i - around, {
        dots: false,
        ...(table === 'random' ? {} : { label: '' }),
      }),
      levels: [{ name: `k = ${offset}`, at: Number(offset), vertical: true }],
      ...(table === 'random' ? { note: 'Each position is nearly orthogonal to every other.' } : {}),
    },
    {
      kind: 'rows',
      title: 'How far PE(pos + k) is missed',
      x: { title: 'error', log: true, low: 1e-8, high: 100 },
      rows: [
        { label: 'Sinusoids turned by k·ω: largest error', marks: marks(params, rotationError) },
        {
          label: `Map fitted to ${table === 'random' ? 'random vectors' : 'sinusoids'}: at other positions`,
          marks: marks(params, table === 'random' ? fitError : fitError[0]),
        },
      ],
    },
  ];
}
