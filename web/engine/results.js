// The computed results by plan: of the present state and of the pinned one.

import { isOfPart } from './part.js';
import { withTarget } from './plan.js';

/**
 * A result: the plan it belongs to, the tensors that have arrived, the derived values by their names with
 * '@' (one that is `unfinished` is asked for again), and for each kind of attention the cells that a mask hides.
 * @typedef {{
 *   plan: import('./plan.js').Plan, tensors: Map<string, import('./protocol.js').Tensor>, derived: Map<string, any>,
 *   hidden: Record<string, Uint8Array>, facts: import('./protocol.js').RunFacts,
 * }} Result
 */

/** Bytes of tensors that are kept of a text of which one layer is computed at a time. */
const MOST = 2 ** 28;

/**
 * The newest tensors that fit.
 * @param {[string, import('./protocol.js').Tensor][]} all
 */
function newest(all) {
  let bytes = 0;
  const kept = all.toReversed().filter(([, { data }]) => (bytes += data.byteLength) <= MOST);
  return new Map(kept.reverse());
}

export function createResults() {
  /** @type {Map<string, Result>} */
  const byKey = new Map();
  return {
    /** @param {import('./plan.js').Plan | null | undefined} plan */
    of: (plan) => (plan && byKey.get(plan.key)) ?? null,
    /**
     * The names that have yet to arrive for a plan; null: none.
     * @param {import('./plan.js').Plan} plan
     * @param {string[]} names
     * @param {number} layer that is selected
     */
    missing({ key }, names, layer) {
      const held = byKey.get(key);
      if (!held) return names;
      const isOther = (held.facts.part ?? layer) !== layer;
      const rest = names.filter(
        (name) =>
          (isOther && isOfPart(name)) ||
          (!held.tensors.has(name) && (held.derived.get(name)?.unfinished ?? !held.derived.has(name))),
      );
      return rest.length ? rest : null;
    },
    /**
     * @param {import('./plan.js').Plan} asked
     * @param {import('./protocol.js').RunResponse} response
     * @param {import('./plan.js').ModelInfo | undefined} modelInfo of the plan's model
     */
    add(asked, { tensors, derived, hidden, facts, written }, modelInfo) {
      const same = byKey.get(asked.key);
      const all = [...(same?.tensors ?? []), ...Object.entries(tensors)];
      byKey.set(asked.key, {
        plan: same?.plan ?? (written && modelInfo ? withTarget(asked, written, modelInfo) : asked),
        tensors: facts.part === null ? new Map(all) : newest(all),
        derived: new Map([...(same?.derived ?? []), ...Object.entries(derived)]),
        hidden: same?.hidden ?? hidden,
        facts,
      });
    },
    /** Forgets all but these. @param {(import('./plan.js').Plan | null | undefined)[]} plans */
    keep(plans) {
      for (const key of [...byKey.keys()]) if (!plans.some((plan) => plan?.key === key)) byKey.delete(key);
    },
  };
}
