import { makeReverse } from 'glassformer/tasks';
import { settingsOf } from '../shared/claim.js';
import { largestDifference, normal, randomOf, say, smallest } from '../shared/numbers.js';
import { overTrainings, percent, shareRight, train, trained, withModel } from '../shared/train.js';

const [LENGTH, WIDTH, EVERY] = [6, 16, 25];
export const HELD_OUT = 256;
export const task = makeReverse({ length: LENGTH });
export const DESIGNS = /** @type {Record<string, any>} */ ({
  'post-LN': { norm: 'post' },
  'pre-LN': { norm: 'pre', finalNorm: true },
  'no LayerNorm': { norm: 'none' },
  'no residual': { norm: 'post', residual: false },
});
const SHARE = { tolerance: { absolute: 0.1 }, share: true };

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 16,
  name: 'Training of a deep network',
  sentence: 'With LayerNorm(x + Sublayer(x)) a layer can be the identity, so that very deep networks train.',
  source: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.1; Xiong et al. 2020 for pre-LN',
  quotes: ['the output of each sub-layer is LayerNorm(x + Sublayer(x))'],
  choices: [
    { label: 'A layer whose sublayers give 0 passes x on, and the deep network learns.', verdict: 'holds' },
    { label: 'One of the two.', verdict: 'holds only if' },
    { label: 'Neither.', verdict: 'fails' },
  ],
  inputs: [
    { name: 'design', label: 'Layers', values: Object.keys(DESIGNS), default: 'post-LN' },
    { name: 'layers', label: 'Number of layers', values: [2, 6, 12], default: 12 },
    { name: 'learningRate', label: 'Learning rate', values: [1e-3, 2e-3, 5e-3], default: 5e-3 },
  ],
  long: true,
  seeded: true,
  expected: [
    { name: 'share', label: 'Digits right at step 250', range: [0.24, 0.31], ...SHARE },
    {
      name: 'steps',
      label: 'Steps to 99 % (∞: not reached)',
      at: { design: 'pre-LN' },
      range: [175, 250],
      tolerance: { absolute: EVERY },
    },
    { name: 'identity', label: '|output − x| where the sublayers give 0', at: { design: 'pre-LN' }, range: [0, 0] },
    {
      name: 'peak',
      label: 'Highest loss of a batch, in nats',
      at: { design: 'no LayerNorm' },
      range: [260, 470],
      tolerance: { relative: 0.1 },
    },
    { name: 'share', label: 'Digits right at step 250', at: { design: 'no residual' }, range: [0.1, 0.19], ...SHARE },
  ],
  flip: { params: { design: 'pre-LN' }, verdict: 'holds' },
};

export const STEPS = 250;

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { design, layers, learningRate, seeds } = settingsOf(claim, params);
  const result = await overTrainings(
    seeds,
    STEPS,
    async (seed, step) => {
      /** @type {Course} */
      const course = { share: NaN, steps: Infinity, peak: 0, curve: [], losses: [] };
      (await learn(gf, { design, layers, learningRate, seed }, step, course)).free();
      return course;
    },
    onProgress,
    signal,
  );
  return { ...result, ...(await passing(gf, configOf(design), seeds[0])), every: EVERY };
}

/** @param {string} design */
const configOf = (design) => ({ ...task.config, d_model: WIDTH, d_ff: 2 * WIDTH, ...DESIGNS[design] });

/**
 * The model of a seed, as `run` trains it.
 * @typedef {{share: number, steps: number, peak: number, curve: number[], losses: number[]}} Course
 * @param {import('../shared/train.js').Engine} gf
 * @param {{design: string, layers: number, learningRate: number, seed: number}} settings
 * @param {() => Promise<void>} step
 * @param {Partial<Course>} [course] takes what is measured
 */
export function learn(gf, { design, layers, learningRate, seed }, step, course = {}) {
  return trained(gf, { ...configOf(design), layers, seed }, (model) => {
    const heldOut = task.heldOut(seed, { count: HELD_OUT }).map(({ batch }) => batch);
    const all = task.batches(seed);
    const trainer = model.trainer(/** @type {any} */ ({ ...task.trainer, learningRate }));
    const after = (/** @type {number} */ at, /** @type {number} */ loss) => {
      course.peak = Math.max(course.peak ?? 0, loss);
      if (at % EVERY > 0) return false;
      const share = heldOut.reduce((sum, batch) => sum + shareRight(model, batch), 0) / heldOut.length;
      course.share = share;
      course.curve?.push(share);
      course.losses?.push(loss);
      if (share >= 0.99) course.steps = at;
      return share >= 0.99;
    };
    return train(trainer, () => all.next().value, STEPS, step, after);
  });
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ share, steps, peak, identity, normalised }) {
  const passes =
    identity < 1e-6
      ? 'A layer whose sublayers give 0 passes x on'
      : normalised < 1e-4
        ? 'A layer whose sublayers give 0 passes on LayerNorm(x), not x'
        : 'A layer whose sublayers give 0 does not pass x on';
  const learns = smallest(share) >= 0.95;
  const learning = learns
    ? `${percent(share)} of the digits are right at step ${say(steps.map(reached))}`
    : `at step ${STEPS} ${percent(share)} of the digits are right; the highest loss was ${say(peak)}`;
  const verdicts = /** @type {const} */ (['fails', 'holds only if', 'holds']);
  return { verdict: verdicts[Number(identity < 1e-6) + Number(learns)], why: `${passes}; ${learning}.` };
}

/** The step of a share of 99 %, or the last. @param {number} at */
const reached = (at) => Math.min(at, STEPS);

/**
 * What a layer makes of x whose sublayers' last weights are 0.
 * @param {import('../shared/train.js').Engine} gf
 * @param {any} config
 * @param {number} seed
 */
function passing(gf, config, seed) {
  const one = { ...config, vocabulary: 0, positions: 'none', head: 'none', layers: 1, finalNorm: false, seed };
  return withModel(gf, one, (model) => {
    for (const name of ['self_attn.out_proj', 'linear2'])
      for (const part of ['weight', 'bias']) model.view(`encoder.layers.0.${name}.${part}`).fill(0);
    const vectors = gf.tensor(normal(randomOf(seed, claim.name), [LENGTH, WIDTH]));
    const { output } = model.forward({ vectors });
    return {
      identity: largestDifference(output.data, vectors.data),
      normalised: largestDifference(output.data, gf.layerNorm({ x: vectors }).output.data),
    };
  });
}
