// A comparison: up to three runs side by side over seeds, which of them there are, what a link says of one, and what
// came of it. '#/train?task=order&runs=positions=none,heads=1&seeds=5&within=100&threshold=.9': beside the run of the
// link's own settings two that differ, each with seeds 0 to 4.

import { FIELDS, isBlock, isPossible, readValue, valueText, writeValue } from './settings/settings.js';
import { BLOCKS, TODAYS, blockName, blockOf } from './settings/blocks.js';

/**
 * @typedef {Readonly<Record<string, import('./settings/settings.js').Value>>} Settings
 * @typedef {{name: string, change: Settings, lesson: string}} Other a run that differs; `lesson`: what it teaches
 * @typedef {{changes: Settings[], seeds: number, within: number, threshold: number}} Comparison `seeds`: how many;
 *   `within`: so many steps; `threshold`: the share of held-out rows to reach
 */

/** The most runs that can stand beside the reader's own. */
export const MOST_OTHERS = 2;
export const MOST_STEPS = 2000;
export const SEEDS = [1, 3, 5, 10];
export const THRESHOLDS = [0.5, 0.9, 0.99];
/** The names in an address. */
export const PARTS = ['runs', 'seeds', 'within', 'threshold', 'twins'];

/** @type {[string, Settings][]} */
const SWITCHES = [
  ['no scale 1/√d_k', { scoreScale: false }],
  ['no positions', { positions: 'none' }],
  ['learned positions', { positions: 'learned' }],
  ['no residual connections', { residual: false }],
  ['pre-LN', { norm: 'pre' }],
  ['no norm', { norm: 'none' }],
  ['linear FFN', { activation: 'none' }],
  ['no FFN', { d_ff: 0 }],
  ['one head', { heads: 1 }],
];

const DISTANCES = 'Rotary scores depend on distances alone, and this task asks for places.';

/** By task and switch: those that teach something come first. @type {Record<string, Record<string, string>>} */
const LESSONS = {
  reverse: {
    'no positions': 'Without positions a row is a set of digits: nothing can be learnt.',
    'no scale 1/√d_k': 'Heads get sharper, and training depends more on the seed.',
    'rotary positions': DISTANCES,
    [TODAYS]: DISTANCES,
    'no FFN': 'Attention alone moves a digit to its place.',
  },
  'reverse-variable': {
    'learned positions': 'Sinusoidal positions help where lengths vary.',
    'pre-LN': 'It depends on the seed.',
    'no positions': 'Without positions a row is a set of digits.',
    'rotary positions': DISTANCES,
    [TODAYS]: DISTANCES,
  },
  sort: {
    'no positions': 'Equal digits get the same output wherever they stand.',
    'rotary positions': DISTANCES,
    [TODAYS]: DISTANCES,
  },
  order: {
    'no positions': 'The two orders are the same to the model: a coin flip.',
    'no FFN': 'Attention alone tells which comes first.',
  },
  addition: {
    'linear FFN': 'Here the nonlinearity counts.',
    'one head': 'One head is not enough.',
    'no positions': 'It learns later: the causal mask alone tells positions apart.',
    'no FFN': 'Attention alone gets most sums right, but not 99 % of them.',
  },
};

/** Steps that tell the runs of a task apart. @type {Record<string, number>} */
const STEPS = { order: 100, reverse: 150, 'reverse-variable': 600, sort: 400, addition: 600 };

/** @param {string} task @param {Settings} settings @returns {Comparison} */
export const firstComparison = (task, settings) => ({
  changes: othersOf(task, settings)
    .slice(0, 1)
    .map(({ change }) => change),
  seeds: 3,
  within: STEPS[task] ?? Math.min(MOST_STEPS, Number(settings.steps)),
  threshold: 0.9,
});

/**
 * 2017 against today: the run as it is set beside one of the other block, each at its own learning rate, for as long as
 * the recipe trains. Where the run as it is set has another rate, it races with its block's own beside it.
 * @param {Settings} settings @param {import('./settings/blocks.js').Size} size of the task
 * @param {{2017: number, today: number}} rates the learning rate that suits each block
 * @returns {Comparison | null} null: there is no such run at equal parameters
 */
export function race(settings, size, rates) {
  const [today, before] = BLOCKS.map(({ of }) => of(settings, size));
  const change = today ?? before;
  if (!change) return null;
  /** @param {Settings} change @param {'2017' | 'today' | 'mixed'} block */
  const at = (change, block) =>
    block === 'mixed' || rates[block] === settings.learningRate ? change : { ...change, learningRate: rates[block] };
  const changes = [at({}, blockOf(settings)), at(change, today ? 'today' : '2017')];
  const within = Math.min(MOST_STEPS, Number(settings.steps));
  return { changes: changes.filter((each) => Object.keys(each).length), seeds: 5, within, threshold: 0.99 };
}

/** A change as a link says it. @param {Settings} change */
export const writeRun = (change) =>
  Object.entries(change)
    .map(([name, value]) => `${name}=${writeValue(value)}`)
    .join('~');

