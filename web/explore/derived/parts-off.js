// '@parts-off/12', '@parts-off/12/at', '@parts-off/12/at/mean': what is left of the answer at a row with each head and
// FFN switched off by itself, at every token or at that row alone, its output 0 or its mean over the text.

import { attentionKinds } from '../../engine/plan.js';
import { forwardWithInterventions } from '../../engine/intervene.js';
import { layersOf } from '../../engine/patches.js';
import { probabilitiesAt } from '../shared/answer-row.js';
import { largest } from '../shared/order.js';

const PART = 16; // ms, a frame

/**
 * `left`: the probability of the answer without the part; `to`: the answer then, with its probability.
 * @typedef {import('./attribution.js').Part} Part
 * @typedef {Omit<Part, 'value'> & {left: number, to: number, share: number}} Off
 *
 * `id`: the answer of all parts together, and its probability.
 * @typedef {{unfinished?: true, of: number, id: number, share: number, parts: Off[]}} PartsOff
 *
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {{key: string, model: import('../../engine/worker.js').Model | null, found: PartsOff}} Work
 */

/** The last one of each engine: parts are tried a few at a time. @type {WeakMap<object, Work>} */
const begun = new WeakMap();

/**
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} row @param {string} at @param {string} by
 * @returns {PartsOff}
 */
export function partsOff({ gf, name, config, build, ids, targetIds, interventions }, row, at = '', by = '') {
  const length = (targetIds ?? ids).length;
  const here = Math.min(Number(row), length - 1);
  const all = tries(config, {
    here,
    isHere: at === 'at',
    to: by === 'mean' ? 'mean' : 0,
    length: [ids.length, length],
  });
  const key = JSON.stringify([name, config, ids, targetIds, interventions, row, at, by]);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  const end = performance.now() + PART;
  let work = begun.get(gf);
  if (work?.key !== key) {
    work?.model?.free();
    work = { key, model: build(config), found: { of: all.length, id: 0, share: 0, parts: [] } };
    begun.set(gf, work);
    const { data, id } = answer([]);
    Object.assign(work.found, { id, share: data[id] });
  }
  const { found } = work;
  while (work.model && found.parts.length < all.length && performance.now() < end) {
    const [part, changes] = all[found.parts.length];
    const { data, id } = answer(changes);
    found.parts.push({ ...part, left: data[found.id], to: id, share: data[id] });
  }
  if (found.parts.length < all.length) return { ...found, parts: found.parts.slice(), unfinished: true };
  work.model?.free();
  work.model = null;
  return { ...found };

  /** @param {Intervention[]} changes */
  function answer(changes) {
    const { model } = /** @type {{model: import('../../engine/worker.js').Model}} */ (work);
    const { logits } = forwardWithInterventions(model, input, [...interventions, ...changes]);
    const data = probabilitiesAt(gf, logits, here);
    return { data, id: largest(data, 1)[0] };
  }
}

/**
 * Each part, and the changes that switch it off. At one token only the parts of the answer's own stack have it.
 * @param {Record<string, any>} config
 * @param {{here: number, isHere: boolean, to: 0 | 'mean', length: [source: number, target: number]}} how
 * @returns {[Omit<Part, 'value'>, Intervention[]][]}
 */
function tries(config, { here, isHere, to, length }) {
  const count = (/** @type {number} */ n) => [...Array(n).keys()];
  const kinds = attentionKinds(/** @type {any} */ (config));
  const own = isHere ? kinds.filter(({ stack }) => stack === kinds[kinds.length - 1].stack) : kinds;
  const stacks = config.d_ff ? [...new Set(own.map(({ stack }) => stack))] : [];
  return [
    ...own.flatMap(({ kind, stack }) =>
      count(layersOf(stack, config)).flatMap((layer) =>
        count(config.heads).map((head) => {
          const change = isHere
            ? { what: /** @type {const} */ ('headAt'), kind, layer, head, row: here, to }
            : { what: /** @type {const} */ ('head'), kind, layer, head, to };
          return /** @type {[Omit<Part, 'value'>, Intervention[]]} */ ([{ kind, layer, head }, [change]]);
        }),
      ),
    ),
    ...stacks.flatMap((kind) =>
      count(layersOf(kind, config)).map((layer) => {
        const rows = isHere ? [here] : count(kind === stacks[stacks.length - 1] ? length[1] : length[0]);
        const changes = rows.map((row) => ({ what: /** @type {const} */ ('ffnAt'), kind, layer, row, to }));
        return /** @type {[Omit<Part, 'value'>, Intervention[]]} */ ([{ kind, layer, head: null }, changes]);
      }),
    ),
  ];
}
