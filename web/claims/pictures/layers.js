// Feed-forward network, norms, residuals, decoder: claims 7, 8, 10, 22, 13, 9, 16, 17, 18, 19.
import { STEP, bySeed, given, marks, range, seedsOf } from './picture.js';

/**
 * @typedef {import('./picture.js').Picture} Picture
 * @typedef {import('./picture.js').Params} Params
 * @typedef {import('./picture.js').Point} Point
 */

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function kinks({ x, best, learnt }, params) {
  const { neurons = 8, activation = 'relu' } = params;
  // where the slope changes by more than single precision does
  const bent = range(x.length).filter((i) => Math.abs(best[i - 1] - 2 * best[i] + best[i + 1]) > 1e-5);
  const isBroken = bent.length < x.length / 2;
  /** @param {(y: number, x: number) => number} of @returns {import('./picture.js').Line[]} */
  const lines = (of) => [
    ...bySeed(
      params,
      1,
      learnt.map((/** @type {number[]} */ y) => y.map((one, i) => of(one, x[i]))),
      (i) => x[i],
      { dots: false },
    ),
    {
      ...{ series: 0, label: '', joined: true, dots: isBroken && bent },
      points: x.map((/** @type {number} */ one, /** @type {number} */ i) => [one, of(best[i], one)]),
    },
  ];
  const target = { ...{ series: 2, label: '', joined: true, dots: false } };
  const series = [
    { name: isBroken ? `best for ${neurons} neurons, its kinks marked` : `the same weights with ${activation}` },
    { name: 'after Adam' },
    { name: 'x²', target: true },
  ];
  return {
    panels: [
      {
        kind: 'curves',
        title: `${neurons} neurons along x²`,
        ...{ x: { title: 'x' }, y: { title: 'output' }, series },
        lines: [{ ...target, points: x.map((/** @type {number} */ one) => [one, one * one]) }, ...lines((y) => y)],
      },
      {
        kind: 'curves',
        title: 'Distance from x²',
        x: { title: 'x' },
        y: { title: 'output − x²' },
        series,
        lines: [
          {
            ...target,
            points: [
              [-1, 0],
              [1, 0],
            ],
          },
          ...lines((y, one) => y - one * one),
        ],
      },
    ],
  };
}

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function extrapolation({ wholeX, wholeY }, { neurons = 16, activation = 'relu' }) {
  const points = (/** @type {(i: number) => number} */ y) =>
    wholeX.map((/** @type {number} */ x, /** @type {number} */ i) => [x, y(i)]);
  const line = { label: '', joined: true, dots: false };
  return {
    panels: [
      {
        kind: 'curves',
        title: `${neurons} neurons made for x² on [−1, 1], and their output beyond`,
        x: { title: 'x', low: -1, high: 5 },
        y: { title: 'output', low: -1, high: 25 },
        series: [{ name: `the network, ${activation}` }, { name: 'x²', target: true }],
        lines: [
          { ...line, series: 1, points: points((i) => wholeX[i] ** 2) },
          { ...line, series: 0, points: points((i) => wholeY[i]) },
        ],
        levels: [
          activation === 'relu'
            ? { name: 'last kink', at: 1 - 2 / (Number(neurons) + 1), vertical: true }
            : { name: 'end of [−1, 1]', at: 1, vertical: true },
        ],
      },
    ],
  };
}

/** @param {any} numbers @returns {Picture} */
export function linearLimits({ xorR2, andR2, andRight, productR2, positiveR2, ...maps }) {
  const results = [
    ['XOR: R²', xorR2],
    ['AND: R²', andR2],
    ['AND through a threshold at ½: share right', andRight],
    ['a×b on [−1, 1]²: R²', productR2],
    ['a×b on [0, 1]²: R²', positiveR2],
  ];
  const surface = (
    /** @type {string} */ title,
    /** @type {number} */ low,
    /** @type {any} */ wanted,
    /** @type {any} */ fit,
  ) =>
    given(wanted, () => {
      const labels = range(16).map((i) => String(Number((low + ((1 - low) * (4 * i + 2.5)) / 64).toFixed(2))));
      return [
        /** @type {import('./picture.js').Maps} */ ({
          ...{ kind: 'maps', title, scale: 'signed', columns: 16 },
          ...{ rowAxis: { title: 'a', labels }, columnAxis: { title: 'b', labels } },
          maps: [
            { title: 'a×b', values: wanted },
            { title: 'Best linear function', values: fit },
          ],
        }),
      ];
    });
  return {
    panels: [
      {
        kind: 'rows',
        title: 'What the best linear function gets',
        x: { title: 'share', low: 0, high: 1 },
        bars: true,
        rows: results.flatMap(([label, value]) =>
          given(value, () => [{ label: String(label), marks: marks({}, Number(value)) }]),
        ),
      },
      ...surface('a×b on [−1, 1]²', -1, maps.product, maps.productFit),
      ...surface('a×b on [0, 1]²', 0, maps.positive, maps.positiveFit),
    ],
  };
}

