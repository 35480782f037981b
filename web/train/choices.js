// Applies the reader's changes to the run: its step, settings, text and one switch.

import { taskOf } from './schema.js';
import { LIVE } from './settings/changes.js';
import { FIELDS, problemOf, readValue } from './settings/settings.js';
import { recipeOf, stepOf } from './state.js';

/**
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {import('./state.js').Settings} Settings
 */

/** The present run as it stays beside the next one. @param {TrainState} state */
export function beforeNext(state) {
  const { start, changes, loss, report, before } = state;
  if (!stepOf(state)) return before;
  return { settings: start, changes, loss: [...loss], checks: report?.checks ?? [] };
}

/**
 * @param {import('./state.js').Place} place
 * @param {import('./playback.js').Playback} playback
 * @param {ReturnType<typeof import('./link.js').createRunLink>} link
 * @param {ReturnType<typeof import('./opening.js').createOpening>} opening
 */
export function createChoices({ get, client, set, take }, playback, link, { open }) {
  const { inTurn } = playback;

  const choices = {
    /** Shows a step of the recipe's run, taken if need be. @param {number} to */
    goTo(to) {
      const recipe = recipeOf(get());
      const isRecipe = FIELDS.every(({ name }) => name === 'seed' || get().start[name] === recipe[name]);
      if (isRecipe && !get().changes.length) return playback.reach(to);
      return open(get().task, { ...recipe, seed: get().settings.seed }, to);
    },

    /**
     * @param {string} lesson its address, '' for none
     * @param {{begins?: boolean, isEntry?: boolean}} [how] `begins`: with a run of its own; `isEntry`: of the history
     */
    turnLesson(lesson, { begins = false, isEntry = false } = {}) {
      set({ lesson, ...(begins ? { before: null } : {}) });
      if (begins) open(taskOf(lesson), undefined, 0, isEntry);
      else link.writeSoon();
    },

    /** Asks what is expected of a change; null takes the question back. @param {Settings | null} change */
    ask: (change) => set({ notice: '', trial: change && { change, before: get().start, said: null } }),

    /** @param {string} name @param {string} text */
    setField(name, text) {
      const field = FIELDS.find((each) => each.name === name);
      if (!field) return;
      const value = readValue(field, text);
      const problem = problemOf(field, value, get().settings);
      if (problem) {
        const reason = `${problem}, not ${text || 'empty'}; the recipe has ${recipeOf(get())[name]}`;
        return set({ problem: { field: name, text: reason, typed: text } });
      }
      if (LIVE.includes(name)) return choices.goOnWith({ [name]: value });
      const before = beforeNext(get());
      return open(get().task, { ...get().settings, [name]: value }).then(() => {
        if (!get().problem) set({ before });
      });
    },

    /**
     * Goes on with other values of some settings; later steps are dropped.
     * @param {Settings} patch of what can change during a run @param {number} [from] by default the step that is shown
     */
    async goOnWith(patch, from) {
      const goesOn = get().running;
      await inTurn(async () => {}); // it pauses, at a step that is only then known
      const at = from ?? stepOf(get());
      if (at === 0) await open(get().task, { ...get().settings, ...patch });
      else
        await inTurn(async () => {
          const { example } = get();
          take(await client.change({ step: at, patch, example }));
          set({ problem: null, until: Number(patch.steps ?? get().until) });
        });
      if (goesOn && !get().problem) await playback.play();
    },

    /** Operates at the step that is shown; the curves of a run that has gone on stay. @param {Settings} patch */
    async operate(patch) {
      const { changes } = get();
      if (get().loss.length > (changes.at(-1)?.[0] ?? 0)) set({ before: beforeNext(get()) });
      await choices.goOnWith(patch);
    },

    /** Trains the recipe with one switch changed beside the present run. @param {Record<string, any>} change */
    trainWith(change) {
      /** @type {Settings} */
      const settings = { ...recipeOf(get()), seed: get().settings.seed, ...change };
      set({ before: beforeNext(get()) });
      open(get().task, settings, Number(settings.steps));
    },
  };
  return choices;
}
