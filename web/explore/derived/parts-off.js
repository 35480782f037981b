// '@parts-off/12', '@parts-off/12/at', '@parts-off/12/at/mean': what is left of the answer at a row with each head and
// FFN switched off by itself, at every token or at that row alone, its output 0 or its mean over the text.

import { forwardWithInterventions } from '../../engine/intervene.js';
import { probabilitiesAt } from '../shared/answer-row.js';
import { largest } from '../shared/order.js';
import { switchedOff } from './ablations.js';

const PART = 16; // ms, a frame

/**
 * `left`: the probability of the answer without the part; `to`: the answer then, with its probability.
 * @typedef {import('./ablations.js').Place & {left: number, to: number, share: number}} Off
 *
 * `id`: the answer of all parts together, and its probability.
 * @typedef {{unfinished?: true, of: number, id: number, share: number, parts: Off[]}} PartsOff
 *
 * @typedef {ReturnType<typeof switchedOff>} Tried
 * @typedef {{
 *   key: string, model: import('../../engine/worker.js').Model | null, found: PartsOff, all: Tried,
 * }} Work
 */

/** The last one of each engine: parts are tried a few at a time. @returns {WeakMap<object, Work>} */
const works = () => new WeakMap();
const [begunOff, begunFrom] = [works(), works()]; // both may be asked for by turns

/**
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} row @param {string} at @param {string} by
 * @returns {PartsOff}
 */
export const partsOff = (context, row, at = '', by = '') => triedParts(context, { row, at, by });

/**
 * `from`: what is put in place of each part instead, made after a pass without a change, and more that is found.
 * @param {import('../../engine/derived.js').Context} context
 * @param {{row: string, at: string, by: string, from?: (model: import('../../engine/worker.js').Model, all: Tried) =>
 *   {all: Tried, found: object}}} how
 * @returns {PartsOff}
 */
export function triedParts({ gf, name, config, build, ids, targetIds, interventions }, { row, at, by, from }) {
  const begun = from ? begunFrom : begunOff;
  const lengths = /** @type {[number, number]} */ ([ids.length, (targetIds ?? ids).length]);
  const here = Math.min(Number(row), lengths[1] - 1);
  const key = JSON.stringify([name, config, ids, targetIds, interventions, row, at, by]);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  const end = performance.now() + PART;
  let work = begun.get(gf);
  if (work?.key !== key) {
    work?.model?.free();
    const all = switchedOff(config, { row: here, isHere: at === 'at', to: by === 'mean' ? 'mean' : 0, lengths });
    work = { key, all, model: build(config), found: { of: all.length, id: 0, share: 0, parts: [] } };
    try {
      const { data, id } = answer([]);
      Object.assign(work.found, { id, share: data[id] });
      const other = from?.(/** @type {import('../../engine/worker.js').Model} */ (work.model), all);
      if (other) Object.assign(work, { all: other.all, found: { ...work.found, ...other.found } });
    } catch (error) {
      work.model?.free();
      begun.delete(gf);
      throw error;
    }
    begun.set(gf, work);
  }
  const { all, found } = work;
  while (work.model && found.parts.length < all.length && performance.now() < end) {
    const [part, changes] = all[found.parts.length];
    const { data, id } = answer(changes);
    found.parts.push({ ...part, left: data[found.id], to: id, share: data[id] });
  }
  if (found.parts.length < all.length) return { ...found, parts: found.parts.slice(), unfinished: true };
  work.model?.free();
  work.model = null;
  return { ...found };

  /** @param {import('./ablations.js').Intervention[]} changes */
  function answer(changes) {
    const { model } = /** @type {{model: import('../../engine/worker.js').Model}} */ (work);
    const { logits } = forwardWithInterventions(model, input, [...interventions, ...changes]);
    const data = probabilitiesAt(gf, logits, here);
    return { data, id: largest(data, 1)[0] };
  }
}
