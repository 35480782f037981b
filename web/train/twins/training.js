// The training of twins in a worker of their own, and what it shows of other moments.

import { hasEnded } from '../../shared/trap.js';
import { inWords } from '../../shared/in-words.js';
import { labelOf } from '../settings/settings.js';

/**
 * @typedef {import('./panel.js').TwinsState} TwinsState
 * @typedef {import('./panel.js').Trained} Trained
 */

const MOST_STEPS = 2000;

/**
 * @param {TwinsState} state
 * @param {(patch: Partial<TwinsState>) => void} set
 * @param {() => import('../client.js').TrainClient} connect
 */
export function createTraining(state, set, connect) {
  /** @type {import('../client.js').TrainClient | null} */
  let client = null;
  /** @type {AbortController | null} */
  let training = null;
  let looking = false;
  const moment = () => [state.step, state.seed, state.page.example].join();

  /** @param {any} error */
  function fail(error) {
    const ended = hasEnded(error);
    if (ended) client = null; // the next training starts another one
    set({ problem: ended ? 'Their training has stopped. Train them again.' : inWords(error, labelOf) });
  }

  /** Shows another moment or seed; of several asked for meanwhile the last. @param {Partial<TwinsState>} patch */
  async function look(patch) {
    set(patch);
    if (state.running || looking || !client || !state.trained) return;
    looking = true;
    const asked = moment();
    const { step, seed, trained } = state;
    try {
      const looks = await client.twinLook({ step, seed, example: state.page.example });
      if (state.trained === trained) set({ trained: { ...trained, looks } });
    } catch (error) {
      fail(error);
    }
    looking = false;
    if (state.trained && asked !== moment()) look({});
  }

  /** @returns {Promise<boolean>} whether it has ended, and no other has begun */
  async function train() {
    const until = Number(state.steps);
    if (!(Number.isInteger(until) && until >= 1 && until <= MOST_STEPS)) {
      set({ problem: `Steps: must be an integer from 1 to ${MOST_STEPS.toLocaleString('en')}.` });
      return false;
    }
    const { task, start, text, level, example } = state.page;
    const chosen = state.pairs.filter(({ name }) => state.chosen.includes(name));
    const seeds = state.seeds === 1 ? [Number(start.seed)] : [0, 1, 2];
    const controller = new AbortController();
    training = controller;
    const names = ['unchanged', ...chosen.map(({ name }) => name)];
    /** @type {Trained} */
    const trained = { names, seeds, until, report: null, looks: [] };
    set({ problem: '', running: true, trained, step: 0, seed: 0 });
    try {
      client ??= connect();
      await client.twins({
        task,
        source: task === 'text' ? { text, level: /** @type {'words' | 'characters'} */ (level) } : null,
        variants: [start, ...chosen.map(({ change }) => ({ ...start, ...change }))],
        seeds,
        until,
        seed: 0,
        example,
        signal: controller.signal,
        onProgress(report, looks) {
          if (training === controller) set({ trained: { ...trained, report, looks }, step: report.step });
        },
      });
    } catch (error) {
      if (training === controller) fail(error);
    }
    if (training !== controller) return false;
    training = null;
    set({ running: false });
    return true;
  }

  /** Ends what is under way: another task, or another run, was chosen. */
  function end() {
    training?.abort();
    training = null;
    client?.end();
    client = null;
    looking = false;
    Object.assign(state, { trained: null, running: false, problem: '' });
  }

  return { train, look, end, cancel: () => training?.abort() };
}
