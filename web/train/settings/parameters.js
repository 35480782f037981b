// Counts the parameters of a task's model from its settings, before there is a model.

import { hasFinalNorm } from './settings.js';

/**
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {{words: number, longest: number}} Size of a task: words of its vocabulary, rows of learned positions
 */

/** @param {Settings} settings of an encoder or a decoder @param {Size} size @returns {number} */
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
