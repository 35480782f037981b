// Which head of a model says most about a text: the one that is least like a fixed pattern.

import { attentionName, clampSelection } from './plan.js';

/**
 * The distance of a head's attention from even attention and from patterns that need no reading of the text: the token
 * before, the token itself, the same key for every query. 0: one of these in each row; 1: nothing in common with any.
 * @param {Float32Array} weights [size, size]
 * @param {number} size
 */
export function departureOf(weights, size) {
  const rows = Array.from({ length: size }, (_, row) => weights.subarray(row * size, (row + 1) * size));
  const sums = Array.from({ length: size }, (_, key) => rows.reduce((sum, each) => sum + each[key], 0));
  const same = sums.reduce((best, each, key) => (each > sums[best] ? key : best), 0);
  let [sum, count] = [0, 0];
  rows.forEach((row, at) => {
    const open = row.filter((weight) => weight > 0);
    if (open.length < 3) return; // the mask leaves no more than the fixed patterns have
    const fromEven = open.reduce((so, weight) => so + Math.abs(weight - 1 / open.length), 0) / 2;
    sum += Math.min(fromEven, 1 - (row[at - 1] ?? 0), 1 - row[at], 1 - row[same]);
    count++;
  });
  return count ? sum / count : 0;
}

/**
 * @param {import('./results.js').Result} result
 * @param {import('../app/schema.js').State} state
 * @returns {import('../app/schema.js').Selection | null} null: cross-attention or a layer's mean is shown
 */
export function tellingHead({ plan: { settings, tokens }, tensors }, state) {
  const { kind, mean } = clampSelection(state.selection, settings);
  if (mean || kind === 'cross') return null;
  const size = tokens[kind]?.words.length ?? 0;
  /** @type {{layer: number, head: number, departure: number}[]} */
  const all = [];
  for (let layer = 0; layer < settings.layers; layer++) {
    const weights = tensors.get(attentionName(kind, layer, 'weights'))?.data; // of a long text one layer is here
    for (let head = 0; weights && head < settings.heads; head++) {
      const departure = departureOf(weights.subarray(head * size ** 2, (head + 1) * size ** 2), size);
      all.push({ layer, head, departure });
    }
  }
  const best = all.sort((a, b) => b.departure - a.departure)[0];
  return best && best.departure > 0 ? { kind, layer: best.layer, head: best.head } : null;
}
