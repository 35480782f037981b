// Where two states differ most: the head, and the layer's FFN, with the largest difference in one cell.

import { attentionKinds, attentionName, ffnName, shownOfFfn } from '../../engine/plan.js';
import { axesOf, layOut, overlaps } from './laid-over.js';
import { wordsOf } from './words.js';

/**
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../../app/schema.js').AttentionKind} AttentionKind
 *
 * `at`: the place of the largest difference in that part, of two texts laid over each other; `difference`: now − then.
 * @typedef {{part: number, at: number, difference: number}} Largest
 * @typedef {Largest & {kind: AttentionKind, layer: number}} Place
 */

/** @type {WeakMap<Float32Array, {then: Float32Array, parts: number, found: Largest | null}>} */
const known = new WeakMap();

/**
 * The largest difference of two tensors, searched for once; null: they are equal.
 * @param {Float32Array} now
 * @param {Float32Array} then
 * @param {number} parts equally long, along the first axis
 */
export function largest(now, then, parts) {
  const held = known.get(now);
  if (held && held.then === then && held.parts === parts) return held.found;
  const size = now.length / parts;
  /** @type {Largest | null} */
  let found = null;
  for (let i = 0; i < now.length; i++) {
    if (now[i] === then[i]) continue; // two infinities have no difference; nor have NaN, where a text has no word
    const difference = now[i] - then[i];
    if (Math.abs(difference) > Math.abs(found?.difference ?? 0))
      found = { part: Math.floor(i / size), at: i % size, difference };
  }
  known.set(now, { then, parts, found });
  return found;
}

const SIDES = /** @type {const} */ (['now', 'then']);

/**
 * @param {Result} result
 * @param {Result} second
 * @param {import('../../app/schema.js').FfnQuantity} quantity of the neurons
 * @returns {{head: Place | null, ffn: Place | null} | undefined} null: none differs; undefined: not all is here yet
 */
export function differsMost(result, second, quantity) {
  const both = [result, second];
  const kinds = attentionKinds(result.plan.settings).filter(({ kind }) => {
    const { rows, columns } = axesOf(second, result, kind);
    return (
      overlaps(rows) && overlaps(columns) && attentionKinds(second.plan.settings).some((each) => each.kind === kind)
    );
  });
  const [layers, heads, width] = /** @type {const} */ (['layers', 'heads', 'd_ff']).map((name) =>
    both.map(({ plan }) => plan.settings[name]),
  );
  const shown = both.map(({ plan }) => shownOfFfn(quantity, plan.settings));
  let complete = true;
  /**
   * @param {typeof kinds} of
   * @param {(kind: AttentionKind, layer: number) => string} nameOf
   * @param {number} parts
   */
  function most(of, nameOf, parts) {
    /** @type {Place | null} */
    let best = null;
    for (const { kind } of of)
      for (let layer = 0; layer < Math.min(...layers); layer++) {
        const axes = axesOf(second, result, kind);
        const [now, then] = both.map((each, i) => {
          const data = each.tensors.get(nameOf(kind, layer))?.data;
          const [rows, columns] = [axes.rows, of === kinds ? axes.columns : null].map((axis) => axis?.[SIDES[i]]);
          const { rowWords, columnWords } = wordsOf(each, kind);
          const length = of === kinds ? columnWords.length : each.plan.settings.d_ff;
          return data && layOut(data, rows, columns, [rowWords.length, length]);
        });
        if (!now || !then) {
          complete = false;
          continue;
        }
        const place = largest(now, then, parts);
        if (place && Math.abs(place.difference) > Math.abs(best?.difference ?? 0)) best = { ...place, kind, layer };
      }
    return best;
  }
  const stacks = kinds.filter(({ kind }) => kind !== 'cross');
  const head =
    heads[0] && heads[0] === heads[1]
      ? most(kinds, (kind, layer) => attentionName(kind, layer, 'weights'), heads[0])
      : null;
  const ffn =
    width[0] && width[0] === width[1] && shown[0] === shown[1]
      ? most(stacks, (kind, layer) => ffnName(kind, layer, shown[0]), 1)
      : null;
  return complete ? { head, ffn } : undefined;
}
