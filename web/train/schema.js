// Train's schema: its initial state, and the part of it in a link: '#/train?task=…', with what differs from the
// task's recipe, what changes on the way ('at=200:learningRate=0.001'), the step. '#/train': nothing does.

import { initialOf, linkOf, parse, partOf, partsOf, readParts } from '../kit/address.js';
import { PARTS, readComparison, writeComparison } from './comparison.js';
import { readChanges, writeChange } from './settings/changes.js';
import { FIELDS, problemOf, readValue, unnamed, writeValue } from './settings/settings.js';
import { FIRST_TEXT } from './own-text.js';

/**
 * @typedef {import('../kit/address.js').Field & {control?: import('./settings/settings.js').Field}} Field
 * @typedef {Readonly<Record<string, import('./settings/settings.js').Value>>} Settings
 * @typedef {{
 *   task: string, settings: Settings, changes?: readonly import('./settings/changes.js').Change[], step: number,
 *   lesson?: string, comparison?: import('./comparison.js').Comparison | null,
 * }} Moment of a run; `settings`: with which the run begins; `lesson`: the address of the one that is open;
 * `comparison`: see compare/compare.js
 */

const FIRST = 'reverse';
const GUIDE_PAGES = 7; // lessons of the guided run, which are fetched when one is opened
const MOST_STEPS = 20_000;

/** The initial values that no link contains: see the type in state.js. */
const UNLINKED = {
  tasks: new Map(),
  start: {},
  report: null,
  whole: null,
  until: 0,
  running: false,
  edits: false,
  trial: null,
  example: 0,
  head: { layer: 0, head: 0 },
  cell: null,
  loss: [],
  rate: [],
  norm: [],
  layers: [],
  before: null,
  text: FIRST_TEXT,
  level: 'words',
  draft: null,
  problem: null,
  notice: '',
  ended: false,
  link: '',
  opens: false,
};

/** @param {number} low @param {number} high @param {string} text */
const wholeOf = (low, high, text) => {
  const value = Number(text);
  return Number.isInteger(value) && value >= low && value <= high ? value : undefined;
};

/** The address of a page of the guided run. @param {string} text counted from 1; 0: none @param {Moment} moment */
function readGuide(text, { task }) {
  const page = wholeOf(0, GUIDE_PAGES, text);
  if (!page) return page === 0 ? '' : undefined;
  return task === FIRST ? `#/train?guide=${page}` : '';
}

/** The task of a lesson. @param {string} lesson its address */
export const taskOf = (lesson) => partOf(lesson, 'task') ?? FIRST;

/**
 * The rows of a link, in its order. @param {Settings} recipe of its task
 * @returns {Field[]}
 */
const rowsOf = (recipe) => [
  {
    path: 'task',
    address: 'task',
    codec: { write: String, read: (text, { task }) => (text === task ? task : undefined) },
  },
  ...FIELDS.filter(({ name }) => name in recipe).map((field) => ({
    path: `settings.${field.name}`,
    address: field.name,
    codec: { write: writeValue, read: (/** @type {string} */ text) => readValue(field, text) },
    problem: (/** @type {any} */ value, /** @type {Moment} */ { settings }) => problemOf(field, value, settings),
    control: field,
  })),
  { path: 'lesson', address: 'guide', codec: { write: (lesson) => partOf(lesson, 'guide') ?? '', read: readGuide } },
  {
    path: 'lesson',
    address: 'challenge',
    codec: { write: () => '', read: (text, { task }) => (text === '1' ? `#/train?task=${task}&challenge=1` : '') },
  },
  {
    path: 'changes',
    address: ['at'],
    bare: true,
    group: {
      write: (changes) => changes.map((/** @type {any} */ change) => ['at', writeChange(change)]),
      read(parts, { settings }) {
        const texts = parts.map(([, text]) => text);
        const { changes, refused } = readChanges(texts, settings, MOST_STEPS);
        return { value: changes, refused: refused ? ['at'] : [] };
      },
    },
  },
  { path: 'step', address: 'step', codec: { write: String, read: (text) => wholeOf(0, MOST_STEPS, text) } },
  {
    path: 'comparison',
    address: PARTS,
    bare: true,
    group: {
      write: (comparison) => (comparison ? writeComparison(comparison) : []),
      read(parts, { settings }) {
        const { comparison, refused } = readComparison(new Map(parts.map(([name, text]) => [name, text])), settings);
        return { value: comparison, refused };
      },
    },
  },
];

/** A run of a task by its recipe. @param {string} task @param {Settings} recipe */
const baseOf = (task, recipe) => ({
  task,
  settings: unnamed(recipe), // a text's held-out part is always named
  changes: /** @type {readonly import('./settings/changes.js').Change[]} */ ([]),
  step: 0,
  lesson: '',
  comparison: /** @type {import('./comparison.js').Comparison | null} */ (null),
});

/** The state of the place at its beginning. */
export const initialState = () =>
  initialOf([...Object.entries({ ...UNLINKED, ...baseOf('', {}) }).map(([path, initial]) => ({ path, initial }))]);

/** @param {Moment} moment @param {Settings} recipe of the task */
export function writeAddress(moment, recipe) {
  const base = baseOf(moment.task, recipe);
  const parts = partsOf(rowsOf(recipe), { ...base, ...moment }, base);
  return linkOf('train', parts.length || moment.task !== FIRST ? [['task', moment.task], ...parts] : []);
}

/**
 * Reads an address. `refused`: names of its parts that cannot be used.
 * @param {string} hash
 * @param {ReadonlyMap<string, Settings>} recipes by task
 * @returns {Required<Moment> & {refused: string[]}}
 */
export function readAddress(hash, recipes) {
  const asked = partOf(hash, 'task') ?? FIRST;
  const task = recipes.has(asked) ? asked : FIRST;
  const recipe = /** @type {Settings} */ (recipes.get(task));
  const { state, refused } = readParts(parse(hash).parts, rowsOf(recipe), baseOf(task, recipe));
  return { ...state, refused: refused.map(({ name }) => name) };
}
