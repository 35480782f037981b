// The page's request to the model for a state: its configuration, its input, the tensors to read.

import { changedSwitches, dictionaryOf, switchesAsBuilt } from './interventions.js';
import { entryOf } from '../models/catalogue.js';
import { MAX_TOKENS, VOCABULARY, readWords, tokenize } from './tokens.js';

/**
 * @typedef {import('../app/schema.js').State} State
 * @typedef {import('../app/schema.js').Settings} Settings
 * @typedef {import('../app/schema.js').Selection} Selection
 * @typedef {import('../app/schema.js').AttentionKind} AttentionKind
 * @typedef {'encoder' | 'decoder'} Stack
 *
 * The tokens that the model reads. `shown`: all tokens of the text, where it does not read all;
 * `predicted`: what each place of a decoder says, where that is what the rows are called;
 * `fresh`: how many of the last ones the model wrote; `waiting`, `note`: as tokens.js has them.
 * @typedef {{
 *   words: string[], ids: number[], truncated: boolean, shown?: {words: string[], ids: (number | null)[]},
 *   predicted?: {words: string[], ids: number[]}, fresh?: number, waiting?: boolean, note?: string,
 * }} Tokens
 *
 * The facts in the file of a trained model.
 * @typedef {{
 *   name: string, config: Record<string, any>, vocabulary: readonly string[],
 *   targetVocabulary?: readonly string[], outputVocabulary: readonly string[], recipe: Record<string, any>,
 *   endIds?: readonly number[], rules?: Rules, scores: {name: string, value: number, note?: string}[], bytes: number,
 *   notes?: string[], rounded?: boolean, weightsError?: import('glassformer/checkpoints').WeightsError,
 * }} ModelInfo
 * `targetVocabulary`: what the decoder of an encoder-decoder reads, `outputVocabulary`: the words that the logits
 * score, either of these or others; `bytes`: of its weights' file; `rounded`: opening rounded its numbers to bfloat16.
 *
 * @typedef {NonNullable<Awaited<ReturnType<typeof import('glassformer/checkpoints').loadCheckpoint>>['rules']>} Rules
 *
 * A request to the engine: two plans with the same key give the same numbers.
 * @typedef {{
 *   key: string, settings: Settings, tokens: {encoder: Tokens | null, decoder: Tokens | null},
 *   config: Record<string, unknown>, ids: number[], targetIds: number[] | null, interventions:
 *   import('../app/schema.js').Intervention[],
 *   model: string | null, generate: import('./target.js').Generate | null,
 *   base: Record<string, unknown> | null, hasLogits: boolean, isWaiting?: boolean,
 * }} Plan
 * `model`: the trained model; `hasLogits`: its output is words, not vectors alone; `base`: the configuration as built,
 * null where nothing is changed; `generate`: the target is not given but written by the model; `isWaiting`: the text
 * has not been cut yet, so there is nothing to ask.
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
 * @param {ModelInfo | null} [modelInfo] of the trained model
 * @returns {Plan}
 */
export function makePlan(state, modelInfo = null) {
  return modelInfo ? trainedPlan(withFound(state), modelInfo) : untrainedPlan(withFound(state));
}

/** Whether a model can have features: it is a trained one of one stack. @param {Plan} plan */
export const canHaveFeatures = ({ model, settings, hasLogits }) =>
  Boolean(model) && hasLogits && settings.kind !== 'encoder-decoder';

/**
 * The file of a dictionary that lies beside the page, found beforehand on more text than a page has.
 * @param {string | null} model @param {string} name of the dictionary
 */
export const shippedFeatures = (model, name) =>
  model === 'austen' && name.endsWith('.0') ? `features/austen.${name.slice(0, -2)}.safetensors` : null;

/**
 * The state without changes of features that are not found yet: the worker finds them again by their seed.
 * @param {State} state
 */
function withFound(state) {
  const isHere = (/** @type {State['interventions'][number]} */ change) =>
    change.what !== 'feature' || state.ready.includes(dictionaryOf(change));
  return state.interventions.every(isHere) ? state : { ...state, interventions: state.interventions.filter(isHere) };
}

