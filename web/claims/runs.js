// Requests to the worker: the run of the card that is shown, and other views of the card.

import { isSame } from './schema.js';
import { claimOf, found, isFresh } from './state.js';
import { createTask } from '../kit/task.js';

/** @typedef {ReturnType<typeof createRuns>} Runs */

/**
 * @param {import('./state.js').Store} store
 * @param {import('./claims.js').ClaimsClient} client
 */
export function createRuns({ get, set }, client) {
  const task = createTask();

  /** Keeps the first verdict. A control or a boundary has none. */
  function keep() {
    const { answers, result } = get();
    const claim = claimOf(get());
    if (!claim || result?.outcome.kind !== 'sentence') return;
    const { verdict: last, params, when } = answers.get(claim.number);
    if (last && !isSame(claim, params, result.params)) return;
    const { outcome: verdict, comparisons, seconds } = result;
    answers.set(claim.number, {
      params: result.params,
      verdict,
      comparisons,
      seconds,
      when: (last && when) || Date.now(),
    });
  }

  function cancel() {
    task.stop();
    set({ progress: null, soFar: null });
  }

  async function run() {
    const claim = claimOf(get());
    if (!claim) return;
    const { number } = claim;
    const { params } = get().address;
    set({ progress: 0, soFar: null, problem: '' });
    await task.run((signal, onProgress) => client.run({ number, params, signal, onProgress }), {
      /** @type {import('./worker.js').OnShare} */
      progress: (progress, soFar) => set({ progress, ...(soFar && { soFar }) }),
      done(finding) {
        set(found(get(), { ...finding, params }));
        keep();
        set({}); // the prediction beside it
      },
      failed: (problem) => set({ progress: null, soFar: null, problem }),
    });
  }

  /** Shows what was found at these switches, which is run if it is not there. */
  function show() {
    if (!isFresh(get())) return run();
    keep();
    set({});
  }

  /** Ends the run at the former switches. @param {boolean} atOnce runs the present ones unless they have a result */
  function afterSwitch(atOnce) {
    if (atOnce && !isFresh(get())) return run();
    cancel();
  }

  /** Asks for other views of the card at its switches. */
  async function relate() {
    const { number, params } = get().address;
    if (number === null) return;
    const related = await client.related({ number, params }).catch(() => null);
    const { address } = get();
    if (address.number === number && address.params === params) set({ related });
  }

  return { run, cancel, show, afterSwitch, relate };
}
