import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { median } from './shared/numbers.js';
import { bySeed } from './shared/picture.js';
import { overTrainings, percent } from './shared/train.js';
import { RATE, teach, translated, TRANSLATOR, WIDTHS } from './shared/translator.js';

const BEAMS = [1, 4, 8, 16, 32];
const [FEW, MANY] = [1, 4]; // places in BEAMS
/** The gain from which on we say “better”, at eight times the work: three words of a hundred. */
const BETTER = 0.03;
const SCORES = /** @type {const} */ ({ Sum: 0, Mean: 1 });

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 50,
  name: 'Wider beams',
  sentence: 'The more beams a search keeps, the better the translation: it misses fewer likely ones.',
  saidBy: 'often said; refuted by Koehn and Knowles 2017, “Six Challenges for Neural Machine Translation”, section 3.6',
  experiment:
    'An encoder–decoder learns a small English and French in 100 steps, so that it still errs. It translates 64 ' +
    'sentences with 1 to 32 beams, which score a sequence by the sum of its log-probabilities or by their mean.',
  sketch: { ...TRANSLATOR, steps: 100 },
  literature: {
    for: ['Graves 2012, “Sequence Transduction with Recurrent Neural Networks”'],
    against: [
      'Koehn and Knowles 2017, “Six Challenges for Neural Machine Translation”',
      'Stahlberg and Byrne 2019, “On NMT Search Errors and Model Errors: Cat Got Your Tongue?”',
      'Murray and Chiang 2018, “Correcting Length Bias in Neural Machine Translation”',
    ],
  },
  why:
    'Each further word makes a sequence less likely, so the likeliest ones are short: with enough beams the search ' +
    'finds them, down to the empty one. The mean makes up for the length, and a few beams find what it likes best.',
  limits:
    'One grammar, and a model that has seen 3,200 sentences; one that has learned them all gives the same with 4 and ' +
    '32 beams. By the mean, 32 spare up to two words of a hundred at other widths and rates: our cutoff is three, ' +
    'for eight times the work.',
  overturn: 'Three words of a hundred less to be mended with 32 beams than with 4, by the sum or by the mean.',
  choices: [
    { label: 'With 32 beams clearly fewer words are wrong than with 4, by either score.', verdict: 'true' },
    { label: 'By one of the two scores.', verdict: 'it depends' },
    { label: 'By neither.', verdict: 'false' },
  ],
  guess: { name: 'length', from: 0, to: 1.2 },
  inputs: [{ name: 'steps', label: 'Steps of training', values: [100, 200, 400], default: 100 }],
  scales: WIDTHS,
  long: true,
  seeded: true,
  expected: [
    share('few', 'Sum, 4 beams: words wrong', [0.493, 0.621]),
    share('many', 'Sum, 32 beams: words wrong', [0.703, 0.926]),
    share('length', 'Sum, 32 beams: words written, of the right translations’', [0.13, 0.48]),
    share('fewByMean', 'Mean, 4 beams: words wrong', [0.469, 0.614]),
    share('manyByMean', 'Mean, 32 beams: words wrong', [0.466, 0.629]),
  ],
  contrast: { steps: 400 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { seeds, width, steps, learningRate = RATE } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    steps,
    async (seed, step) => {
      /** @type {Record<string, any>} */
      const numbers = {};
      await teach(gf, { seed, width, learningRate, steps: 600 }, step, [steps], async (model, pairs) => {
        for (const [name, lengthPenalty] of Object.entries(SCORES)) {
          const all = [];
          for (const beams of BEAMS) all.push(await translated(model, pairs, beams, lengthPenalty));
          numbers[`wrong${name}`] = all.map(({ wrong }) => wrong);
          numbers[`length${name}`] = all.map(({ length }) => length);
        }
      });
      return {
        ...numbers,
        few: numbers.wrongSum[FEW],
        many: numbers.wrongSum[MANY],
        length: numbers.lengthSum[MANY],
        fewByMean: numbers.wrongMean[FEW],
        manyByMean: numbers.wrongMean[MANY],
      };
    },
    onProgress,
    signal,
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(
      ['', 'ByMean'].map((score) => median(numbers[`few${score}`]) - median(numbers[`many${score}`]) >= BETTER),
    ),
    on: 'the score of a sequence',
    found: found(numbers),
  }),
  (numbers, { steps }) => `After ${steps} steps: ${found(numbers)}`,
);

/** @param {any} numbers */
const found = ({ few, many, length, fewByMean, manyByMean }) =>
  `By the sum, 4 beams leave ${percent(few)} of the words wrong, 32 beams ${percent(many)}: they write ` +
  `${percent(length)} of the words. By the mean it is ${percent(fewByMean)} and ${percent(manyByMean)}.`;

/** @type {import('./shared/picture.js').PictureOf} */
export function picture(numbers, params) {
  const shared = { series: [{ name: 'sum' }, { name: 'mean' }], x: { title: 'beams', log: true, ticks: BEAMS } };
  const lines = (/** @type {string} */ measure) =>
    Object.keys(SCORES).flatMap((name, i) => bySeed(params, i, numbers[`${measure}${name}`], (at) => BEAMS[at]));
  return [
    {
      kind: 'curves',
      title: 'Words to be put in, taken out or changed, for each word of the right translations',
      ...shared,
      y: { title: 'words wrong', low: 0, percent: true },
      lines: lines('wrong'),
    },
    {
      kind: 'curves',
      title: 'Words written, for each word of the right translations',
      ...shared,
      y: { title: 'words written', low: 0, percent: true },
      lines: lines('length'),
    },
  ];
}