/** @param {any} numbers @returns {Picture} */
export function bottleneck({ feedForward, attention, width, widening }) {
  const bars = (/** @type {[string, number][]} */ list) =>
    list.map(([label, value]) => ({ label, marks: marks({}, value) }));
  return {
    panels: [
      {
        ...{ kind: 'rows', title: 'Numbers a token has on its way through the FFN', bars: true },
        x: { title: 'width', low: 0 },
        rows: bars([
          ['Input, d_model', width],
          ['Hidden layer, d_ff', width * widening],
          ['Output, d_model', width],
        ]),
      },
      {
        ...{ kind: 'rows', title: 'Parameters of a layer', bars: true },
        x: { title: 'parameters', low: 0 },
        rows: bars([
          ['Attention', attention],
          ['Feed-forward network', feedForward],
        ]),
      },
    ],
  };
}

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const keyValueMemory = ({ right, ffnOff, attentionOff, attentionOnly, kills }, params) => ({
  panels: [
    {
      kind: 'rows',
      title: 'Facts that the model knows',
      x: { title: 'share of the facts', low: 0, high: 1, percent: true },
      rows: [
        { label: 'Whole model', marks: marks(params, right) },
        { label: 'FFN off', marks: marks(params, ffnOff) },
        { label: 'Attention off', marks: marks(params, attentionOff) },
        { label: 'Model trained without an FFN', marks: marks(params, attentionOnly) },
      ],
    },
    {
      kind: 'curves',
      title: 'Facts left when one neuron is off',
      x: { title: 'neurons, the costliest first', low: 0 },
      y: { title: 'share of the facts', low: 0.9, high: 1, percent: true },
      series: [{ name: 'each neuron alone' }],
      lines: bySeed(
        params,
        0,
        kills.map((/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)),
        (i) => i + 1,
        { dots: false },
      ),
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export const normBound = ({ byScale, scales, norms }, params) => ({
  panels: [
    {
      kind: 'curves',
      title: 'Length of the longest row after LayerNorm',
      x: { title: 'size of the input', log: true, ticks: scales },
      y: { title: '‖LN(x)‖', low: 0 },
      series: [{ name: `ε = ${params.epsilon === 0 ? '0' : '10⁻⁵'}, γ = ${params.gain ?? 1}` }],
      lines: bySeed(params, 0, byScale, (i) => scales[i]),
      levels: [
        { name: '√d', at: 8 },
        { name: 'as chosen', at: Number(params.scale ?? 1), vertical: true },
      ],
    },
    {
      kind: 'rows',
      title: 'Length of each of 64 rows',
      x: { title: '‖LN(x)‖', low: 0 },
      rows: seedsOf(params).map((label, s) => ({
        label,
        marks: norms[s].map((/** @type {number} */ value, /** @type {number} */ row) => ({
          ...{ series: 0, label: `row ${row}`, value },
        })),
      })),
      levels: [{ name: '√d', at: 8 }],
    },
  ],
});

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function deepTraining({ curve, losses, identity, normalised, every }, params) {
  const series = [{ name: `${params.layers ?? 12} layers, ${params.design ?? 'post-LN'}` }];
  const step = (/** @type {number} */ i) => (i + 1) * every;
  return {
    panels: [
      {
        kind: 'curves',
        title: 'Held-out digits that are right',
        x: STEP,
        y: { title: 'share right', low: 0, high: 1, percent: true },
        series,
        lines: bySeed(params, 0, curve, step),
        levels: [{ name: '1 of 10 digits', at: 0.1 }],
      },
      {
        kind: 'curves',
        title: 'Loss of the batch',
        ...{ x: STEP, y: { title: 'nats a token', log: true }, series },
        lines: bySeed(params, 0, losses, step),
        levels: [{ name: 'ln 10', at: Math.log(10) }],
      },
      {
        kind: 'rows',
        title: 'What a layer makes of x when its sublayers give 0',
        x: { title: 'largest difference', log: true, low: 1e-8, high: 10 },
        rows: [
          { label: 'Output and x', marks: marks({}, identity) },
          { label: 'Output and LayerNorm(x)', marks: marks({}, normalised) },
        ],
      },
    ],
  };
}

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function vanishingGradients({ depths, ...numbers }, params) {
  const of = (/** @type {string} */ name, /** @type {number} */ series) => {
    const lists = numbers[`${name}${depths[0]}`].map((/** @type {number} */ _, /** @type {number} */ s) =>
      depths.map((/** @type {number} */ depth) => numbers[`${name}${depth}`][s]),
    );
    return bySeed(params, series, lists, (i) => depths[i]);
  };
  const name = String(params.design ?? 'residual alone');
  const x = { title: 'layers', log: true, ticks: depths };
  return {
    panels: [
      {
        kind: 'curves',
        title: 'Gain of a gradient on its way back through all layers',
        ...{ x, y: { title: '‖uᵀJ‖ / ‖u‖', log: true, beyond: 'beyond single precision' } },
        series: [{ name }, { name: 'neither residual nor LayerNorm' }],
        lines: [...of('gain', 0), ...of('plain', 1)],
        levels: [{ name: 'kept as it is', at: 1 }],
      },
      {
        kind: 'curves',
        title: 'How alike the tokens have become',
        ...{ x, y: { title: 'mean cosine of two tokens', high: 1 } },
        series: [{ name }],
        lines: of('cosine', 0),
      },
    ],
  };
}

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function causalMask({ curve, changes, every }, params) {
  const series = [{ name: params.mask === 'none' ? 'without a mask' : 'causal mask' }];
  return {
    panels: [
      {
        kind: 'curves',
        title: 'Loss on random digits',
        ...{ x: STEP, y: { title: 'nats a token', low: 0 }, series },
        lines: bySeed(params, 0, curve, (i) => (i + 1) * every),
        levels: [{ name: 'ln 10: chance', at: Math.log(10) }],
      },
      {
        kind: 'curves',
        title: 'Largest change of an output when token 5 is edited',
        ...{ x: { title: 'token', ticks: range(changes[0].length) }, y: { title: 'change', low: 0 }, series },
        lines: bySeed(params, 0, changes, (i) => i, { joined: false }),
        levels: [{ name: 'edited', at: 5, vertical: true }],
      },
    ],
  };
}

/** @param {any} numbers @param {Params} params @returns {Picture} */
export function crossAttention({ maps, bestTop, bestMass, weakerTop, weakerMass }, params) {
  const { heads = 2 } = params;
  const size = maps[0].length / Number(heads);
  const columns = Math.sqrt(size);
  return {
    panels: [
      {
        kind: 'maps',
        title: `Cross-attention of each head, ${seedsOf(params)[0]}`,
        note: 'The mean over the held-out inputs. Reversed, each output comes from the other end of the input.',
        ...{ scale: 'share', columns, rowAxis: { title: 'output' }, columnAxis: { title: 'input' } },
        maps: range(Number(heads)).map((head) => ({
          title: `Head ${head + 1}`,
          values: maps[0].slice(head * size, (head + 1) * size),
        })),
      },
      {
        kind: 'rows',
        title: 'Attention to the right token',
        x: { title: 'share', low: 0, high: 1, percent: true },
        rows: [
          { label: 'Best head: its largest weight is there', marks: marks(params, bestTop) },
          { label: 'Best head: weight there', marks: marks(params, bestMass) },
          { label: 'Weakest head: its largest weight is there', marks: marks(params, weakerTop) },
          { label: 'Weakest head: weight there', marks: marks(params, weakerMass) },
        ],
        levels: [{ name: 'by chance', at: 1 / columns }],
      },
    ],
  };
}
