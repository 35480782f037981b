// Computes the answer at a row with each head and FFN switched off.

import { attentionKinds } from '../../engine/plan.js';
import { forwardWithInterventions } from '../../engine/intervene.js';
import { layersOf } from '../../engine/patches.js';
import { probabilitiesAt } from '../shared/answer-row.js';

/**
 * `head`: null of an FFN.
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {{kind: import('../../app/schema.js').AttentionKind, layer: number, head: number | null}} Place
 */

/**
 * '@ablations/' and the row: each head and FFN, with the probabilities of all words there while its output is 0;
 * '@ablations/9/at': 0 at this row alone, of the parts that the row has.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function ablations({ gf, config, build, ids, targetIds, interventions }, row, at = '') {
  const model = build(config);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  const lengths = /** @type {[number, number]} */ ([ids.length, (targetIds ?? ids).length]);
  try {
    const tried = switchedOff(config, { row: Number(row), isHere: at !== '', to: 0, lengths }).map(
      ([place, changes]) => {
        const { logits } = forwardWithInterventions(model, input, [...interventions, ...changes]);
        return { ...place, probabilities: probabilitiesAt(gf, logits, Number(row)) };
      },
    );
    return { heads: tried.filter(({ head }) => head !== null), ffns: tried.filter(({ head }) => head === null) };
  } finally {
    model.free();
  }
}

/**
 * Each head, then each FFN, and the changes that switch it off. At one row only the parts of the answer's own stack
 * have it.
 * @param {Record<string, any>} config
 * @param {{row: number, isHere: boolean, to: 0 | 'mean', lengths: [source: number, target: number]}} how
 * @returns {[Place, Intervention[]][]}
 */
export function switchedOff(config, { row, isHere, to, lengths }) {
  const count = (/** @type {number} */ n) => [...Array(Number(n)).keys()];
  const all = attentionKinds(/** @type {any} */ (config));
  const last = all[all.length - 1].stack;
  const kinds = isHere ? all.filter(({ stack }) => stack === last) : all;
  /** @param {Omit<Place, 'head'> & {head: number}} place @returns {[Place, Intervention[]]} */
  const head = (place) => [place, [isHere ? { what: 'headAt', ...place, row, to } : { what: 'head', ...place, to }]];
  /** @param {Omit<Place, 'head'>} place @returns {[Place, Intervention[]]} */
  function ffn(place) {
    const ffnAt = (/** @type {number} */ each) => ({ what: /** @type {const} */ ('ffnAt'), ...place, row: each, to });
    const rows = () => count(lengths[place.kind === last ? 1 : 0]); // a mean everywhere is put in at each row
    const skip = { what: /** @type {const} */ ('skip'), node: /** @type {const} */ ('ffn'), ...place, sublayer: 0 };
    return [{ ...place, head: null }, isHere ? [ffnAt(row)] : to === 0 ? [{ ...skip, to }] : rows().map(ffnAt)];
  }
  const stacks = config.d_ff ? [...new Set(kinds.map(({ stack }) => stack))] : [];
  return [
    ...kinds.flatMap(({ kind, stack }) =>
      count(layersOf(stack, config)).flatMap((layer) => count(config.heads).map((i) => head({ kind, layer, head: i }))),
    ),
    ...stacks.flatMap((kind) => count(layersOf(kind, config)).map((layer) => ffn({ kind, layer }))),
  ];
}
