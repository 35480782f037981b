// The weights after 200 steps of a task, the same on every machine: their SHA-256, in the order of model.weights().

/** Today's block in the place of 2017's, with every part that it adds. */
const TODAY = {
  ...{ normKind: 'rms', norm: 'pre', finalNorm: true, positions: 'rotary', ffn: 'gated', activation: 'silu' },
  ...{ keyValueHeads: 1, qkNorm: true, attentionBias: false, ffnBias: false, embeddingScale: false },
};

/** Reverse from seed 1, with changes of its settings; below: the last loss. */
export const TRAINED_200 = [
  {
    name: 'reverse',
    changes: {},
    below: 0.1,
    parameters: 8874,
    hash: '3ecec4c146810f8f9cac74ed4abb78b1dedc50f9f2cda408984a730f6d547740',
  },
  {
    name: 'reverse with the block of today',
    changes: TODAY,
    below: 1.2,
    parameters: 10730,
    hash: 'bd9ad5f4bea5b48f867e9c45f166be8617095a82871116d38cab0238daeb854b',
  },
];
