// Changes during a run: from which step on which settings hold, and which heads are cut (cuts.js). Any other setting
// restarts the run.

import { canCut, cutsOf, settingsOf } from './cuts.js';
import { FIELDS, problemOf, readValue, writeValue } from './settings.js';

/**
 * @typedef {Readonly<Record<string, import('./settings.js').Value>>} Settings
 * @typedef {readonly [step: number, settings: Settings]} Change that holds from the step which follows `step`
 */

/** Settings that can change during a run: neither weights nor moments depend on them. */
export const LIVE = [
  'learningRate',
  'schedule',
  'warmup',
  'steps',
  'batch',
  'weightDecay',
  'dropout',
  'labelSmoothing',
  'clip',
  'frozen',
];

/**
 * The settings with which a step is left.
 * @param {Settings} settings with which the run began
 * @param {readonly Change[]} changes
 * @param {number} step
 * @returns {Settings}
 */
export const settingsAt = (settings, changes, step) =>
  Object.assign({}, settings, ...changes.filter(([at]) => at <= step).map(([, patch]) => settingsOf(patch)));

/** The settings that change at a step. @param {readonly Change[]} changes @param {number} step */
export const changeAt = (changes, step) => changes.find(([at]) => at === step)?.[1] ?? {};

/**
 * The stretches of a run with the same settings, and the first row of the data that each takes.
 * @param {Settings} settings
 * @param {readonly Change[]} changes
 */
export function stretchesOf(settings, changes) {
  const stretches = [{ from: 0, row: 0, settings }];
  for (const [from, patch] of changes) {
    const last = stretches[stretches.length - 1];
    const row = last.row + (from - last.from) * Number(last.settings.batch);
    stretches.push({ from, row, settings: { ...last.settings, ...settingsOf(patch) } });
  }
  return stretches;
}

/**
 * With one more change, which takes the place of those that came later.
 * @param {Settings} settings
 * @param {readonly Change[]} changes
 * @param {number} step
 * @param {Settings} patch
 * @returns {Change[]}
 */
export function withChange(settings, changes, step, patch) {
  const earlier = changes.filter(([at]) => at < step);
  const before = settingsAt(settings, earlier, step);
  const wanted = { ...settingsAt(settings, changes, step), ...settingsOf(patch) };
  const differ = Object.entries(wanted).filter(([name, value]) => value !== before[name]);
  const all = { ...changeAt(changes, step), ...patch };
  if (all.cut) differ.push(['cut', all.cut]);
  return differ.length ? [...earlier, [step, Object.fromEntries(differ)]] : earlier;
}

/** For an address: '200:learningRate=0.001,clip=0.5'. @param {Change} change */
export function writeChange([step, patch]) {
  const settings = Object.entries(settingsOf(patch)).map(([name, value]) => `${name}=${writeValue(value)}`);
  return `${step}:${[...settings, ...cutsOf(patch).map((each) => `cut=${each}`)]}`;
}

/**
 * @param {readonly string[]} texts in the order of steps
 * @param {Settings} settings with which the run begins
 * @param {number} most steps
 * @returns {{changes: Change[], refused: boolean}} `refused`: whether one of them cannot be
 */
export function readChanges(texts, settings, most) {
  /** @type {Change[]} */
  let changes = [];
  let refused = false;
  for (const text of texts) {
    const [, at, list = ''] = /^(\d{1,9}):(.+)$/.exec(text) ?? [];
    const step = Number(at);
    for (const each of list.split(',')) {
      const [name, value = ''] = each.split('=');
      const field = FIELDS.find((one) => one.name === name && LIVE.includes(name) && name in settings);
      const fits = step >= (changes.at(-1)?.[0] ?? 1) && step <= most;
      const before = changeAt(changes, step);
      const given = field ? readValue(field, value) : '';
      if (fits && name === 'cut' && canCut(value, settings, before))
        changes = withChange(settings, changes, step, { cut: `${before.cut ?? ''} ${value}`.trim() });
      else if (!fits || !field || problemOf(field, given, settings)) refused = true;
      else changes = withChange(settings, changes, step, { [name]: given });
    }
  }
  return { changes, refused };
}
