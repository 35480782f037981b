// The state of the place Train.

import { canShare } from './keep/keep.js';
import { readHidden } from './life/life.js';
import { FIRST_TEXT } from './text/first-text.js';

/**
 * @typedef {import('./run/worker.js').Report} Report
 * @typedef {import('./run/worker.js').TaskFacts} TaskFacts
 * @typedef {Readonly<Record<string, import('./settings/settings.js').Value>>} Settings
 * @typedef {{
 *   tasks: ReadonlyMap<string, TaskFacts>, task: string, settings: Settings, start: Settings,
 *   changes: readonly import('./settings/changes.js').Change[], report: Report | null, until: number,
 *   running: boolean, speed: number, example: number | string, head: {layer: number, head: number},
 *   cell: {row: number, column: number}, loss: number[], rate: number[], norm: number[],
 *   layers: (number[] | null)[],
 *   text: string, level: string, pins: import('./watch/comparison-view.js').Pin[], guide: number | null,
 *   problem: {field: string, text: string, typed: string} | null, notice: string, link: string, canShare: boolean,
 *   hidden: import('./life/life.js').Hidden,
 *   scheme: import('../draw/color.js').Scheme,
 * }} TrainState `settings`: those of the step that is shown, `start`: of the first; `example`: a held-out row, or the
 * text of one of the reader's own; `until`: where training pauses; `problem`: a value that a setting cannot have, as it
 * was typed; `guide`: the page of the guided run that is open
 */

/** @param {TrainState['scheme']} scheme @returns {TrainState} before the worker has said what tasks there are */
export const firstState = (scheme) => ({
  tasks: new Map(),
  task: '',
  settings: {},
  start: {},
  changes: [],
  report: null,
  until: 0,
  running: false,
  speed: 0,
  example: 0,
  head: { layer: 0, head: 0 },
  cell: { row: 0, column: 0 },
  loss: [],
  rate: [],
  norm: [],
  layers: [],
  pins: [],
  guide: null,
  text: FIRST_TEXT,
  level: 'words',
  problem: null,
  notice: '',
  link: '',
  canShare: canShare(),
  hidden: readHidden(),
  scheme,
});

/** @param {TrainState} state @param {string} [task] */
export const recipeOf = ({ tasks, task: shown }, task = shown) => /** @type {TaskFacts} */ (tasks.get(task)).recipe;

/** The step that is shown. @param {TrainState} state */
export const stepOf = ({ report }) => report?.step ?? 0;
