import { settingsOf } from '../shared/claim.js';
import { say } from '../shared/numbers.js';
import { stepper } from '../shared/steps.js';

const WIDTH = 512;

/** @type {import('../shared/claim.js').Claim} */
export const claim = {
  number: 22,
  name: 'The width of the feed-forward network',
  sentence: 'The feed-forward network is a “bottleneck” of width 4·d_model.',
  source: 'Vaswani et al. 2017, “Attention Is All You Need”, section 3.3',
  quotes: ['the inner-layer has dimensionality d_ff = 2048'],
  choices: [
    { label: 'Its hidden layer is narrower than its input.', verdict: 'holds' },
    { label: 'It widens, and has most of a layer’s parameters.', verdict: 'fails' },
  ],
  inputs: [{ name: 'd_ff', label: 'd_ff (d_model = 512)', values: [256, 512, 1024, 2048], default: 2048 }],
  seeded: false,
  expected: [
    { name: 'feedForward', label: 'Parameters of the FFN', range: [2_099_712, 2_099_712] },
    { name: 'attention', label: 'Parameters of attention', range: [1_050_624, 1_050_624] },
    { name: 'share', label: 'Share of the FFN', range: [2 / 3, 2 / 3], tolerance: { absolute: 0.001 }, share: true },
    {
      name: 'share',
      label: 'Share of the FFN',
      at: { d_ff: 1024 },
      range: [0.4999, 0.4999],
      tolerance: { absolute: 1e-4 },
      share: true,
    },
  ],
  flip: { params: { d_ff: 256 }, verdict: 'holds' },
};

/** @type {import('../shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { d_ff } = settingsOf(claim, params);
  await stepper(1, onProgress, signal)();
  const model = gf.createModel({ kind: 'encoder', d_model: WIDTH, heads: 8, d_ff, layers: 1 });
  const weights = model.tensors().filter(({ region }) => region === 'weight');
  model.free();
  const count = (/** @type {RegExp} */ name) =>
    weights
      .filter((one) => name.test(one.name))
      .reduce((sum, { shape }) => sum + shape.reduce((product, n) => product * n, 1), 0);
  const [feedForward, attention] = [count(/\.linear\d\./), count(/\.self_attn\./)];
  onProgress?.(1);
  return {
    feedForward,
    attention,
    share: feedForward / (feedForward + attention),
    widening: d_ff / WIDTH,
    width: WIDTH,
  };
}

/** @type {import('../shared/claim.js').ClaimModule['verdict']} */
export function verdict({ share, widening }) {
  const percent = `${say(100 * share)} % of the parameters`;
  return widening < 1
    ? { verdict: 'holds', why: `Its hidden layer has ${say(widening)} times the width of its input, and ${percent}.` }
    : {
        verdict: 'fails',
        why: `Its hidden layer has ${say(widening)} times the width of its input, and ${percent}: no bottleneck.`,
      };
}
