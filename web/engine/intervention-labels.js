// Changes in words: on the chips of Try, in refusals.

import { cellLabel, isIntervention, nameOf, where } from './interventions.js';

/** @typedef {import('./interventions.js').AttentionKind} AttentionKind */

/**
 * A change in words.
 * @param {import('./interventions.js').Intervention} change
 * @param {(kind: AttentionKind) => {rowWords: readonly string[], columnWords: readonly string[]}} words of the result
 * @param {readonly string[]} [vocabulary] by the ids that a change names
 */
export function interventionLabel(change, words, vocabulary = []) {
  if (!isIntervention(change)) return 'Unknown change';
  switch (change.what) {
    case 'temperature':
      return `Temperature ${change.value}`;
    case 'head':
      return `${where(change)}, head ${change.head + 1}: ${change.to === 'mean' ? 'average' : 'off'}`;
    case 'headAt':
    case 'ffnAt': {
      const part = change.what === 'headAt' ? `head ${change.head + 1}` : 'FFN';
      const token = words(change.kind).rowWords[change.row] ?? `token ${change.row}`;
      return `${where(change)}, ${part} at ${token}: ${takenLabel(change.to)}`;
    }
    case 'neuron':
      return (
        `${change.kind === 'encoder' ? 'Encoder' : 'Decoder'} layer ${change.layer + 1}, neuron ${change.neuron}: ` +
        `${change.to === 'mean' ? 'average' : change.to === 0 ? 'off' : change.to}`
      );
    case 'neurons':
      return `${where(change)}, neurons ${change.first} to ${change.last}: off`;
    case 'patch': {
      const token = words(change.kind).rowWords[change.row] ?? `token ${change.row}`;
      const sublayer = change.after ? where({ kind: change.kind, layer: change.after - 1 }) : 'Embedding';
      const word = change.after || change.from === 'mean' ? undefined : vocabulary[change.from[change.row]];
      if (word !== undefined && change.share === 1) return `Embedding of ${token}: that of ${word}`;
      const source = change.from === 'mean' ? 'the mean of the tokens' : 'the other sentence';
      return `${sublayer}, ${token}: ${change.share < 1 ? `${Math.round(100 * change.share)} % ` : ''}from ${source}`;
    }
    case 'skip':
      return change.node === 'norm' && change.sublayer % 4 === 0
        ? `${nameOf(change.kind)} ${change.sublayer ? 'second ' : ''}norm outside the layers: skipped`
        : `${where(change)}, ${SKIPPED[change.node](change.sublayer)}`;
    case 'swap': {
      const [a, b] = [change.row, change.to].map((row) => words(change.kind).rowWords[row] ?? `token ${row}`);
      return `${nameOf(change.kind)} positions ${change.row} (${a}) and ${change.to} (${b}) swapped`;
    }
    case 'exit':
      return `${nameOf(change.kind)} read after ${change.to ? `layer ${change.to}` : 'its input'}`;
    case 'feature': {
      const token = words(change.kind).rowWords[change.row] ?? `token ${change.row}`;
      const { part, feature, to } = change;
      const place = `${where(change)}, ${part === 'ffn' ? 'FFN' : 'stream'} at ${token}`;
      const value = Array.isArray(to) ? 'from the other sentence' : to === 0 ? 'off' : `× ${to}`;
      return `${place}: ${feature === null ? 'all features' : `feature ${feature}`} ${value}`;
    }
    case 'cell':
      return cellLabel(change, words(change.kind));
    default:
      return `${change.name}[${change.row}, ${change.column}] = ${change.value}`;
  }
}

/** @param {0 | 'mean' | number[]} to */
const takenLabel = (to) => (Array.isArray(to) ? 'from the other sentence' : to === 'mean' ? 'average' : 'off');

/** @type {Record<import('./interventions.js').SkipIntervention['node'], (sublayer: number) => string>} */
const SKIPPED = {
  attention: () => 'attention: adds nothing',
  ffn: () => 'FFN: adds nothing',
  norm: (sublayer) => `norm ${sublayer}: skipped`,
};
