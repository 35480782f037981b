import { outcomeOf, settingsOf, verdictOf } from './shared/claim.js';
import { inExplore } from './shared/explore.js';
import { say } from './shared/numbers.js';
import { marks } from './shared/picture.js';
import { stepper } from './shared/steps.js';
import { percent } from './shared/train.js';

const WIDTH = 512;

/** @type {import('./shared/claim.js').Claim} */
export const claim = {
  number: 22,
  name: 'The width of the feed-forward network',
  sentence: 'The feed-forward network is a “bottleneck” of width 4·d_model.',
  saidBy: 'IntVML, question DL0045, which also says that it expands; the paper has no such word',
  source: 'https://intvml.com/dl0045-dimension-in-ffn/',
  experiment:
    'Nothing is run: one layer with d_model 512 and d_ff 2,048 is created and its parameters are counted. The ' +
    'same is counted for a decoder layer, which has cross-attention as well.',
  sketch: {
    input: ['one vector'],
    stacks: [{ layers: 1, parts: ['attention: 8', 'FFN: 2048'] }],
    output: 'parameters, counted',
    width: 512,
  },
  literature: {
    for: [],
    against: ['Vaswani et al. 2017, “Attention Is All You Need”, section 3.3: d_model = 512, d_ff = 2048'],
  },
  why:
    'The hidden layer has d_ff = 4·d_model numbers, four times as many as its input. Its 2·d_model·d_ff weights ' +
    'stand beside 4·d_model² of an attention: two to one, or one to one in a decoder layer that has two.',
  limits: 'Embeddings, output head and LayerNorms are not counted. What width the task needs.',
  overturn: 'A count of parameters in which the hidden layer is narrower than d_model.',
  quotes: [
    {
      text: 'This design acts as a bottleneck, balancing expressiveness and efficiency',
      from: 'IntVML, question DL0045',
    },
    { text: 'the inner-layer has dimensionality d_ff = 2048', from: 'Vaswani et al. 2017, section 3.3' },
  ],
  choices: [
    { label: 'Its hidden layer is narrower than its input.', verdict: 'true' },
    { label: 'It widens, and has most of an encoder layer’s parameters.', verdict: 'false' },
    { label: 'It widens, but has the smaller part of them.', verdict: 'it depends' },
  ],
  guess: { name: 'share', from: 0, to: 1 },
  inputs: [{ name: 'd_ff', label: 'd_ff (d_model = 512)', values: [256, 512, 1024, 2048], default: 2048 }],
  scales: [
    { name: 'width', label: 'Width d_model, at d_ff of 4 d_model', values: [64, 256, WIDTH, 1024], default: WIDTH },
  ],
  seeded: false,
  expected: [
    { name: 'feedForward', label: 'Parameters of the FFN', range: [2_099_712, 2_099_712] },
    { name: 'attention', label: 'Parameters of attention', range: [1_050_624, 1_050_624] },
    {
      name: 'share',
      label: 'Share of the FFN in an encoder layer',
      range: [2 / 3, 2 / 3],
      tolerance: { absolute: 0.001 },
      share: true,
    },
    {
      name: 'decoderShare',
      label: 'Share of the FFN where there is cross-attention',
      range: [0.5, 0.5],
      tolerance: { absolute: 0.001 },
      share: true,
    },
    {
      name: 'share',
      label: 'Share of the FFN',
      at: { d_ff: 1024 },
      range: [0.4999, 0.4999],
      tolerance: { absolute: 1e-4 },
      share: true,
    },
  ],
  contrast: { d_ff: 256 },
};

/** @type {import('./shared/claim.js').ClaimModule['run']} */
export async function run(gf, params, onProgress, signal) {
  const { d_ff: neurons, width } = settingsOf(claim, params);
  const d_ff = (neurons * width) / WIDTH;
  await stepper(1, onProgress, signal)();
  const model = gf.createModel({ kind: 'encoder', d_model: width, heads: 8, d_ff, layers: 1 });
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
    decoderShare: feedForward / (feedForward + 2 * attention),
    widening: d_ff / width,
    width,
  };
}

/** @type {import('./shared/claim.js').ClaimModule['outcome']} */
export const outcome = outcomeOf(
  claim,
  (numbers) => ({
    verdict: verdictOf([numbers.widening < 1, numbers.share < 0.5]),
    on: 'what is counted',
    found: width(numbers),
  }),
  width,
);

/** @param {any} numbers */
function width({ share, decoderShare, widening }) {
  return (
    `Its hidden layer has ${say(widening)} times the width of its input${widening > 1 ? ', it widens' : ''}. ` +
    `It holds ${percent(share)} of the parameters of an encoder layer, ` +
    `${percent(decoderShare)} where there is cross-attention.`
  );
}

/** @type {import('./shared/explore.js').MatchingOf} */
export const matching = ({ d_ff }) =>
  inExplore({ layers: 1, heads: 8, d_model: 512, d_ff, node: 'ffn' }, 'a layer of this size: d_ff neurons a word');

/** @type {import('./shared/picture.js').PictureOf} */
export function picture({ feedForward, attention, width, widening }) {
  const bars = (/** @type {[string, number][]} */ list) =>
    list.map(([label, value]) => ({ label, marks: marks({}, value) }));
  return [
    {
      kind: 'rows',
      title: 'Numbers a token has on its way through the FFN',
      bars: true,
      x: { title: 'width', low: 0 },
      rows: bars([
        ['Input, d_model', width],
        ['Hidden layer, d_ff', width * widening],
        ['Output, d_model', width],
      ]),
    },
    {
      kind: 'rows',
      title: 'Parameters of a layer',
      bars: true,
      x: { title: 'parameters', low: 0 },
      rows: bars([
        ['Attention', attention],
        ['Feed-forward network', feedForward],
      ]),
    },
  ];
}
