// What is to be expected of the switches: the lesson of a pair, and what was measured.

import { LATER, SEEDS, SWITCHES, TABLE } from './table.js';

/**
 * @typedef {Readonly<Record<string, import('../settings/settings.js').Value>>} Settings
 * @typedef {{name: string, change: Settings, lesson: string, measured: string}} Pair
 */

/** How many switches can be chosen, each for a run of its own beside the unchanged one. */
export const MOST_CHOSEN = 2;
const MOST = 2000; // steps that are offered
const listed = new Intl.ListFormat('en');

/** By task and switch: the pairs that teach something come first. @type {Record<string, Record<string, string>>} */
const LESSONS = {
  reverse: {
    'no positions': 'Never learns: without positions a row is a set of digits.',
    'no scale 1/√d_k': 'Depends on the seed: heads get sharper, and training less reliable.',
  },
  'reverse-variable': {
    'learned positions': 'Sinusoidal positions help where lengths vary.',
    'pre-LN': 'Depends on the seed.',
    'no positions': 'Never learns.',
  },
  sort: { 'no positions': 'Never learns: equal digits get the same output wherever they stand.' },
  order: { 'no positions': 'A coin flip: the two orders are the same to the model.' },
  addition: {
    'linear FFN': 'Here the nonlinearity counts.',
    'one head': 'One head is not enough.',
    'no positions':
      'Learns all the same, only later: the decoder is causal, and its mask tells positions apart. ' +
      `After ${LATER.steps.toLocaleString('en')} steps ${sharesOf(LATER.shares)}; after ${TABLE.addition.steps}`,
  },
};

/** What is said of a task as a whole. @type {Record<string, string>} */
export const ABOUT = {
  copy:
    'No switch matters here: each variant is at 100 % by step 100. What a task does not need, it does not show; the ' +
    'residual connection alone, or one head alone, carries a digit to its position.',
};

/** @param {number[]} shares */
function sharesOf(shares) {
  const numbers = shares.map((share) => Math.round(100 * share));
  return `${numbers.slice(0, -1).join(', ')} and ${numbers[numbers.length - 1]} %`;
}

/**
 * The switches that change something of some settings; those that teach something first.
 * @param {string} task
 * @param {Settings} settings
 * @returns {Pair[]}
 */
export function pairsOf(task, settings) {
  const lessons = LESSONS[task] ?? {};
  const order = Object.keys(lessons);
  const rank = (/** @type {string} */ name) => (order.includes(name) ? order.indexOf(name) : order.length);
  return SWITCHES.filter(({ change }) => Object.entries(change).some(([name, value]) => settings[name] !== value))
    .map(({ name, change }) => ({ name, change, lesson: lessons[name] ?? '', measured: measuredOf(task, name) }))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** @param {string} task @param {string} name of a switch */
function measuredOf(task, name) {
  const shares = TABLE[task]?.switches[SWITCHES.findIndex((each) => each.name === name)];
  return shares ? `${sharesOf(shares)}.` : '';
}

/**
 * What the shares beside the switches are, and whether they are of this race.
 * @param {string} task
 * @param {{step: number, seeds: readonly number[], isRecipe: boolean}} shown in the table of the race
 */
export function scaleOf(task, { step, seeds, isRecipe }) {
  if (!TABLE[task]) return '';
  const { steps, recipe } = TABLE[task];
  const other = [
    ...(isRecipe ? [] : ['other settings']),
    ...(step === steps ? [] : [`step ${step.toLocaleString('en')}`]),
    ...(seeds.every((seed) => SEEDS.includes(seed)) ? [] : ['another seed']),
  ];
  return (
    `Beside a switch: the share of whole held-out rows that the recipe was measured to have right after ${steps} ` +
    `steps with seeds ${SEEDS.join(', ')}; unchanged it was ${sharesOf(recipe)}. ` +
    (other.length ? `The table of this race shows ${listed.format(other)}.` : '')
  );
}

/** How many steps tell them apart. @param {string} task @param {Settings} settings */
export const stepsOf = (task, settings) => TABLE[task]?.steps ?? Math.min(MOST, Number(settings.steps));
