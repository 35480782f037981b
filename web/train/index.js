// Train's features in the order of the page. A new one is a file of features/ and a line here.

import { breakIt, trial } from './features/break-it.js';
import { curves, rate } from './features/curves.js';
import { heads } from './features/heads.js';
import { held } from './features/held.js';
import { keep } from './features/keep.js';
import { operate } from './features/operate.js';
import { row, rows } from './features/row.js';
import { course, run, runs } from './features/run.js';
import { facts, settings } from './features/settings.js';
import { about, tasks } from './features/tasks.js';

/**
 * The values that a feature is rendered from.
 * @typedef {{
 *   state: import('./state.js').TrainState, report: import('./state.js').Report,
 *   scheme: import('../draw/color.js').Scheme,
 * }} Context
 *
 * The functions that a feature may call: `reveal` opens a fold below the first screen and goes there.
 * @typedef {import('./train.js').Actions & import('../kit/feature.js').LocalTools &
 *   {reveal: (name: string) => void}} Tools
 *
 * @typedef {import('../kit/feature.js').Feature<Context, Context, Tools>} Feature
 * @typedef {import('../kit/feature.js').LateFeature<Feature>} Late
 */

/** @param {Context} context */
const isFfn = ({ report }) => Boolean(report.inspection.ffn);

/** Whether the link or the reader has asked for a lesson. @param {Context} context */
const asksForLesson = ({ state }) => state.lesson !== '';

/** Whether a fold is open. @param {string} name */
const open = (name) => () =>
  /** @type {HTMLDetailsElement | null} */ (document.getElementById(`train-fold-${name}`))?.open ?? false;

/** @type {(Feature | Late)[]} */
export const features = [
  tasks,
  keep,
  {
    name: 'lessons',
    slot: 'runs',
    when: asksForLesson,
    load: async () => (await import('./features/lessons.js')).lessonPanel,
  },
  about,
  row,
  {
    name: 'own-text',
    slot: 'shown',
    when: ({ state }) => state.task === 'text',
    load: async () => (await import('./features/own-text.js')).ownText,
  },
  { name: 'ffn', slot: 'front', when: isFfn, load: async () => (await import('./features/ffn.js')).ffn },
  heads,
  held,
  run,
  course,
  breakIt,
  operate,
  trial,
  runs,
  facts,
  rate,
  settings,
  rows,
  { name: 'ffn-saved', slot: 'keep', when: isFfn, load: async () => (await import('./features/ffn.js')).ffnSaved },
  // During a run each frame draws one of the features that are aside, the last first.
  { name: 'ffn-curve', slot: 'charts', when: isFfn, load: async () => (await import('./features/ffn.js')).ffnCurve },
  {
    name: 'compare',
    slot: 'compare',
    aside: true,
    when: open('compare'),
    load: async () => (await import('./features/compare.js')).compare,
  },
  {
    name: 'layers',
    slot: 'layers',
    aside: true,
    when: open('layers'),
    load: async () => (await import('./features/layers.js')).layers,
  },
  {
    name: 'neurons',
    slot: 'neurons',
    aside: true,
    when: open('neurons'),
    load: async () => (await import('./features/neurons.js')).neurons,
  },
  curves,
];
