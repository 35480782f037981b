import { makeSquare } from 'glassformer/tasks';
import { bends, brokenLine, curve } from '../shared/broken-line.js';
import { settingsOf } from '../shared/claim.js';
import { largest, say } from '../shared/numbers.js';
import { overSeeds, stepper } from '../shared/steps.js';

const STEPS = 1500;
/** Points of a piece, and the bend between two that counts as a kink. */
const [POINTS, KINK] = [8, 1e-5];

/**
 * @param {number} neurons
 * @param {number} best error
 * @returns {import('../shared/claim.js').Expected[]}
 */
const approximation = (neurons, best) => [
  {
    name: 'bestError',
    label: 'Largest error of the best broken line, h²/8',
    at: { neurons },
    range: [best, best],
    tolerance: { absolute: 1e-6 },
  },
  {
    name: 'interpolationError',
    label: 'Largest error of the line through x² at its kinks, h²/4',
    at: { neurons },
    range: [2 * best, 2 * best],
    tolerance: { absolute: 1e-6 },
  },
  { name: 'kinks', label: 'Kinks', at: { neurons }, range: [neurons, neurons] },
  { name: 'ratio', label: 'Largest error after Adam, over the best', at: { neurons }, range: [1.4, 37] },
];

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 7,
  name: 'Kinks of ReLU neurons',
  sentence: 'N ReLU neurons make N kinks and N + 1 straight pieces, and approximate x² as well as wanted.',
  source: 'Goodfellow, Bengio and Courville 2016, “Deep Learning”, section 6.4.1; Yarotsky 2017, arXiv:1610.01145',
  choices: [
    { label: 'There are N kinks, and the smallest possible error falls as 1/(N + 1)².', verdict: 'holds' },
    { label: 'There are N kinks, but beyond some N the error stops falling.', verdict: 'holds only if' },
    { label: 'The number of kinks is not N.', verdict: 'fails' },
  ],
  inputs: [
    { name: 'neurons', label: 'Neurons N', values: [2, 4, 8, 16, 32], default: 8 },
    { name: 'activation', label: 'Activation', values: ['relu', 'gelu', 'silu'], default: 'relu' },
  ],
  seeded: true,
  expected: [8, 4, 16].flatMap((neurons) => approximation(neurons, 1 / (2 * (neurons + 1) ** 2))),
  flip: { params: { activation: 'gelu' }, verdict: 'fails' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { neurons, activation, seeds } = settingsOf(claim, params);
  const h = 2 / (neurons + 1);
  const x = Array.from({ length: POINTS * (neurons + 1) + 1 }, (_, i) => -1 + (i * h) / POINTS);
  const errorOf = (/** @type {ArrayLike<number>} */ y) => largest(x.map((one, i) => Math.abs(y[i] - one * one)));
  const [through, best] = [0, h ** 2 / 8].map((lower) => curve(gf, x, brokenLine(neurons, lower), activation));
  const step = stepper(seeds.length * STEPS, onProgress, signal);
  const task = makeSquare({ hidden: neurons });
  const { ratio, learnt } = await overSeeds(seeds, async (seed) => {
    const model = gf.createModel({ ...task.config, activation, seed });
    try {
      model.loadWeights(task.initial(seed), { strict: false });
      const trainer = model.trainer(task.trainer);
      const batch = task.heldOut();
      for (let i = 0; i < STEPS; i++) {
        await step();
        trainer.step(task.batch(i, seed));
      }
      const { data } = model.forward({ vectors: batch.vectors }).output;
      const line = model.forward({ vectors: gf.tensor([x.map((one) => [one])]) }).output.data;
      const error = largest(data.map((y, i) => Math.abs(y - batch.targets.data[i])));
      return { ratio: error / (h ** 2 / 8), learnt: [...line] };
    } finally {
      model.free();
    }
  });
  onProgress?.(1);
  return {
    kinks: bends(best).filter((bend) => Math.abs(bend) > KINK).length,
    interpolationError: errorOf(through),
    bestError: errorOf(best),
    ratio,
    x,
    best: [...best],
    learnt,
  };
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ kinks, bestError, ratio }, params) {
  const { neurons } = settingsOf(claim, params);
  if (kinks !== neurons || Math.abs(bestError - 1 / (2 * (neurons + 1) ** 2)) > 1e-5)
    return {
      verdict: 'fails',
      why: `It is bent at ${kinks} points on the way, off x² by ${say(bestError)}: no broken line.`,
    };
  return {
    verdict: 'holds',
    why:
      `${kinks} kinks; the best such line misses x² by at most ${say(bestError)}, ` +
      `what Adam learns by ${say(ratio)} times that.`,
  };
}
