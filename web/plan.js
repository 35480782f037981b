// What the page asks of the model for a state: its configuration, its input, the tensors to read.

import { MAX_TOKENS, VOCABULARY, tokenize } from './tokens.js';

/**
 * @typedef {import('./state.js').State} State
 * @typedef {import('./state.js').Settings} Settings
 * @typedef {import('./state.js').AttentionKind} AttentionKind
 * @typedef {'encoder' | 'decoder'} Stack
 * @typedef {ReturnType<typeof tokenize>} Tokens
 *
 * What is computed: two plans with the same key give the same numbers.
 * @typedef {{
 *   key: string, settings: Settings, tokens: {encoder: Tokens | null, decoder: Tokens | null},
 *   config: Record<string, unknown>, ids: number[], targetIds: number[] | null,
 * }} Plan
 *
 * One kind of attention: the stack it lies in, its name there, the stacks of its rows and columns.
 * @typedef {{kind: AttentionKind, title: string, stack: Stack, part: string, columns: Stack}} Attention
 */

/** @type {Record<AttentionKind, Attention>} */
const ATTENTION = {
  encoder: { kind: 'encoder', title: 'Encoder self-attention', stack: 'encoder', part: 'self_attn', columns: 'encoder' },
  decoder: { kind: 'decoder', title: 'Decoder self-attention', stack: 'decoder', part: 'self_attn', columns: 'decoder' },
  cross: { kind: 'cross', title: 'Cross-attention', stack: 'decoder', part: 'multihead_attn', columns: 'encoder' },
};

/**
 * The kinds of attention that an architecture has, in the order of the data's way.
 * @param {Settings} settings
 */
export function attentionKinds({ kind }) {
  return kind === 'encoder-decoder' ? Object.values(ATTENTION) : [ATTENTION[kind]];
}

/** @param {AttentionKind} kind */
export const attention = kind => ATTENTION[kind];

/**
 * @param {State} state
 * @returns {Plan}
 */
export function makePlan({ text, targetText, settings }) {
  const { kind, layers, norm } = settings;
  const first = tokenize(text);
  const second = kind === 'encoder-decoder' ? tokenize(targetText) : null;
  const config = {
    ...settings, vocabulary: VOCABULARY, maxLength: MAX_TOKENS,
    ...(kind === 'encoder-decoder' ? { decoderLayers: layers } : {}),
    ...(norm === 'none' ? { finalNorm: false } : {}),
  };
  const ids = first.ids;
  const targetIds = second?.ids ?? null;
  return {
    key: JSON.stringify([config, ids, targetIds], (_, value) => (value !== value ? 'NaN' : value)),
    settings, config, ids, targetIds,
    tokens: { encoder: kind === 'decoder' ? null : first, decoder: kind === 'decoder' ? first : second },
  };
}

/**
 * The tensor of one kind of attention in one layer.
 * @param {AttentionKind} kind
 * @param {number} layer
 * @param {import('./state.js').Quantity} quantity
 */
export function attentionName(kind, layer, quantity) {
  const { stack, part } = ATTENTION[kind];
  return `${stack}.layers.${layer}.${part}.${quantity}`;
}

/** @param {AttentionKind} kind @param {number} layer @param {import('./state.js').FfnQuantity} quantity */
export const ffnName = (kind, layer, quantity) => `${ATTENTION[kind].stack}.layers.${layer}.ffn.${quantity}`;

/** @param {AttentionKind} kind */
export const positionsName = kind => `${ATTENTION[kind].stack}.positions`;

/**
 * The tensors that the views show: the weights of every head, and of the selected layer what the
 * reader chose to see.
 * @param {Plan} plan
 * @param {Pick<State, 'selection' | 'quantity' | 'ffnQuantity'>} state with a selection that exists
 */
export function wantedTensors({ settings }, { selection: { kind, layer }, quantity, ffnQuantity }) {
  const names = new Set([attentionName(kind, layer, quantity)]);
  for (const each of attentionKinds(settings)) {
    for (let l = 0; l < settings.layers; l++) names.add(attentionName(each.kind, l, 'weights'));
  }
  if (settings.d_ff > 0) names.add(ffnName(kind, layer, ffnQuantity));
  if (settings.positions !== 'none') names.add(positionsName(kind));
  return [...names];
}
