// What typing means for the state: the chosen words stay chosen, and another text chooses its own.

import { isOtherText, moveWithText } from './moving.js';

/**
 * @typedef {import('../index.js').State} State
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../../engine/plan.js').Tokens} Tokens
 */

/**
 * Edits in one go are counted from the text as it was before the first of them: a word that is being changed, and
 * meanwhile is none that the model knows, is found again.
 * @param {{get: () => State, set: (patch: Partial<State>) => void, plan: (of?: State) => Plan}} tools
 */
export function createTyping({ get, set, plan }) {
  /** @type {{state: State, tokens: Plan['tokens'], last: State, isOther: boolean} | null} */
  let from = null;

  /** Whether nothing but this typing changed the state meanwhile. */
  function goesOn() {
    const now = get();
    const last = from?.last;
    if (!last) return false;
    const moved = ['cursor', 'brush', 'interventions', 'text', 'targetText', 'settings', 'model'].filter(
      (name) => /** @type {any} */ (now)[name] !== /** @type {any} */ (last)[name],
    );
    return moved.length === 0 || (from?.isOther === true && !now.own.row && String(moved) === 'cursor');
  }

  return {
    /**
     * @param {'encoder' | 'decoder'} stack whose text is edited
     * @param {Partial<State>} change
     * @param {State} [since] before it, if it is made already
     */
    edit(stack, change, since) {
      const now = get();
      const old = plan(since).tokens;
      const tokens = plan({ ...now, ...change }).tokens; // of the plan that the new state will have
      const [before, after] = [old[stack], tokens[stack]];
      if (since || !goesOn()) from = { state: since ?? now, tokens: old, last: now, isOther: false };
      const start = /** @type {NonNullable<typeof from>} */ (from);
      start.isOther ||= Boolean(before && after && isOtherText(before, after));
      const first = start.tokens[stack];
      set({
        ...change,
        ...(first && after ? moveWithText(start.state, stack, first, after) : {}),
        ...(start.isOther
          ? { follow: true, own: { row: false, key: false }, brush: [], interventions: start.state.interventions }
          : {}),
      });
      start.last = get();
    },
  };
}
