// What the page asks of the model for a state: its configuration, its input, the tensors to read.

import { asBuilt, switched } from './interventions.js';
import { MAX_TOKENS, VOCABULARY, readWords, tokenize } from './tokens.js';

/**
 * @typedef {import('../app/schema.js').State} State
 * @typedef {import('../app/schema.js').Settings} Settings
 * @typedef {import('../app/schema.js').AttentionKind} AttentionKind
 * @typedef {'encoder' | 'decoder'} Stack
 *
 * The tokens that the model reads. `shown`: all tokens of the text, where it does not read all;
 * `predicted`: what each place of a decoder says, where that is what the rows are called;
 * `fresh`: how many of the last ones the model wrote.
 * @typedef {{
 *   words: string[], ids: number[], truncated: boolean, shown?: {words: string[], ids: (number | null)[]},
 *   predicted?: {words: string[], ids: number[]}, fresh?: number,
 * }} Tokens
 *
 * What the file of a trained model says.
 * @typedef {{
 *   name: string, config: Record<string, any>, vocabulary: string[], targetVocabulary?: string[],
 *   recipe: Record<string, any>, scores: {name: string, value: number, note?: string}[], bytes: number,
 * }} Description
 * `bytes`: of its weights' file.
 *
 * What is computed: two plans with the same key give the same numbers.
 * @typedef {{
 *   key: string, settings: Settings, tokens: {encoder: Tokens | null, decoder: Tokens | null},
 *   config: Record<string, unknown>, ids: number[], targetIds: number[] | null, changes: import('../app/schema.js').Change[],
 *   model: string | null, generate: {begin: number, end: number, maxTokens: number} | null,
 *   base: Record<string, unknown> | null,
 * }} Plan
 * `model`: the trained model; `base`: the configuration as built, null where nothing is changed; `generate`: the target is not given but written by the model.
 *
 * One kind of attention: the stack it lies in, its name there, the stacks of its rows and columns.
 * @typedef {{kind: AttentionKind, title: string, stack: Stack, part: string, columns: Stack}} Attention
 */

