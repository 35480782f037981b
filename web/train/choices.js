// Which run is shown: the reader's choice of task, settings, text and one switch, a link's, or that of a file.

import { LIVE, settingsAt } from './settings/changes.js';
import { FIELDS, problemOf, readValue } from './settings/settings.js';
import { recipeOf, stepOf } from './state.js';
import { MOST_PINS } from './watch/comparison-view.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {import('./state.js').Settings} Settings
 */

/** The task of the guided run. */
const GUIDED = 'reverse';
const SEEN = 200; // steps/s

/**
 * @param {object} place
 * @param {TrainState} place.state
 * @param {() => ReturnType<typeof import('./client.js').connectTrainer>} place.client
 * @param {(patch: Partial<TrainState>) => void} place.set
 * @param {(report: import('./state.js').Report) => void} place.take
 * @param {import('./course.js').Course} place.course
 * @param {ReturnType<typeof import('./link.js').createLink>} place.link
 */
export function createChoices({ state, client, set, take, course, link }) {
  const { inTurn } = course;
  /** An FFN alone would be done before it is seen. @param {string} task */
  const speedOf = (task) => (state.tasks.get(task)?.ffn ? SEEN : state.speed === SEEN ? 0 : state.speed);

  /** @returns {import('./watch/comparison-view.js').Pin} */
  const pinOf = () => ({
    settings: state.start,
    changes: state.changes,
    loss: [...state.loss],
    checks: state.report?.checks ?? [],
  });

  const choices = {
    /**
     * A new run; at once up to a step where a link says so.
     * @param {string} task @param {Settings} [settings] @param {number} [to] @param {boolean} [isEntry] of the history
     * @param {TrainState['changes']} [changes] on the way
     * @returns {Promise<unknown>}
     */
    open(task, settings = recipeOf(state, task), to = 0, isEntry = false, changes = []) {
      if (isEntry) link.write(); // Back is to lead to this moment
      const last = state.task === task ? state.head : null;
      if (state.task !== task) Object.assign(state, { pins: [], example: 0, speed: speedOf(task) });
      if (task !== GUIDED) state.guide = null;
      const until = Number(settingsAt(settings, changes, Infinity).steps);
      const twins = state.twins?.asked ? state.twins : null; // of other settings
      set({ task, settings, start: settings, changes, problem: null, until, twins });
      return inTurn(async () => {
        if (isEntry) link.enter({ task, settings, step: 0 }, recipeOf(state, task));
        const report = await client().start({ task, settings, changes, example: state.example });
        state.head = last ?? { layer: report.look.maps.length - 1, head: 0 };
        state.cell = null;
        take(report);
      }).then(() => {
        if (state.report || !state.problem) return to && !state.problem && course.trainTo(to, 0);
        state.notice = `The settings of this link cannot be (${state.problem.text}): these are the recipe’s.`;
        return choices.open(task); // there would be nothing to see, and no field to mend it
      });
    },

    /** Shows a run that the worker has opened. @param {import('./client.js').Opened} opened */
    takeOver(opened) {
      link.write();
      const { facts, settings, report } = opened;
      const { changes, step } = report;
      link.enter({ task: facts.name, settings, changes, step }, facts.recipe);
      Object.assign(state, { guide: null, notice: '', twins: null });
      choices.showOpened(opened);
    },

    /** @param {import('./client.js').Opened} opened @param {TrainState['pins']} [pins] */
    showOpened({ facts, settings, source, report }, pins = []) {
      const { name: task } = facts;
      if (state.task !== task) state.pins = pins;
      const tasks = new Map([...state.tasks, [task, facts]]);
      const until = Math.max(Number(settingsAt(settings, report.changes, Infinity).steps), report.step);
      Object.assign(state, { tasks, task, start: settings, ...source, until, problem: null, example: 0 });
      take(report);
    },

    /** Shows a step of the recipe's run, taken if need be. @param {number} to */
    goTo(to) {
      const recipe = recipeOf(state);
      const isRecipe = FIELDS.every(({ name }) => name === 'seed' || state.start[name] === recipe[name]);
      if (isRecipe && !state.changes.length) return course.reach(to);
      return choices.open(state.task, { ...recipe, seed: state.settings.seed }, to);
    },

    /** @param {number | null} page of the guided run; null: it is closed */
    turnGuide(page) {
      const begins = state.guide === null && page !== null;
      set({ guide: page, ...(begins ? { pins: [] } : {}) });
      if (begins) choices.open(GUIDED, undefined, 0, state.task !== GUIDED);
      else link.writeSoon();
    },

    /** @param {string} name @param {string} text */
    setField(name, text) {
      const field = FIELDS.find((each) => each.name === name);
      if (!field) return;
      const value = readValue(field, text);
      const problem = problemOf(field, value, state.settings);
      if (problem) return set({ problem: { field: name, text: `${problem}, not ${text || 'empty'}`, typed: text } });
      return LIVE.includes(name)
        ? choices.goOnWith({ [name]: value })
        : choices.open(state.task, { ...state.settings, [name]: value });
    },

    /**
     * Goes on with other values of some settings; what came after that step is dropped.
     * @param {Settings} patch of what can change during a run @param {number} [from] by default the step that is shown
     */
    async goOnWith(patch, from) {
      const goesOn = state.running;
      await inTurn(async () => {}); // it pauses, at a step that is only then known
      const at = from ?? stepOf(state);
      if (at === 0) await choices.open(state.task, { ...state.settings, ...patch });
      else
        await inTurn(async () => {
          take(await client().change({ step: at, patch, example: state.example }));
          set({ problem: null, until: Number(patch.steps ?? state.until) });
        });
      if (goesOn && !state.problem) await course.play();
    },

    /** @param {string} text @param {string} level */
    useText(text, level) {
      return inTurn(async () => {
        try {
          const tasks = new Map([...state.tasks, ['text', await client().text({ text, level })]]);
          Object.assign(state, { tasks, text, level, example: 0 });
        } catch (error) {
          return set({ problem: { field: 'text', text: /** @type {Error} */ (error).message, typed: text } });
        }
        choices.open('text');
      });
    },

    /** Keeps the curves of the present run beside those of the next. */
    pin: () => set({ pins: [...state.pins, pinOf()] }),

    /** Trains the recipe with one switch changed beside the present run. @param {Record<string, any>} change */
    twin(change) {
      const pins = stepOf(state) && state.pins.length < MOST_PINS ? [...state.pins, pinOf()] : state.pins;
      /** @type {Settings} */
      const settings = { ...recipeOf(state), seed: state.settings.seed, ...change };
      set({ pins });
      choices.open(state.task, settings, Number(settings.steps));
    },
  };
  return choices;
}