/** The fields of the state that decide what is computed. */
export const PLAN_FIELDS = /** @type {const} */ ([
  'model',
  'text',
  'targetText',
  'settings',
  'written',
  'interventions',
]);

/**
 * Plans states, each once: the last two plans are kept, those before and after an edit.
 * @param {() => State} state the present one
 * @param {(state: State) => ModelInfo | undefined} modelInfo
 * @returns {(of?: State) => Plan} of the present state, or another
 */
export function memoizedPlan(state, modelInfo) {
  /** @type {{fields: unknown[], plan: Plan}[]} the newest first */
  let kept = [];
  return (of = state()) => {
    // A tokenizer in a worker gives other tokens once it has answered.
    const fields = [...PLAN_FIELDS.map((name) => of[name]), of.ready, ...readBy(of)];
    const same = kept.find((each) => each.fields.every((value, i) => value === fields[i]));
    const entry = same ?? { fields, plan: makePlan(of, modelInfo(of)) };
    kept = [entry, ...kept.filter((each) => each !== entry).slice(0, 1)];
    return entry.plan;
  };
}

/** The tokens of both texts. @param {State} state */
function readBy({ model, text, targetText }) {
  const { read, readTarget } = entryOf(model) ?? {};
  return [read?.(text), readTarget?.(targetText)];
}

/**
 * The part of a state that makes its plan, to keep it as it is.
 * @param {State} state
 * @returns {import('../app/schema.js').Pinned}
 */
export const pinOf = (state) => /** @type {any} */ (Object.fromEntries(PLAN_FIELDS.map((name) => [name, state[name]])));

/**
 * The state whose plan is the pinned one: the selection is that of the present state.
 * @param {State} state
 * @returns {State | null}
 */
export const pinnedState = (state) => state.pinned && { ...state, ...state.pinned };

/**
 * The layers of an attention's stack.
 * @param {AttentionKind} kind
 * @param {Pick<Settings, 'layers' | 'decoderLayers'>} settings
 */
export const depthOf = (kind, { layers, decoderLayers = layers }) => (kind === 'encoder' ? layers : decoderLayers);

/**
 * The nearest selection that exists in a model of these settings.
 * @param {Selection} selection
 * @param {Settings} settings
 * @returns {Selection}
 */
export function clampSelection(selection, settings) {
  const { kind, heads } = settings;
  const exists = kind === 'encoder-decoder' || selection.kind === kind;
  const its = exists ? selection.kind : /** @type {AttentionKind} */ (kind);
  return {
    ...selection,
    kind: its,
    layer: Math.min(selection.layer, depthOf(its, settings) - 1),
    head: Math.max(0, Math.min(selection.head, heads - 1)),
  };
}

/** Whether there is nothing to compute. @param {Plan} plan */
export const isEmpty = ({ ids, targetIds }) => ids.length === 0 || targetIds?.length === 0;

/** @param {Pick<State, 'text' | 'targetText' | 'settings' | 'interventions'>} state @returns {Plan} */
function untrainedPlan({ text, targetText, settings, interventions }) {
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
    key: keyOf(config, ids, targetIds, interventions),
    settings,
    config,
    ids,
    targetIds,
    interventions,
    model: null,
    hasLogits: false,
    generate: null,
    base:
      interventions.length || changedSwitches(settings, undefined).length
        ? { ...settings, ...sizes, ...switchesAsBuilt(settings, undefined) }
        : null,
    tokens: { encoder: kind === 'decoder' ? null : first, decoder: kind === 'decoder' ? first : second },
  };
}

/** @param {unknown[]} parts */
const keyOf = (...parts) => JSON.stringify(parts, (_, value) => (value !== value ? 'NaN' : value));

/**
 * @param {State} state
 * @param {ModelInfo} modelInfo
 * @returns {Plan}
 */
