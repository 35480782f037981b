// What the reader's actions mean.

import { seedsIn } from './schema.js';
import { guessOf, valueAt } from './guess.js';
import { claimOf, forget, reveal, setSwitch, setSwitches } from './state.js';

const NOTHING_FOUND = { verdict: null, comparisons: [], seconds: null, when: null };

/**
 * @param {import('./state.js').Store} store @param {import('./runs.js').Runs} runs
 * @param {ReturnType<typeof import('./link.js').createLink>} link @param {import('./claims.js').ClaimsClient} client
 */
export function createActions({ get, set }, runs, link, client) {
  const { run: onRun, cancel: onCancel } = runs;

  function onReveal() {
    if (get().address.number === null) return;
    set(reveal(get()));
    link.write(); // the card's own, where the place opened on it unasked
    return runs.show();
  }

  function onPredict() {
    const { address, choice, sure, guess: place, answers } = get();
    const claim = claimOf(get());
    if (choice === null || !claim) return;
    const axis = guessOf(claim);
    const guess = axis && place !== null ? valueAt(axis, place) : null;
    answers.set(claim.number, { ...NOTHING_FOUND, params: seedsIn(address.params), predicted: choice, sure, guess });
    return onReveal();
  }

  function onForget() {
    const { address, answers } = get();
    if (address.number === null) return;
    runs.cancel();
    answers.set(address.number, { ...NOTHING_FOUND, params: {}, predicted: null, sure: null, guess: null });
    set(forget(get()));
  }

  /** All cards ask again. */
  function onClear() {
    const { answers, seen } = get();
    const bringBack = answers.clear();
    const undo = () => {
      bringBack();
      set({ seen: new Set([...get().seen, ...seen]), undo: null });
    };
    set({ seen: new Set(), undo });
  }

  /** @param {Partial<import('./state.js').ClaimsState>} patch @param {boolean} atOnce whether it is run */
  function change(patch, atOnce) {
    set(patch);
    if (!patch.address) return;
    link.write();
    runs.relate();
    return runs.afterSwitch(atOnce);
  }

  /** With another worker, where the former failed. */
  function onAgain() {
    client.restart();
    return get().claims.size ? runs.run() : link.open();
  }

  return {
    onRun,
    onCancel,
    onReveal,
    onPredict,
    onForget,
    onClear,
    onAgain,
    onChoice: (/** @type {number} */ choice) => set({ choice }),
    onSure: (/** @type {number} */ sure) => set({ sure }),
    onGuess: (/** @type {number} */ guess) => set({ guess }),
    onCards: (/** @type {readonly number[]} */ cards) => {
      set({ address: { ...get().address, cards: cards.length ? cards : undefined } });
      link.write();
    },
    onSearch: (/** @type {string} */ query) => set({ query }),
    onSwitch: (/** @type {string} */ name, /** @type {string} */ text) =>
      change(setSwitch(get(), name, text), !claimOf(get())?.long),
    onSwitches: (/** @type {import('./schema.js').Params} */ params) => change(setSwitches(get(), params), true),
  };
}