/** The name of a run. @param {Settings} change */
export function nameOf({ learningRate, ...change }) {
  const rate = learningRate === undefined ? [] : [valueText(['learningRate', learningRate])];
  const name = SWITCHES.find(([, each]) => writeRun(each) === writeRun(change))?.[0] ?? blockName(change);
  return [...(name ? [name] : Object.entries(change).map(valueText)), ...rate].join(', ');
}

/**
 * The switches that change something of some settings, and can.
 * @param {string} task @param {Settings} settings
 * @param {import('./settings/blocks.js').Size} [size] of the task; without it none keeps the number of parameters
 * @returns {Other[]}
 */
export function othersOf(task, settings, size) {
  const lessons = LESSONS[task] ?? {};
  const order = Object.keys(lessons);
  const rank = (/** @type {string} */ name) => (order.includes(name) ? order.indexOf(name) : order.length);
  const blocks = size ? BLOCKS.map(({ name, of }) => /** @type {const} */ ([name, of(settings, size)])) : [];
  return [...SWITCHES, ...blocks]
    .flatMap(([name, change]) => (change ? [{ name, change, lesson: lessons[name] ?? '' }] : []))
    .filter(({ change }) => differsFrom(settings, change) && isPossible(settings, change))
    .sort((a, b) => rank(a.name) - rank(b.name));
}

/** @param {Settings} settings @param {Settings} change */
const differsFrom = (settings, change) => Object.entries(change).some(([name, value]) => settings[name] !== value);

/** The settings that differ; the seed is the comparison's. @param {Settings} from @param {Settings} to */
export const changeTo = (from, to) =>
  Object.fromEntries(Object.entries(to).filter(([name, value]) => name !== 'seed' && from[name] !== value));

/** @param {Comparison} comparison @returns {[string, string][]} parts of an address */
export const writeComparison = ({ changes, seeds, within, threshold }) => [
  ['runs', changes.map(writeRun).join()],
  ['seeds', String(seeds)],
  ['within', String(within)],
  ['threshold', String(threshold).replace(/^0/, '')],
];

/**
 * @param {ReadonlyMap<string, string>} parts of an address; what it said of twins names runs, seeds and steps, too
 * @param {Settings} settings of the run
 * @returns {{comparison: Comparison | null, refused: string[]}}
 */
export function readComparison(parts, settings) {
  const given = parts.get('twins');
  const [, oldSeeds, oldSteps, oldRuns] = /^([13]):(\d{1,4}):\d{1,4}:(?:\d:)?(.+)$/.exec(given ?? '') ?? [];
  const runs = oldRuns ?? parts.get('runs');
  const none = PARTS.filter((name) => parts.has(name));
  if (!runs || !isBlock(settings)) return { comparison: null, refused: none };
  const changes = runs.split(',').map((text) => readRun(text, settings));
  const seeds = Number(oldSeeds ?? parts.get('seeds') ?? SEEDS[1]);
  const within = Number(oldSteps ?? parts.get('within') ?? settings.steps);
  const threshold = Number(parts.get('threshold') ?? THRESHOLDS[1]);
  /** @type {[string, boolean][]} */
  const wrong = [
    ['runs', changes.length > MOST_OTHERS || changes.includes(null)],
    ['seeds', !(Number.isInteger(seeds) && seeds >= 1 && seeds <= SEEDS[SEEDS.length - 1])],
    ['within', !(Number.isInteger(within) && within >= 1 && within <= MOST_STEPS)],
    ['threshold', !(threshold > 0 && threshold <= 1)],
  ];
  const refused = wrong.filter(([, isWrong]) => isWrong).map(([name]) => (oldRuns ? 'twins' : name));
  const comparison = { changes: /** @type {Settings[]} */ (changes), seeds, within, threshold };
  return { comparison: refused.length ? null : comparison, refused };
}

/** @param {string} text @param {Settings} settings @returns {Settings | null} null: it cannot be, or changes nothing */
function readRun(text, settings) {
  /** @type {Record<string, import('./settings/settings.js').Value>} */
  const change = {};
  for (const part of text.split('~')) {
    const [name, value = ''] = part.split('=');
    const field = FIELDS.find((each) => each.name === name);
    if (!field || name === 'seed' || !(name in settings)) return null;
    change[name] = readValue(field, value);
  }
  return isPossible(settings, change) && differsFrom(settings, change) ? change : null;
}

/**
 * The step at which each run had reached a share; null: it had not.
 * @param {import('./run/curves.js').Check[][][]} checks by seed, then by run
 * @param {'sequences' | 'accuracy'} measure @param {number} threshold
 * @returns {(number | null)[][]} by run, then by seed
 */
export const reachedBy = (checks, measure, threshold) =>
  checks[0].map((_, run) =>
    checks.map((group) => group[run].find((check) => check[measure] >= threshold)?.step ?? null),
  );