function trainedPlan(state, modelInfo) {
  const { text, settings, written, interventions } = state;
  const { name, config: trained, vocabulary, targetVocabulary } = modelInfo;
  const changed = changedSettings(settings, trained);
  const config = {
    seed: 0,
    ...trained,
    ...Object.fromEntries(changed.map((each) => [each, settings[each]])),
    ...(settings.norm === 'none' ? { finalNorm: false } : {}),
    // Attention and FFN stand side by side, and a part of each head turns, only where the switches leave that.
    ...(trained.parallel && (settings.norm !== 'pre' || !settings.residual) ? { parallel: false } : {}),
    ...(trained.ropeWidth && settings.positions !== 'rotary' ? { ropeWidth: 0 } : {}),
  };
  const entry = entryOf(/** @type {any} */ (name));
  const read = entry?.read?.(text) ?? readWords(text, vocabulary, entry?.token);
  const fresh = targetVocabulary ? [] : written;
  const words = fresh.map((id) => vocabulary[id]);
  const joined = joinerOf(name);
  const tokens = {
    ...read,
    words: joined([...read.words, ...words]),
    ids: [...read.ids, ...fresh],
    fresh: fresh.length,
    shown: { words: joined([...read.shown.words, ...words]), ids: [...read.shown.ids, ...fresh] },
  };
  const { ids } = tokens;
  const isDecoder = settings.kind === 'decoder';
  const generate =
    entry?.target?.(state, modelInfo) ?? (targetVocabulary ? toWrite(targetVocabulary, ids, written) : null);
  const isWaiting = generate?.isWaiting ?? read.waiting;
  return {
    key: keyOf(
      name,
      config,
      ids,
      interventions,
      ...(isWaiting ? [text, state.targetText] : []),
      ...(generate ? [generate] : []),
    ),
    settings,
    config,
    ids,
    targetIds: null,
    interventions,
    model: name,
    isWaiting,
    hasLogits: trained.head !== 'none',
    base: interventions.length || changed.length ? { seed: 0, ...trained } : null,
    generate,
    tokens: { encoder: isDecoder ? null : tokens, decoder: isDecoder ? tokens : null },
  };
}

/**
 * A model whose files say no rules continues the reader's tokens up to its end mark; one without an end mark writes as
 * many tokens as the source has.
 * @param {readonly string[]} words @param {number[]} ids of the source @param {number[]} prefix
 * @returns {import('./target.js').Generate & {isWaiting?: boolean}}
 */
function toWrite(words, ids, prefix) {
  const end = words.indexOf('[EOS]');
  const most = end < 0 ? ids.length : LONGEST_TRANSLATION;
  return {
    begin: Math.max(0, words.indexOf('[BOS]')),
    maxTokens: Math.max(0, most - prefix.length),
    ...(end < 0 ? {} : { end }),
    ...(prefix.length ? { prefix } : {}),
  };
}

/** Makes labels stand in a row. @param {string | null} model @returns {(labels: string[]) => string[]} */
const joinerOf = (model) => entryOf(/** @type {any} */ (model))?.joined ?? ((all) => all);

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
 * @param {ModelInfo} modelInfo
 * @returns {Plan}
 */
export function withTarget(plan, writtenIds, { targetVocabulary = [] }) {
  const { begin, prefix } = /** @type {NonNullable<Plan['generate']>} */ (plan.generate);
  const ids = [begin, ...writtenIds.slice(0, -1)];
  const joined = joinerOf(plan.model);
  /** @param {number[]} list */
  const words = (list) => joined(list.map((id) => targetVocabulary[id]));
  const decoder = {
    words: words(ids),
    ids,
    truncated: false,
    predicted: { words: words(writtenIds), ids: writtenIds },
    ...(prefix && { fresh: writtenIds.length - prefix.length }),
  };
  return { ...plan, tokens: { ...plan.tokens, decoder } };
}

/**
 * The tensor of one kind of attention in one layer.
 * @param {AttentionKind} kind
 * @param {number} layer
 * @param {import('../app/schema.js').Quantity | 'query' | 'key' | 'value' | 'head_outputs'} quantity
 */
