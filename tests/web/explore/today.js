// States with the blocks of today: RMSNorm, rotary positions, gated networks, shared keys and values.

/** A folder of tests/checkpoints: heads as wide as need not be, whose queries and keys are normed. */
export const OWN = 'qwen3-2l';
/** 4 heads, every two of which share keys and values. */
const BLOCK = 'norm=pre&normKind=rms&positions=rotary&network=gated&activation=silu&keyValueHeads=2';
export const STATES = [
  `model=untrained&kind=decoder&attention=decoder&causal=1&${BLOCK}&head=1.4&row=6&key=3`,
  `model=untrained&kind=decoder&attention=decoder&causal=1&${BLOCK}&headWidth=6&qkNorm=1&head=2.3&row=12&key=5`,
  `model=untrained&${BLOCK}&head=2.2&row=3&key=9`,
  `model=untrained&kind=encoder-decoder&attention=cross&causal=1&${BLOCK}&qkNorm=1&head=1.4&row=4&key=2`,
  `model=untrained&kind=encoder-decoder&attention=decoder&causal=1&${BLOCK}&head=2.1&row=4&key=0`,
  `model=${OWN}&head=2.4&row=5&key=1`,
];
