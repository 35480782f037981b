import { outcomeOf, settingsOf, sharesWithin, verdictOf } from './shared/claim.js';
import { median } from './shared/numbers.js';
import { bySeed, seedsOf } from './shared/picture.js';
import { overTrainings, percent } from './shared/train.js';
import { RATE, teach, translated, TRANSLATOR, WIDTHS } from './shared/translator.js';

/** Steps after which it translates. */
const STOPS = [100, 300, 600];
const STEPS = 600;
/** The gain from which on we say “better”: one word of a hundred. */
const BETTER = 0.01;
const PER_WORD = 'per word';

const share = sharesWithin(0.05);

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 49,
  name: 'Beam search',
  sentence: 'Beam search gives better translations than always taking the likeliest next word.',
  saidBy: 'Sutskever et al. 2014, “Sequence to Sequence Learning with Neural Networks”, section 3.2',
  experiment:
    'An encoder–decoder learns a small English and French in 600 steps. After 100, 300 and 600 it translates 64 ' +
    'sentences that it has never met, greedily and with 4 beams, and we count the words to be mended.',
  sketch: TRANSLATOR,
  literature: {
    for: [
      'Sutskever et al. 2014, “Sequence to Sequence Learning with Neural Networks”',
      'Vaswani et al. 2017, “Attention Is All You Need”, section 6.1',
    ],
    against: ['Stahlberg and Byrne 2019, “On NMT Search Errors and Model Errors: Cat Got Your Tongue?”'],
  },
  why:
    'A greedy translator cannot take a word back. While the model is unsure, the likeliest word is often the wrong ' +
    'one, and what follows shows it. Once each step has one likely word, all searches find the same sentence.',
  limits:
    'One grammar, in which a sentence has one right translation. Real sentences have many, and a model stays unsure: ' +
    'there 4 beams gain some points of BLEU. A word of a hundred is our cutoff.',
  overturn: 'After 600 steps, 4 beams that leave a word of a hundred less to be mended.',
  choices: [
    { label: 'With beams fewer words are wrong, however long it has learned.', verdict: 'true' },
    { label: 'At some of the three moments fewer are.', verdict: 'it depends' },
    { label: 'At none.', verdict: 'false' },
  ],
  guess: { name: 'greedy100', from: 0, to: 1 },
  inputs: [
    { name: 'beams', label: 'Beams', values: [2, 4, 8], default: 4 },
    { name: 'score', label: 'Score of a sequence', values: [PER_WORD, 'sum'], default: PER_WORD },
  ],
  scales: WIDTHS,
  long: true,
  seeded: true,
  expected: [
    share('greedy100', 'After 100 steps, greedily: words wrong', [0.519, 0.656]),
    share('beams100', 'After 100 steps, with beams: words wrong', [0.469, 0.614]),
    share('greedy300', 'After 300 steps, greedily: words wrong', [0.04, 0.092], {}, 0.02),
    share('beams300', 'After 300 steps, with beams: words wrong', [0.037, 0.072], {}, 0.02),
    share('greedy600', 'After 600 steps, greedily: words wrong', [0.004, 0.019], {}, 0.01),
    share('beams600', 'After 600 steps, with beams: words wrong', [0.003, 0.018], {}, 0.01),
  ],
  contrast: { score: 'sum' },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { beams, score, seeds, width, learningRate = RATE } = settingsOf(claim, params);
  return overTrainings(
    seeds,
    STEPS,
    async (seed, step) => {
      /** @type {Record<string, number>} */
      const numbers = {};
      await teach(gf, { seed, width, learningRate, steps: STEPS }, step, STOPS, async (model, pairs, at) => {
        const greedy = (await translated(model, pairs, 1)).wrong;
        const searched = (await translated(model, pairs, beams, Number(score === PER_WORD))).wrong;
        Object.assign(numbers, {
          [`greedy${at}`]: greedy,
          [`beams${at}`]: searched,
          [`spared${at}`]: greedy - searched,
        });
      });
      return numbers;
    },
    onProgress,
    signal,
  );
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf(STOPS.map((at) => median(numbers[`spared${at}`]) >= BETTER)),
    on: 'how much the model still has to learn',
    found: found(numbers, 4),
  }),
  (numbers, { beams, score }) =>
    `The score is ${score === PER_WORD ? 'the mean' : 'the sum'}. ${found(numbers, beams)}`,
);

/** @param {any} numbers @param {any} beams */
const found = (numbers, beams) =>
  STOPS.map(
    (at) =>
      `After ${at} steps ${percent(numbers[`greedy${at}`])} of the words are wrong greedily, ` +
      `${percent(numbers[`beams${at}`])} with ${beams} beams.`,
  ).join(' ');

/** @type {import('./shared/picture.js').PictureOf} */
export function picture(numbers, params) {
  const beams = `${params.beams ?? 4} beams`;
  const x = { title: 'steps', ticks: STOPS, low: 0 };
  /** @param {string} name @param {number} [series] */
  const lines = (name, series = 0) =>
    bySeed(
      params,
      series,
      seedsOf(params).map((_, seed) => STOPS.map((at) => numbers[`${name}${at}`][seed])),
      (at) => STOPS[at],
    );
  return [
    {
      kind: 'curves',
      title: `Wrong words that ${beams} spare, for each word of the right translations`,
      x,
      y: { title: 'fewer words wrong', percent: true },
      series: [{ name: 'greedy less beams' }],
      lines: lines('spared'),
      levels: [{ name: 'one word of a hundred', at: BETTER }],
    },
    {
      kind: 'curves',
      title: 'Words to be put in, taken out or changed, for each word of the right translations',
      x,
      y: { title: 'words wrong', low: 0, percent: true },
      series: [{ name: 'greedy' }, { name: beams }],
      lines: [...lines('greedy'), ...lines('beams', 1)],
    },
  ];
}
