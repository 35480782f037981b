// Computes the answer at a row with each head and FFN switched off.

import { attentionKinds } from '../../engine/plan.js';
import { forwardWithInterventions } from '../../engine/intervene.js';
import { layersOf } from '../../engine/patches.js';
import { probabilitiesAt } from '../shared/answer-row.js';

/**
 * '@ablations/' and the row: each head and FFN, with the probabilities of all words there while its output is 0;
 * '@ablations/9/at': 0 at this row alone, of the parts that the row has.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function ablations({ gf, config, build, ids, targetIds, interventions }, row, at = '') {
  const model = build(config);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  /** @param {import('../../engine/interventions.js').Intervention} off */
  function without(off) {
    const { logits } = forwardWithInterventions(model, input, [...interventions, off]);
    return probabilitiesAt(gf, logits, Number(row));
  }
  const count = (/** @type {unknown} */ length) => [...Array(Number(length)).keys()];
  const all = attentionKinds(/** @type {any} */ (config));
  const kinds = at ? all.filter(({ stack }) => stack === all[all.length - 1].stack) : all;
  const to = /** @type {const} */ (0);
  const here = Number(row);
  try {
    const heads = kinds.flatMap(({ kind, stack }) =>
      count(layersOf(stack, config)).flatMap((layer) =>
        count(config.heads).map((head) => ({
          ...{ kind, layer, head },
          probabilities: without(
            at ? { what: 'headAt', kind, layer, head, row: here, to } : { what: 'head', kind, layer, head, to },
          ),
        })),
      ),
    );
    const stacks = config.d_ff ? [...new Set(kinds.map(({ stack }) => stack))] : [];
    const ffns = stacks.flatMap((kind) =>
      count(layersOf(kind, config)).map((layer) => ({
        ...{ kind, layer },
        probabilities: without(
          at
            ? { what: 'ffnAt', kind, layer, row: here, to }
            : { what: 'skip', node: 'ffn', kind, layer, sublayer: 0, to },
        ),
      })),
    );
    return { heads, ffns };
  } finally {
    model.free();
  }
}