/** @type {Record<AttentionKind, Attention>} */
const ATTENTION = {
  encoder: {
    kind: 'encoder',
    title: 'Encoder self-attention',
    stack: 'encoder',
    part: 'self_attn',
    columns: 'encoder',
  },
  decoder: {
    kind: 'decoder',
    title: 'Decoder self-attention',
    stack: 'decoder',
    part: 'self_attn',
    columns: 'decoder',
  },
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
export const attention = (kind) => ATTENTION[kind];

const LONGEST_TRANSLATION = 24;

/**
 * @param {State} state
 * @param {Description | null} [description] of the trained model
 * @returns {Plan}
 */
export function makePlan(state, description = null) {
  return description ? trainedPlan(state, description) : untrainedPlan(state);
}

/**
 * The plan of a state, made once for each state.
 * @param {() => State} state
 * @param {() => Description | undefined} description
 */
export function planOnce(state, description) {
  const keys = /** @type {const} */ (['model', 'text', 'targetText', 'settings', 'written', 'changes']);
  /** @type {State | null} */
  let last = null;
  /** @type {Plan} */
  let made;
  return () => {
    const now = state();
    if (keys.some((key) => now[key] !== last?.[key])) made = makePlan(now, description());
    last = now;
    return made;
  };
}

/** The words of the stack that reads first. @param {Plan} plan */
export const firstWords = ({ tokens: { encoder, decoder } }) => (encoder ?? decoder)?.words ?? [];

/** @param {Pick<State, 'text' | 'targetText' | 'settings' | 'changes'>} state @returns {Plan} */
function untrainedPlan({ text, targetText, settings, changes }) {
  const { kind, layers, norm } = settings;
  const first = tokenize(text);
  const second = kind === 'encoder-decoder' ? tokenize(targetText) : null;
  const sizes = {
    vocabulary: VOCABULARY,
    maxLength: MAX_TOKENS,
    ...(kind === 'encoder-decoder' ? { decoderLayers: layers } : {}),
  };
  const config = { ...settings, ...sizes, ...(norm === 'none' ? { finalNorm: false } : {}) };
  const ids = first.ids;
  const targetIds = second?.ids ?? null;
  return {
    key: keyOf(config, ids, targetIds, changes),
    settings,
    config,
    ids,
    targetIds,
    changes,
    model: null,
    generate: null,
    base:
      changes.length || switched(settings, undefined).length
        ? { ...settings, ...sizes, ...asBuilt(settings, undefined) }
        : null,
    tokens: { encoder: kind === 'decoder' ? null : first, decoder: kind === 'decoder' ? first : second },
  };
}

/** @param {unknown[]} parts */
const keyOf = (...parts) => JSON.stringify(parts, (_, value) => (value !== value ? 'NaN' : value));

/**
 * @param {State} state
 * @param {Description} description
 * @returns {Plan}
 */
function trainedPlan({ text, settings, written, changes }, { name, config: trained, vocabulary, targetVocabulary }) {
  const changed = changedSettings(settings, trained);
  const config = {
    seed: 0,
    ...trained,
    ...Object.fromEntries(changed.map((each) => [each, settings[each]])),
    ...(settings.norm === 'none' ? { finalNorm: false } : {}),
  };
  const read = readWords(text, vocabulary);
  const words = written.map((id) => vocabulary[id]);
  const tokens = {
    ...read,
    words: [...read.words, ...words],
    ids: [...read.ids, ...written],
    fresh: written.length,
    shown: { words: [...read.shown.words, ...words], ids: [...read.shown.ids, ...written] },
  };
  const { ids } = tokens;
  const isDecoder = settings.kind === 'decoder';
  return {
    key: keyOf(name, config, ids, changes),
    settings,
    config,
    ids,
    targetIds: null,
    changes,
    model: name,
    base: changes.length || changed.length ? { seed: 0, ...trained } : null,
    generate: targetVocabulary
      ? {
          begin: targetVocabulary.indexOf('[BOS]'),
          end: targetVocabulary.indexOf('[EOS]'),
          maxTokens: LONGEST_TRANSLATION,
        }
      : null,
    tokens: { encoder: isDecoder ? null : tokens, decoder: isDecoder ? tokens : null },
  };
}

/**
 * The switches that stand otherwise than in training.
 * @param {Settings} settings
 * @param {Record<string, any>} trained
 */
export function changedSettings(settings, trained) {
  return /** @type {(keyof Settings)[]} */ (Object.keys(settings)).filter(
    (name) => name in trained && settings[name] !== trained[name],
  );
}

/**
 * The plan with the target that the model wrote for it.
 * @param {Plan} plan
 * @param {number[]} writtenIds
 * @param {Description} description
 * @returns {Plan}
 */
export function withTarget(plan, writtenIds, { targetVocabulary = [] }) {
  const ids = [/** @type {NonNullable<Plan['generate']>} */ (plan.generate).begin, ...writtenIds.slice(0, -1)];
  /** @param {number[]} list */
  const words = (list) => list.map((id) => targetVocabulary[id]);
  const decoder = {
    words: words(ids),
    ids,
    truncated: false,
    predicted: { words: words(writtenIds), ids: writtenIds },
  };
  return { ...plan, tokens: { ...plan.tokens, decoder } };
}

/**
 * The tensor of one kind of attention in one layer.
 * @param {AttentionKind} kind
 * @param {number} layer
 * @param {import('../app/schema.js').Quantity} quantity
 */
export function attentionName(kind, layer, quantity) {
  const { stack, part } = ATTENTION[kind];
  return `${stack}.layers.${layer}.${part}.${quantity}`;
}

/** @param {AttentionKind} kind @param {number} layer @param {import('../app/schema.js').FfnQuantity} quantity */
export const ffnName = (kind, layer, quantity) => `${ATTENTION[kind].stack}.layers.${layer}.ffn.${quantity}`;

/** The softmax of the logits, [1, T, V]; the worker's lab makes it. */
export const PROBABILITIES = '@probabilities';

/** @param {AttentionKind} kind */
export const positionsName = (kind) => `${ATTENTION[kind].stack}.positions`;
