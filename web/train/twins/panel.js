// Twins: what the reader has chosen, their training in a worker of their own, what of it is shown.

import { addStyle } from '../../draw/style.js';
import { hasEnded } from '../../shared/trap.js';
import { MOST_CHOSEN, pairsOf, stepsOf } from './lessons.js';
import { readTwins, writeTwins } from './link.js';
import { createTwinsView } from './view.js';
import css from './style.css';

/**
 * @typedef {import('../state.js').TrainState} TrainState
 * @typedef {import('../run/twins-run.js').TwinsReport} TwinsReport
 * @typedef {import('../run/twins-run.js').TwinLook} TwinLook
 * @typedef {{
 *   names: string[], seeds: number[], until: number, report: TwinsReport | null, looks: TwinLook[],
 * }} Trained what was, or is being, trained: `names` of the variants
 * @typedef {{
 *   page: TrainState, pairs: import('./lessons.js').Pair[], chosen: string[], seeds: number, steps: string,
 *   problem: string, trained: Trained | null, running: boolean, step: number, seed: number,
 *   head: {layer: number, head: number}, cell: {row: number, column: number},
 * }} TwinsState `chosen`: names of switches; `seeds`: how many; `step`: that is shown; `seed`: which one's maps
 */

const MOST_STEPS = 2000;

/**
 * @param {HTMLElement} root
 * @param {Pick<import('../view.js').TrainActions, 'connect' | 'onTwins'>} actions
 * @param {TrainState} page
 */
export function createTwins(root, { connect, onTwins }, page) {
  addStyle(css);
  /** @type {ReturnType<typeof connect> | null} */
  let client = null;
  /** @type {AbortController | null} */
  let training = null;
  let looking = false;
  /** @type {unknown[]} what the twins are of */
  let base = [];
  const moment = () => [state.step, state.seed, state.page.example].join();

  /** @type {TwinsState} */
  const state = {
    page: { ...page },
    pairs: [],
    chosen: [],
    seeds: 3,
    steps: '',
    problem: '',
    trained: null,
    running: false,
    step: 0,
    seed: 0,
    head: { layer: 0, head: 0 },
    cell: { row: 0, column: 0 },
  };
  const view = createTwinsView(root, {
    onChoose(name, isChosen) {
      const others = state.chosen.filter((each) => each !== name);
      set({ chosen: isChosen ? [...others, name].slice(-MOST_CHOSEN) : others });
    },
    onSeeds: (seeds) => set({ seeds }),
    onSteps: (steps) => set({ steps, problem: '' }),
    onTrain: () => train(),
    onCancel: () => training?.abort(),
    onStep(step) {
      look({ step });
      tell();
    },
    onSeed(seed) {
      look({ seed });
      tell();
    },
    onHead: (head) => set({ head }),
    onCell: (cell) => set({ cell }),
  });

  /** @param {Partial<TwinsState>} patch */
  function set(patch) {
    Object.assign(state, patch);
    view.update(state);
  }

  /** @param {any} error */
  function fail(error) {
    const ended = hasEnded(error);
    if (ended) client = null; // the next training starts another one
    set({ problem: ended ? 'Their training has stopped. Train them again.' : error.message });
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

  /** Says the trained ones in the address. */
  function tell() {
    const { trained, pairs, step, seed } = state;
    if (!trained || state.running) return;
    const to = trained.report?.step ?? 0;
    const changes = pairs.filter(({ name }) => trained.names.includes(name)).map(({ change }) => change);
    onTwins(to ? writeTwins({ seeds: trained.seeds.length, to, step, seed, changes }) : '');
  }

  /** Trains those of a link, and shows their step. @param {string} text */
  function restore(text) {
    const found = readTwins(text, state.pairs);
    if (!found) {
      set({ problem: 'The twins of this link could not be read.' });
      return onTwins('');
    }
    const { chosen, seeds, to, step, seed } = found;
    Object.assign(state, { chosen, seeds, steps: String(to) });
    return train({ step, seed });
  }

  /** @param {{step: number, seed: number}} [shown] in the end; by default the last step, the first seed */
  async function train(shown) {
    const until = Number(state.steps);
    if (!(Number.isInteger(until) && until >= 1 && until <= MOST_STEPS))
      return set({ problem: `Steps: must be an integer from 1 to ${MOST_STEPS.toLocaleString('en')}.` });
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
    if (training === controller) {
      training = null;
      set({ running: false });
      if (shown !== undefined) look(shown);
      tell();
    }
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

  return {
    /** @param {TrainState} next */
    update(next) {
      const { task, start, text, level, example } = next;
      const now = [task, start, text, level];
      const isOther = now.some((each, i) => each !== base[i]);
      const isOtherExample = example !== state.page.example;
      base = now;
      state.page = { ...next }; // which changes in place
      if (isOther) {
        end();
        const pairs = pairsOf(task, start);
        const kept = pairs.filter(({ name }) => state.chosen.includes(name));
        const chosen = (kept.length ? kept : pairs.slice(0, 1)).map(({ name }) => name);
        Object.assign(state, { pairs, chosen, steps: String(stepsOf(task, start)) });
      }
      if (isOtherExample) look({});
      view.update(state);
      if (!isOther || !next.twins?.asked) return;
      const { text: asked } = next.twins;
      next.twins.asked = false; // it is under way
      queueMicrotask(() => restore(asked)); // it may change the page, which is being drawn
    },
  };
}
