// The Transformer's block of 2017 and that of today (Llama, Qwen, Mistral), and the changes from one to the other,
// whole or in one part, at as many parameters. All else stays: data, seed, width, layers, training.

import { isPossible, hasFinalNorm } from './settings.js';

/**
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {{words: number, longest: number}} Size of a task: words of its vocabulary, rows of learned positions
 */

/** Vaswani et al. 2017. @type {Settings} */
const OF_2017 = {
  norm: 'post',
  normKind: 'layer',
  positions: 'sinusoidal',
  ffn: 'plain',
  activation: 'relu',
  attentionBias: true,
  ffnBias: true,
  keyValueHeads: 0,
};
/** @type {Settings} */
const GATED = { ffn: 'gated', activation: 'silu' };
/** Its key–value heads are half the heads. @type {Settings} */
const TODAY = { norm: 'pre', normKind: 'rms', positions: 'rotary', ...GATED, attentionBias: false, ffnBias: false };
/** Two counts that differ by no more than this share count as equal. */
export const SLACK = 0.01;

/** @param {Settings} settings @param {Settings} parts */
const has = (settings, parts) => Object.entries(parts).every(([name, value]) => settings[name] === value);

/** Two heads share a key and a value, where heads come in pairs. @param {Settings} settings */
const halved = ({ heads }) => (Number(heads) % 2 ? 0 : Number(heads) / 2);

/**
 * Which block settings have. A switch of the paper's own parts, such as learned positions, leaves it that of 2017.
 * @param {Settings} settings @returns {'2017' | 'today' | 'mixed'}
 */
export function blockOf(settings) {
  const { normKind, ffn, keyValueHeads, heads, positions } = settings;
  if (has(settings, TODAY) && Number(keyValueHeads) === halved(settings)) return 'today';
  const isOld = normKind === 'layer' && ffn === 'plain' && positions !== 'rotary';
  return isOld && (!keyValueHeads || keyValueHeads === heads) ? '2017' : 'mixed';
}

/**
 * A change with the width of the FFN at which the model has as many parameters as before.
 * @param {Settings} settings @param {Settings} change @param {Size} size
 * @returns {Settings | null} null: there is no FFN, the change cannot be, or the counts would differ by more
 */
function atEqualSize(settings, change, size) {
  if (!settings.d_ff) return null;
  /** @param {number} d_ff */
  const count = (d_ff) => parametersOf({ ...settings, ...change, d_ff }, size);
  const wanted = parametersOf(settings, size);
  const d_ff = Math.round(1 + (wanted - count(1)) / (count(2) - count(1)));
  const isEqual = d_ff >= 1 && Math.abs(count(d_ff) / wanted - 1) <= SLACK;
  return isEqual && isPossible(settings, { ...change, d_ff }) ? { ...change, d_ff } : null;
}

/** @param {Settings} settings @param {Size} size */
export const todayOf = (settings, size) =>
  blockOf(settings) === 'today' ? null : atEqualSize(settings, { ...TODAY, keyValueHeads: halved(settings) }, size);

/** @param {Settings} settings @param {Size} size */
export const of2017 = (settings, size) => (blockOf(settings) === '2017' ? null : atEqualSize(settings, OF_2017, size));

export const TODAYS = 'today’s block';

/**
 * The changes that a comparison offers: the whole block, then its parts.
 * @type {{name: string, of: (settings: Settings, size: Size) => Settings | null, parts: Settings, free: string[]}[]}
 * `parts`: by which a link's change is known; `free`: its other settings
 */
export const BLOCKS = [
  { name: TODAYS, of: todayOf, parts: TODAY, free: ['keyValueHeads', 'd_ff'] },
  { name: '2017’s block', of: of2017, parts: OF_2017, free: ['d_ff'] },
  { name: 'RMSNorm', of: () => ({ normKind: 'rms' }), parts: { normKind: 'rms' }, free: [] },
  { name: 'rotary positions', of: () => ({ positions: 'rotary' }), parts: { positions: 'rotary' }, free: [] },
  {
    name: 'gated FFN (SwiGLU), as many parameters',
    of: (settings, size) => atEqualSize(settings, GATED, size),
    parts: GATED,
    free: ['d_ff'],
  },
  {
    name: 'half as many key–value heads',
    of: (settings) => (halved(settings) ? { keyValueHeads: halved(settings) } : null),
    parts: {},
    free: ['keyValueHeads'],
  },
];

/** The name of a change that is one of these. @param {Settings} change */
export const blockName = (change) =>
  BLOCKS.find(({ parts, free }) => {
    const names = [...Object.keys(parts), ...free];
    return has(change, parts) && Object.keys(change).length === names.length && names.every((name) => name in change);
  })?.name;

/**
 * The parameters of a task's model, counted from its settings before there is a model.
 * @param {Settings} settings of an encoder or a decoder @param {Size} size @returns {number}
 */
export function parametersOf(settings, { words, longest }) {
  const { layers, heads, keyValueHeads, d_model: width, d_ff: neurons } = /** @type {any} */ (settings);
  const norm = settings.normAffine ? (settings.normKind === 'rms' ? width : 2 * width) : 0;
  const projections = width + 2 * (keyValueHeads || heads) * (width / heads); // of query, key and value
  const attention = projections * width + width * width + (settings.attentionBias ? projections + width : 0);
  const up = settings.ffn === 'gated' ? 2 : 1;
  const ffn = neurons && (up + 1) * neurons * width + (settings.ffnBias ? up * neurons + width : 0);
  const norms = settings.norm === 'none' ? 0 : neurons ? 2 : 1;
  const embedding = words * width + (settings.positions === 'learned' ? longest * width : 0);
  const head = (settings.head === 'linear' ? words * width : 0) + (settings.headBias ? words : 0);
  const others = (settings.embeddingNorm ? norm : 0) + (hasFinalNorm(settings) ? norm : 0);
  return layers * (attention + ffn + norms * norm) + embedding + head + others;
}
