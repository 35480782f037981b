// Twins: what the reader has chosen, and what of their training is shown.

import { addStyle } from '../../draw/style.js';
import { MOST_CHOSEN, pairsOf, stepsOf } from './lessons.js';
import { readTwins, writeTwins } from './link.js';
import { createTraining } from './training.js';
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

/**
 * @param {HTMLElement} root
 * @param {Pick<import('../view.js').TrainActions, 'connect' | 'onTwins'>} actions
 * @param {TrainState} page
 */
export function createTwins(root, { connect, onTwins }, page) {
  addStyle(css);
  /** @type {unknown[]} what the twins are of */
  let base = [];

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
  const training = createTraining(state, set, connect);
  const view = createTwinsView(root, {
    onChoose(name, isChosen) {
      const others = state.chosen.filter((each) => each !== name);
      set({ chosen: isChosen ? [...others, name].slice(-MOST_CHOSEN) : others });
    },
    onSeeds: (seeds) => set({ seeds }),
    onSteps: (steps) => set({ steps, problem: '' }),
    onTrain: () => train(),
    onCancel: training.cancel,
    onStep(step) {
      training.look({ step });
      tell();
    },
    onSeed(seed) {
      training.look({ seed });
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
    if (!(await training.train())) return;
    if (shown) training.look(shown);
    tell();
  }

  return {
    /** @param {TrainState} next */
    update(next) {
      const { task, start, text, level, example, twins } = next;
      const now = [task, start, text, level];
      const isOther = now.some((each, i) => each !== base[i]);
      const isOtherExample = example !== state.page.example;
      base = now;
      state.page = { ...next }; // which changes in place
      if (isOther) {
        training.end();
        const pairs = pairsOf(task, start);
        const kept = pairs.filter(({ name }) => state.chosen.includes(name));
        const chosen = (kept.length ? kept : pairs.slice(0, 1)).map(({ name }) => name);
        Object.assign(state, { pairs, chosen, steps: String(stepsOf(task, start)) });
      }
      if (isOtherExample) training.look({});
      view.update(state);
      if (!isOther || !twins?.asked) return;
      twins.asked = false; // it is under way
      queueMicrotask(() => restore(twins.text)); // it may change the page, which is being drawn
    },
  };
}