export const attentionName = (kind, layer, quantity) => `${attentionPath(kind, layer)}.${quantity}`;

/** The beginning of all its tensors' names. @param {AttentionKind} kind @param {number} layer */
export const attentionPath = (kind, layer) => `${ATTENTION[kind].stack}.layers.${layer}.${ATTENTION[kind].part}`;

/** Whether positions are added to the embeddings. @param {Pick<Settings, 'positions'>} settings */
export const addsPositions = ({ positions }) => positions === 'sinusoidal' || positions === 'learned';

/**
 * Whether a model has the tensor, or what a derived value is made of: with heads: 0 its layers have no attention.
 * @param {string} name @param {Settings} settings
 */
export const hasTensor = (name, { heads, positions, norm, normKind, layers, decoderLayers = layers }) =>
  !(Number(/^decoder\.layers\.(\d+)/.exec(name)?.[1]) >= decoderLayers) &&
  (heads > 0 || !/\.(self|multihead)_attn\b/.test(name)) &&
  (addsPositions({ positions }) || !name.endsWith('.positions')) &&
  (norm !== 'none' || !/\.norm\d/.test(name)) &&
  (normKind !== 'rms' || !/\.(mean|variance)$/.test(name));

/**
 * The node that is open: of layers without attention the FFN; 'heads': all heads; 'beams': the search
 * for targets; 'decision': what decided the answer.
 * @param {Pick<State, 'graph' | 'settings'> & Partial<Pick<State, 'decision'>>} state
 * @returns {State['graph']['node'] | 'decision'}
 */
export const openNode = ({ graph: { node }, settings: { heads, kind }, decision }) =>
  decision
    ? 'decision'
    : node === 'beams' && kind !== 'encoder-decoder'
      ? 'attention'
      : /^(attention|heads)$/.test(node) && heads === 0
        ? 'ffn'
        : node;

/** Numbers of a head's query, key or value. @param {Pick<Settings, 'headWidth' | 'd_model' | 'heads'>} settings */
export const headSize = ({ headWidth, d_model, heads }) => headWidth || d_model / heads;

/** The heads for each head of keys and values. @param {Pick<Settings, 'heads' | 'keyValueHeads'>} settings */
export const sharing = ({ heads, keyValueHeads }) => (keyValueHeads ? heads / keyValueHeads : 1);

/**
 * The stages of a query and a key, as the ends of their tensors' names. The score is the product at the last stage.
 * @param {AttentionKind} kind @param {Pick<Settings, 'positions' | 'qkNorm'>} settings
 */
export const stagesOfQuery = (kind, { positions, qkNorm }) => [
  '',
  ...(qkNorm ? ['_normed'] : []),
  ...(positions === 'rotary' && kind !== 'cross' ? ['_rotated'] : []),
];

/**
 * The role of the tensor that multiplies a neuron's value vector.
 * @param {Pick<Settings, 'ffn'>} settings @returns {'activation' | 'product'}
 */
export const neuronRole = ({ ffn }) => (ffn === 'gated' ? 'product' : 'activation');

/**
 * The quantity in the FFN's map: a plain network has neither up nor product.
 * @param {import('../app/schema.js').FfnQuantity} quantity @param {Pick<Settings, 'ffn'>} settings
 */
export const shownOfFfn = (quantity, { ffn }) =>
  ffn === 'gated' || quantity === 'pre_activation' ? quantity : 'activation';

/** @param {AttentionKind} kind @param {number} layer @param {import('../app/schema.js').FfnQuantity} quantity */
export const ffnName = (kind, layer, quantity) => `${ATTENTION[kind].stack}.layers.${layer}.ffn.${quantity}`;

/** The softmax of the logits, [1, T, V]; the worker's derived makes it. */
export const PROBABILITIES = '@probabilities';

/** @param {AttentionKind} kind */
export const positionsName = (kind) => `${ATTENTION[kind].stack}.positions`;
