// Models and data for the tests of training and of derivatives.

/** Sizes that are no multiples of a vector's. */
export const ODD = { d_model: 6, heads: 3, d_ff: 5, layers: 2, activation: 'gelu', seed: 3 };

/**
 * Small models of every kind, of odd sizes, each with a batch for its loss.
 * @type {Record<string, (r: any) => {config: object, loss?: any, batch: any}>}
 */
export const CASES = {
  encoder: (r) => ({
    config: {
      ...ODD,
      kind: 'encoder',
      vocabulary: 7,
      types: 2,
      head: 'tied',
      headBias: true,
      embeddingNorm: true,
      positions: 'learned',
      maxLength: 9,
    },
    batch: {
      ids: r.ids([2, 5], 7),
      typeIds: r.ids([2, 5], 2),
      padding: { data: [0, 0, 0, 1, 1, 0, 0, 0, 0, 0], shape: [2, 5] },
      labels: { data: [1, 2, 3, -100, -100, 0, 6, -100, 4, 5], shape: [2, 5] },
    },
  }),
  decoder: (r) => ({
    config: {
      ...ODD,
      kind: 'decoder',
      vocabulary: 11,
      norm: 'pre',
      finalNorm: true,
      head: 'linear',
      positions: 'learned',
      maxLength: 8,
    },
    loss: { labelSmoothing: 0.1, ignoreIndex: 3 },
    batch: { ids: r.ids([3, 4], 11), labels: r.ids([3, 4], 11) },
  }),
  'decoder of today': (r) => ({
    config: {
      ...ODD,
      ...{ kind: 'decoder', vocabulary: 11, head: 'tied', norm: 'pre', finalNorm: true, normKind: 'rms' },
      ...{ positions: 'rotary', ffn: 'gated', activation: 'silu', keyValueHeads: 1, headWidth: 4, qkNorm: true },
      attentionOutBias: false,
    },
    batch: { ids: r.ids([3, 4], 11), labels: r.ids([3, 4], 11) },
  }),
  'decoder, side by side': (r) => ({
    config: {
      ...ODD,
      ...{ kind: 'decoder', vocabulary: 11, head: 'linear', norm: 'pre', finalNorm: true, parallel: true },
      ...{ positions: 'rotary', headWidth: 5, ropeWidth: 2, activation: 'gelu', embeddingScale: false },
    },
    batch: { ids: r.ids([3, 4], 11), labels: r.ids([3, 4], 11) },
  }),
  'encoder-decoder': (r) => ({
    config: {
      ...ODD,
      kind: 'encoder-decoder',
      layers: 1,
      decoderLayers: 1,
      vocabulary: 5,
      targetVocabulary: 9,
      head: 'tied',
      activation: 'gelu-tanh',
    },
    batch: {
      sourceIds: r.ids([2, 3], 5),
      sourcePadding: { data: [0, 0, 1, 0, 0, 0], shape: [2, 3] },
      targetIds: r.ids([2, 4], 9),
      labels: r.ids([2, 4], 9),
    },
  }),
  'encoder of vectors': (r) => ({
    config: { ...ODD, kind: 'encoder', vocabulary: 0, norm: 'none' },
    loss: { loss: 'mse' },
    batch: { vectors: r.tensor([2, 3, 6]), labels: r.tensor([2, 3, 6]), mask: r.tensor([3, 3]) },
  }),
  'without residual': (r) => ({
    config: { ...ODD, kind: 'encoder', vocabulary: 0, residual: false, causal: true, scoreScale: false },
    loss: { loss: 'linear' },
    batch: { vectors: r.tensor([2, 3, 6]), labels: r.tensor([2, 3, 6]) },
  }),
  attention: (r) => ({
    config: { kind: 'attention', d_model: 6, heads: 2 },
    loss: { loss: 'mse' },
    batch: {
      vectors: r.tensor([2, 3, 6]),
      memory: r.tensor([2, 5, 6]),
      padding: r.padding([2, 5]),
      labels: r.tensor([2, 3, 6]),
    },
  }),
  'feed-forward': (r) => ({
    config: { kind: 'feed-forward', d_model: 3, d_ff: 7, activation: 'gelu' },
    loss: { loss: 'linear' },
    batch: { vectors: r.tensor([2, 5, 3]), labels: r.tensor([2, 5, 3]) },
  }),
};
