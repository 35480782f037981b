// All lessons in the order of the list: what this is, the textbook's pages, the puzzles, Train's guided run and its
// challenges.
// A new one is an object in one of these files, or a file of its own and its name in the list below.

import { attentionPages } from './attention.js';
import { challenges } from './challenges.js';
import { featurePages } from './features.js';
import { startPages } from './first.js';
import { guided } from './guided.js';
import { modelPages } from './model.js';
import { puzzles } from './puzzles.js';
import { superpositionPages } from './superposition.js';
import { todayPages } from './today.js';

/**
 * The switch of a task, which stands in it: its name, and by name what each choice makes of the reader's state.
 * @typedef {(state: any, facts: any) => Partial<import('../app/schema.js').State>} Choice
 * @typedef {{label: string | ((facts: any) => string), choices: Record<string, Choice>}} Tool
 */

/**
 * A lesson is data, and its judge a pure function of the facts that its place gives: those of explore/shared/facts.js
 * and `start`, the state of its link, or those of train/facts.js.
 *
 * `link`: the state that it begins with, in Explore what stands behind the '?' of the address, in Train the address.
 * `target`: the part of the page that it speaks of, `figure`: the projector shows it below that. `tool`: the task's
 * switch; `control`: where the reader does a task without. `needs`: tensors and derived values.
 * `text`: sentences, or functions that give one, in which {name} is a number of `numbers` by two decimals, {name%} a
 * share, {name#} a whole number, and a word where it is one; `equation`: those of them that are one; `holds`: whether
 * they speak of the state that is shown, which the task may change; `elsewhere`: they speak of another model, too;
 * `live`: a directive of a view below them.
 * `task`: for the reader, `action`: a button that does it. `seen`: the reader saw this when it was done; `shows`:
 * what the solution shows; `goal`: it in words; `doubt`: a sentence to doubt. `par`: a good score in `unit`, one and
 * many: the fewest changes, or a good number of tries; `limit`: of tries; `number`: of its address, where a later page
 * must not move those of the others.
 * @template [Facts=any]
 * @typedef {{
 *   id: string, title: string, link: string, judge: (facts: Facts) => boolean | Verdict,
 *   target?: string, figure?: string, control?: string, tool?: Tool,
 *   needs?: (query: import('../explore/index.js').Query) => string[],
 *   text?: (string | ((facts: Facts) => string))[], numbers?: Numbers<Facts>, holds?: (facts: Facts) => boolean,
 *   elsewhere?: boolean, live?: (data: null) => unknown, task?: string,
 *   action?: {label: string, to?: number, change?: Record<string, string | number | boolean>},
 *   equation?: import('./sentences.js').Equation,
 *   seen?: {text: string, numbers: Numbers<Facts>, equation?: import('./sentences.js').Equation},
 *   shows?: string, goal?: string, hint?: string,
 *   doubt?: {sentence: string, verdict: string, why: string} | null,
 *   par?: number, unit?: [string, string], limit?: number, number?: number,
 * }} Lesson
 */

/**
 * @template [Facts=any]
 * @typedef {Record<string, (facts: Facts) => number | string>} Numbers
 */

/**
 * `says`: the result in words; `refused`: which rule is broken; `score`: the lower the better, null where tries are
 * counted; `found`: the try; left out, every new result is one; `isTry`: false, it is none.
 * @typedef {{
 *   isMet: boolean, says?: string, refused?: string, score?: number | null, found?: string | null, isTry?: boolean,
 * }} Verdict
 *
 * @typedef {keyof typeof KINDS} Kind
 * @typedef {Lesson & {kind: Kind, number: number}} Listed `number`: in Explore its address
 */

/** `met`: the word for a lesson once its goal is reached. */
export const KINDS = {
  start: { place: 'explore', name: 'What is this? Page', heading: 'What is this?', met: 'done' },
  page: { place: 'explore', name: 'Page', heading: 'How a Transformer works', met: 'done' },
  today: { place: 'explore', name: '2017 → today: page', heading: '2017 → today', met: 'done' },
  features: { place: 'explore', name: 'Neurons and features: page', heading: 'Neurons and features', met: 'done' },
  superposition: { place: 'explore', name: 'Superposition: page', heading: 'Superposition', met: 'done' },
  puzzle: { place: 'explore', name: 'Puzzle', heading: 'Puzzles', met: 'solved' },
  guided: { place: 'train', name: 'Teach it to reverse:', heading: 'In Train: teach it to reverse', met: 'done' },
  challenge: { place: 'train', name: 'Challenge', heading: 'In Train: challenges', met: 'solved' },
};

/** @param {Kind} kind @param {number} first @param {Lesson[]} all @returns {Listed[]} */
function numbered(kind, first, all) {
  let next = first;
  return all.map((lesson) => ({ ...lesson, kind, number: lesson.number ?? next++ }));
}

export const lessons = [
  ...numbered('start', 41, startPages),
  ...numbered('page', 1, [...attentionPages, ...modelPages]),
  ...numbered('today', 51, todayPages),
  ...numbered('features', 61, featurePages),
  ...numbered('superposition', 71, superpositionPages),
  ...numbered('puzzle', 101, puzzles),
  ...numbered('guided', 201, guided),
  ...numbered('challenge', 301, challenges),
];

/** The lesson of a number, or the nearest before it in the list. @param {number} number */
export const lessonAt = (number) =>
  lessons.find((each) => each.number === number) ?? lessons.findLast((each) => each.number < number) ?? lessons[0];

/** @param {{link: string}} lesson of Explore */
export const modelOf = ({ link }) =>
  /** @type {import('../models/catalogue.js').ModelName} */ (new URLSearchParams(link).get('model'));

/** The address that opens a lesson. @param {Listed} lesson */
export const addressOf = (lesson) =>
  KINDS[lesson.kind].place === 'train' ? lesson.link : `#/explore?model=${modelOf(lesson)}&book=${lesson.number}`;
