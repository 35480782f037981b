// What has been computed, by plan: the picture that is shown, and that of a second plan.

import { withTarget } from './plan.js';

/**
 * A good answer: the plan it belongs to, the tensors that have arrived, and by their names with '@'
 * what the lab made of them; what it calls `unfinished` is asked for again.
 * @typedef {{
 *   plan: import('./plan.js').Plan, tensors: Map<string, import('./worker.js').Tensor>, lab: Map<string, any>,
 *   hidden: Record<string, Uint8Array>, facts: import('./worker.js').Facts,
 * }} Picture
 */

export function createPictures() {
  /** @type {Map<string, Picture>} */
  const byKey = new Map();
  return {
    /** @param {import('./plan.js').Plan | null | undefined} plan */
    of: (plan) => (plan && byKey.get(plan.key)) ?? null,
    /**
     * What has yet to arrive for a plan; null: nothing.
     * @param {import('./plan.js').Plan} plan
     * @param {string[]} names
     */
    missing({ key }, names) {
      const held = byKey.get(key);
      if (!held) return names;
      const rest = names.filter(
        (name) => !held.tensors.has(name) && (held.lab.get(name)?.unfinished ?? !held.lab.has(name)),
      );
      return rest.length ? rest : null;
    },
    /**
     * @param {import('./plan.js').Plan} asked
     * @param {import('./worker.js').Answer} answer
     * @param {import('./plan.js').Description | undefined} description of the plan's model
     */
    take(asked, { tensors, lab, hidden, facts, written }, description) {
      const same = byKey.get(asked.key);
      byKey.set(asked.key, {
        plan: same?.plan ?? (written && description ? withTarget(asked, written, description) : asked),
        tensors: new Map([...(same?.tensors ?? []), ...Object.entries(tensors)]),
        lab: new Map([...(same?.lab ?? []), ...Object.entries(lab)]),
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
