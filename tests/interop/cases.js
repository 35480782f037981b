// The runs that train.py continues: in PyTorch (resume.mjs), in tests without PyTorch (tests/web/pytorch).

export const STEPS = 6;
export const TEXT =
  'The creek was cold, and the dog was tired. "The boy" was kind [so to say]; the creek\n was  deep! '.repeat(30);

/** Runs of Train: task, settings beside its recipe, where it is left, what changes. @type {[string, object, any?][]} */
export const RUNS = [
  ['copy', {}, { at: 9 }],
  ['reverse', { norm: 'none', residual: false, scoreScale: false, optimizer: 'sgd', clip: 0 }],
  ['reverse-variable', { norm: 'pre', activation: 'gelu', optimizer: 'adam', weightDecay: 0.01 }],
  ['sort', { d_ff: 0, positions: 'none', seed: 4294967295 }],
  ['order', { layers: 2, activation: 'silu', labelSmoothing: 0.1 }],
  ['addition', { activation: 'none', batch: 7 }, { changes: [[2, { learningRate: 0.001, batch: 5 }]] }],
  [
    'addition',
    { batch: 4 },
    {
      at: 4,
      changes: [
        [2, { batch: 6 }],
        [7, { batch: 9, schedule: 'constant', clip: 0.1 }],
      ],
    },
  ],
  ['induction', { norm: 'pre' }],
  ['text', { layers: 1 }, { level: 'words' }],
  ['text', { layers: 1 }, { level: 'characters' }],
  ['story', { layers: 1 }],
  ['copy', { attentionBias: false, head: 'linear' }],
  ['reverse', { head: 'linear', headBias: false, normAffine: false, activation: 'gelu-tanh' }],
  ['order', { embeddingNorm: true, finalNorm: true, headBias: false, warmup: 0 }],
  ['reverse', { positions: 'learned', activation: 'gelu-tanh', weightDecay: 0.1, clip: 0.3 }],
  ['square', {}],
  ['square', { steps: 12 }, { at: 4, changes: [[2, { schedule: 'cosine' }]] }],
  ['and', { steps: 8 }, { at: 3, changes: [[5, { schedule: 'linear' }]] }],
  ['xor', { activation: 'gelu', d_ff: 5 }],
  ['and', { activation: 'none' }],
];

/** Of the package: task, configuration and trainer beside its own. @type {[keyof typeof tasks, object, object][]} */
export const MODELS = [
  ['translate', { tiedEmbeddings: false, finalNorm: true, norm: 'pre' }, { labelSmoothing: 0.1 }],
  ['translate', { norm: 'none', residual: false, head: 'linear' }, { frozen: ['encoder.layers.0', 'src_emb'] }],
  ['translate', { positions: 'learned', embeddingNorm: true, maxLength: 15, scoreScale: false }, { schedule: 'noam' }],
  ['reverse-decoder', { tiedEmbeddings: true, norm: 'pre', d_ff: 0 }, { weightDecay: 0.1, optimizer: 'adam' }],
  ['reverse-decoder', { layers: 2 }, { optimizer: 'sgd', momentum: 0.9, learningRate: 0.01, weightDecay: 0.01 }],
  ['neighbours', {}, {}],
  ['next-digit', {}, {}],
  ['creek', { d_model: 20, activation: 'gelu', norm: 'pre', finalNorm: true }, {}],
  ['creek', { headTransform: true, activation: 'gelu', window: 2, globalLayers: 2 }, {}],
  ['story', { headTransform: true, head: 'linear', layers: 3, window: 3, globalLayers: 5, norm: 'pre' }, {}],
  ['translate', { window: 2, globalLayers: 1, headTransform: true, activation: 'none', normAffine: false }, {}],
  ['neighbours', { window: 2 }, {}],
  ['order', { heads: 0, norm: 'pre' }, {}],
];
