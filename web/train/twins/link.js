// Twins as a link says them: '3:75:50:2:positions=none,scoreScale=0' are three seeds, trained to step 75, step 50
// shown, the maps of the last of the seeds (of the first where none is said), and one switch of each variant beside
// the unchanged one.

import { writeValue } from '../settings/settings.js';
import { MOST_CHOSEN } from './lessons.js';

/** @param {import('./table.js').Change} change */
const writeChange = (change) =>
  Object.entries(change)
    .map(([name, value]) => `${name}=${writeValue(value)}`)
    .join('~');

/** @param {{seeds: number, to: number, step: number, seed: number, changes: import('./table.js').Change[]}} twins */
export const writeTwins = ({ seeds, to, step, seed, changes }) =>
  `${seeds}:${to}:${step}:${seed ? `${seed}:` : ''}${changes.map(writeChange)}`;

/**
 * @param {string} text
 * @param {import('./lessons.js').Pair[]} pairs that there are
 * @returns {{seeds: number, to: number, step: number, seed: number, chosen: string[]} | null} null: it says no such
 * twins; `seed`: which of them has its maps shown
 */
export function readTwins(text, pairs) {
  const [, ...parts] = /^([13]):(\d{1,4}):(\d{1,4}):(?:(\d):)?(.+)$/.exec(text) ?? [];
  const [seeds, to, step, seed] = parts.map((each) => Number(each ?? 0));
  const given = (parts[4] ?? '').split(',');
  const chosen = pairs.filter(({ change }) => given.includes(writeChange(change))).map(({ name }) => name);
  const fits = to >= 1 && step <= to && seed < seeds && chosen.length === given.length && given.length <= MOST_CHOSEN;
  return fits ? { seeds, to, step, seed, chosen } : null;
}
