// The address of a run: '#/train?task=…', what differs from the task's recipe, what changes on the way
// ('at=200:learningRate=0.001') and the step. '#/train': nothing does. A text's held-out part is always named.

import { PARTS, readComparison, writeComparison } from './compare/compare.js';
import { goneOf, readChanges, writeChange } from './settings/changes.js';
import { FIELDS, problemOf, readValue, unnamed, writeValue } from './settings/settings.js';

/**
 * @typedef {Readonly<Record<string, import('./settings/settings.js').Value>>} Settings
 * @typedef {{
 *   task: string, settings: Settings, changes?: readonly import('./settings/changes.js').Change[], step: number,
 *   guide?: number | null, comparison?: import('./compare/compare.js').Comparison | null,
 * }} Place `settings`: with which the run begins; `guide`: its page;
 * `comparison`: see compare/compare.js
 */

const FIRST = 'reverse';
export const GUIDE_PAGES = 7; // of guide.js, which is fetched when it is opened
const MOST_STEPS = 20_000;

/** @param {Place} place @param {Settings} recipe of the task */
export function writeAddress({ task, settings, changes = [], step, guide = null, comparison = null }, recipe) {
  const rest = unnamed(recipe);
  const changed = FIELDS.filter(({ name }) => settings[name] !== rest[name]);
  const parts = changed.map(({ name }) => [name, writeValue(settings[name])]);
  if (guide !== null) parts.push(['guide', String(guide + 1)]);
  if (task === FIRST && !parts.length && !changes.length && !step && !comparison) return '#/train';
  const given = [
    new URLSearchParams([['task', task], ...parts]),
    ...changes.map((change) => `at=${writeChange(change)}`),
    ...(step ? [`step=${step}`] : []),
    ...(comparison ? writeComparison(comparison).map((each) => each.join('=')) : []),
  ];
  return `#/train?${given.join('&')}`;
}

/**
 * What an address says, and what of it cannot be.
 * @param {string} hash
 * @param {ReadonlyMap<string, Settings>} recipes by task
 * @returns {Required<Place> & {challenge: boolean, refused: string[], gone: string[]}} `challenge`: whether that of the
 * task starts; `gone`: what Train no longer has
 */
export function readAddress(hash, recipes) {
  const parts = new URLSearchParams(hash.replace(/^[^?]*\??/, ''));
  const task = parts.get('task') ?? FIRST;
  const known = recipes.has(task);
  const recipe = unnamed(/** @type {Settings} */ (recipes.get(known ? task : FIRST)));
  const refused = known ? [] : ['task'];
  const step = Number(parts.get('step') ?? 0);
  const fits = Number.isInteger(step) && step >= 0 && step <= MOST_STEPS;
  if (!fits) refused.push('step');
  /** @type {string[]} */
  const gone = [];
  /** @type {Record<string, import('./settings/settings.js').Value>} */
  const given = {};
  for (const [name, text] of parts) {
    const field = FIELDS.find((each) => each.name === name);
    const lost = goneOf(name, text);
    if (lost && name in recipe) gone.push(lost);
    else if (field && name in recipe) given[name] = readValue(field, text);
    else if (!['task', 'step', 'guide', 'challenge', 'at', ...PARTS].includes(name)) refused.push(name);
  }
  const page = Number(parts.get('guide') ?? 0);
  const isPage = Number.isInteger(page) && page >= 0 && page <= GUIDE_PAGES;
  if (!isPage) refused.push('guide');
  const guide = isPage && page > 0 && (known ? task : FIRST) === FIRST ? page - 1 : null;
  const challenge = parts.get('challenge') === '1';
  const settings = { ...recipe, ...given };
  for (const field of FIELDS) {
    if (!(field.name in given) || !problemOf(field, given[field.name], settings)) continue;
    settings[field.name] = recipe[field.name];
    refused.push(field.name);
  }
  const { changes, refused: some, gone: others } = readChanges(parts.getAll('at'), settings, MOST_STEPS);
  gone.push(...others.filter((each) => !gone.includes(each)));
  if (some) refused.push('at');
  const { comparison, refused: unread } = readComparison(parts, settings);
  refused.push(...unread);
  return {
    task: known ? task : FIRST,
    settings,
    changes,
    step: fits ? step : 0,
    guide,
    challenge,
    comparison,
    refused,
    gone,
  };
}
