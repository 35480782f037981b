// Twins as a link says them: '3:75:50:positions=none,scoreScale=0' are three seeds, trained to step 75, step 50 shown,
// and one switch of each variant beside the unchanged one.

import { writeValue } from '../settings/settings.js';
import { MOST_CHOSEN } from './lessons.js';

/** @param {import('./table.js').Change} change */
const writeChange = (change) =>
  Object.entries(change)
    .map(([name, value]) => `${name}=${writeValue(value)}`)
    .join('~');

/** @param {{seeds: number, to: number, step: number, changes: import('./table.js').Change[]}} twins */
export const writeTwins = ({ seeds, to, step, changes }) => `${seeds}:${to}:${step}:${changes.map(writeChange)}`;

/**
 * @param {string} text
 * @param {import('./lessons.js').Pair[]} pairs that there are
 * @returns {{seeds: number, to: number, step: number, chosen: string[]} | null} null: it says no such twins
 */
export function readTwins(text, pairs) {
  const [, ...parts] = /^([13]):(\d{1,4}):(\d{1,4}):(.+)$/.exec(text) ?? [];
  const [seeds, to, step] = parts.map(Number);
  const given = (parts[3] ?? '').split(',');
  const chosen = pairs.filter(({ change }) => given.includes(writeChange(change))).map(({ name }) => name);
  const fits = to >= 1 && step <= to && chosen.length === given.length && given.length <= MOST_CHOSEN;
  return fits ? { seeds, to, step, chosen } : null;
}
