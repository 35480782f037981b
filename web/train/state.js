// The state of the place Train.

import { readHidden } from './life/life.js';
import { readSpeed } from './pace.js';
import { createStore } from '../kit/store.js';
import { initialState } from './schema.js';
import { settingsAt } from './settings/changes.js';

/**
 * @typedef {import('./run/worker.js').Report} Report
 * @typedef {import('./run/worker.js').TaskFacts} TaskFacts
 * @typedef {Readonly<Record<string, import('./settings/settings.js').Value>>} Settings
 * @typedef {{
 *   settings: Settings, changes: readonly import('./settings/changes.js').Change[], loss: number[],
 *   checks: import('./run/run.js').Check[],
 * }} Before a run that is compared with: its settings at the first step, and what was changed on the way
 * @typedef {{
 *   tasks: ReadonlyMap<string, TaskFacts>, task: string, settings: Settings, start: Settings,
 *   changes: readonly import('./settings/changes.js').Change[], report: Report | null, whole: Report | null,
 *   until: number, edits: boolean, trial: import('./features/break-it.js').Trial | null,
 *   running: boolean, speed: number, example: number | string, head: {layer: number, head: number},
 *   cell: {row: number, column: number} | null, loss: number[], rate: number[], norm: number[],
 *   layers: (number[] | null)[],
 *   text: string, level: string, draft: {text: string, level: string} | null,
 *   before: Before | null, lesson: string,
 *   problem: {field: string, text: string, typed: string} | null, notice: string, ended: boolean,
 *   link: string, canShare: boolean,
 *   hidden: import('./life/life.js').Hidden,
 *   comparison: import('./comparison.js').Comparison | null, opens: boolean,
 *   scheme: import('../draw/color.js').Scheme,
 * }} TrainState `settings`: those of the step that is shown, `start`: of the first; `example`: a held-out row, or the
 * text of one of the reader's own; `until`: where training pauses; `problem`: a value that a setting cannot have, as it
 * was typed; `ended`: there is no worker any more; `cell`: of the maps, null until the reader chooses one; `lesson`:
 * the address of the one that is open, '' for none; `whole`: the
 * last report with all of its parts, of this step or one before; `draft`: what stands in the box of the reader's own
 * text, where that is not what is trained on; `edits`: the field for a
 * row of the reader's own is open; `trial`: the switch of Break it that was turned;
 * `comparison`: that the address says; `opens`: of a link, which is to be shown
 */

/**
 * The state before the worker has said what tasks there are.
 * @param {Pick<TrainState, 'scheme' | 'canShare'>} given
 * @returns {TrainState}
 */
export const firstState = (given) => ({ ...initialState(), speed: readSpeed(), hidden: readHidden(), ...given });

/** @param {TrainState} state @param {string} [task] */
export const recipeOf = ({ tasks, task: shown }, task = shown) => /** @type {TaskFacts} */ (tasks.get(task)).recipe;

/**
 * Whether a run is the recipe's, of which the texts about a task speak; with any seed.
 * @param {Pick<TrainState, 'start' | 'tasks' | 'task'> & {changes?: TrainState['changes']}} state
 */
export const isRecipe = ({ start, changes = [], tasks, task }) =>
  !changes.length &&
  Object.entries(start).every(([name, value]) => name === 'seed' || value === tasks.get(task)?.recipe[name]);

/**
 * The cell of a head's map that the reader has chosen. Until then the first one, or where a causal mask leaves but one
 * weight there, that to which the last query attends most.
 * @param {TrainState} state
 */
export function cellOf({ cell, head, report, settings }) {
  const { size, data } = /** @type {Report} */ (report).inspection.maps[head.layer];
  if (cell) return { row: Math.min(cell.row, size - 1), column: Math.min(cell.column, size - 1) };
  if (!settings.causal) return { row: 0, column: 0 };
  const row = [...data.subarray((head.head + 1) * size * size - size, (head.head + 1) * size * size)];
  return { row: size - 1, column: row.indexOf(Math.max(...row)) };
}

/** The length of the curves' axes. @param {TrainState} state */
export const lengthOf = ({ report, until, loss, before }) =>
  Math.max(1, report?.step ?? 0, until, loss.length, before?.loss.length ?? 0);

/** The trial that waits for an answer. @param {TrainState} state */
export const askedOf = ({ trial }) => (trial?.said === null ? trial : null);

/** The step that is shown. @param {TrainState} state */
export const stepOf = ({ report }) => report?.step ?? 0;

/**
 * The class of a control that is of use from the first step on; it keeps its space before.
 * @param {TrainState} state @param {string} name its own class
 */
export const laterClass = (state, name) =>
  stepOf(state) || state.running || state.edits ? name : `${name} train-later`;

/** @typedef {ReturnType<typeof createPlace>} Place */

/**
 * The parts that all of Train shares: the store, its update by a report, and the worker.
 * @param {import('./train.js').TrainClient} client
 * @param {Parameters<typeof firstState>[0]} given
 */
export function createPlace(client, given) {
  const { get, set, subscribe } = createStore(firstState(given));
  let isQuiet = false;

  /** A change that the next one shows with it. @param {Partial<TrainState>} patch */
  function put(patch) {
    isQuiet = true;
    set(patch);
    isQuiet = false;
  }

  /** @param {Report} report */
  function take(report) {
    const state = get();
    const { curve, changes, inspection, step } = report;
    /** @template T @param {T[]} before @param {readonly T[]} more @returns {T[]} */
    const joined = (before, more) => [...before.slice(0, curve.from), ...more];
    const count = inspection.maps.length;
    const heads = inspection.maps[0]?.heads ?? 1;
    const { layer, head } = state.head;
    set({
      report,
      whole: inspection.hash === null ? state.whole : report,
      changes,
      settings: settingsAt(state.start, changes, step),
      loss: joined(state.loss, curve.loss),
      rate: joined(state.rate, curve.rate),
      norm: joined(state.norm, curve.norm),
      layers: joined(state.layers, curve.layers),
      head: { layer: Math.max(0, Math.min(layer, count - 1)), head: Math.min(head, heads - 1) }, // an FFN has no maps
    });
  }

  return {
    client,
    get,
    set,
    put,
    take,
    draw: () => set({}),
    /** @param {() => void} watcher is called after each change */
    watch: (watcher) => void subscribe(() => isQuiet || watcher()),
  };
}
