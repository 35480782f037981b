// npm run blocks [-- TASK ...]
//
// Measures 2017's block and today's, at equal parameters, and writes web/train/settings/measured.js: each task with its
// recipe to the last step (Story: 400 of 1,000), as Compare trains and checks them. Each block first gets its own
// learning rate on seeds that are not raced, then seeds 0 to 4 are raced. Of some tasks also today's parts one by one,
// at the recipe's rate. Named tasks are measured again, the others stay. Seconds are of the processor, for one seed.
import { readFileSync, writeFileSync } from 'node:fs';
import { load } from 'glassformer';
import { BLOCKS, TODAYS, parametersOf } from '../settings/blocks.js';
import { measured } from '../settings/expected.js';
import { CHECK_EVERY } from '../settings/settings.js';
import { SOLVED, TEXTS } from '../tasks.js';
import { createComparison } from './compare.js';
import { TASKS, longestOf, recipeOf, setText } from './recipes.js';
import { tuned } from './tune.mjs';

const SEEDS = [0, 1, 2, 3, 4];
/** On which the learning rate is chosen; of tasks whose seeds hardly differ, fewer. */
const TUNING = [100, 101, 102, 103, 104];
/** @type {Record<string, number[]>} */
const FEWER = { story: [100, 101], text: [100, 101] };
/** The 2017 block changes nothing in a recipe. */
const NONE = {};
/** With today's parts one by one, at the recipe's learning rate. */
const PARTS = ['reverse', 'reverse-variable', 'sort'];
/** Fewer than the recipe's, where the task is solved long before. @type {Record<string, number>} */
const STEPS = { story: 400 };
const NAMES = ['copy', 'order', ...PARTS, 'addition', 'induction', 'story', 'text'];
/** The text that is measured: the GPL of the tests, 34 kB, in characters. */
const TEXT = new URL('../../../tests/tasks/gpl.txt', import.meta.url);

setText(readFileSync(TEXT, 'utf8'), 'characters');
const gf = await load({ variant: 'simd' });
const asked = process.argv.slice(2);
for (const name of asked.length ? asked : NAMES) {
  if (!NAMES.includes(name)) throw new Error(`${name} is none of ${NAMES.join(', ')}`);
  measured[name] = await measure(name);
  write();
}

/** @param {string} name of a task */
async function measure(name) {
  const recipe = recipeOf(name);
  const steps = STEPS[name] ?? Number(recipe.steps);
  const size = { words: TASKS[name].vocabulary.size, longest: longestOf(name) };
  const blocks = BLOCKS.filter((block) => block.name === TODAYS || PARTS.includes(name));
  const runs = [];
  for (const [block, change] of [['2017’s block', NONE], ...blocks.map((each) => [each.name, each.of(recipe, size)])]) {
    if (change === null) continue;
    const asked = { ...recipe, .../** @type {object} */ (change) };
    const at = (/** @type {number} */ rate) => ({ ...asked, learningRate: rate * Number(recipe.learningRate) });
    const isWhole = block === TODAYS || change === NONE;
    const { rate, tried } = isWhole ? await tuned((each) => scoreOf(name, at(each), steps)) : { rate: 1, tried: [1] };
    const settings = at(rate);
    const began = process.cpuUsage();
    const checks = [];
    for (const seed of SEEDS) checks.push((await trained(name, settings, seed, steps)).checks);
    const { user, system } = process.cpuUsage(began);
    const { measure } = TEXTS[name];
    const last = checks.map((each) => each[each.length - 1]);
    runs.push({
      name: String(block),
      parameters: parametersOf(settings, size),
      rate,
      tried,
      reached: checks.map((each) => each.find((check) => check[measure] >= SOLVED)?.step ?? null),
      right: last.map((check) => rounded(check[measure])),
      loss: last.map((check) => rounded(check.loss)),
      seconds: rounded((user + system) / 1e6 / SEEDS.length),
    });
    console.log(name, JSON.stringify(runs.at(-1)));
  }
  return { steps, runs };
}

/**
 * @param {string} name of a task @param {import('./recipes.js').Settings} settings @param {number} seed
 * @param {number} steps @param {(check: import('./run.js').Check) => boolean} [ends] asked after each check
 */
async function trained(name, settings, seed, steps, ends = () => false) {
  const comparison = await createComparison(gf, name, [settings], [seed]);
  for (let step = 0; step < steps;) {
    step = Math.min(steps, step + CHECK_EVERY);
    await comparison.train(step, () => true);
    const last = comparison.report().checks[0][0].at(-1);
    if (last && ends(last)) break;
  }
  const { checks, failures } = comparison.report();
  comparison.free();
  return { checks: checks[0][0], failure: failures[0][0] };
}

/**
 * The score of a learning rate; a run ends where it reaches the goal.
 * @param {string} name of a task @param {import('./recipes.js').Settings} settings @param {number} steps
 * @returns {Promise<import('./tune.mjs').Score>}
 */
async function scoreOf(name, settings, steps) {
  const isSolved = (/** @type {import('./run.js').Check} */ check) => check[TEXTS[name].measure] >= SOLVED;
  /** @type {number[]} */
  const reached = [];
  let loss = 0;
  const seeds = FEWER[name] ?? TUNING;
  for (const seed of seeds) {
    const { checks, failure } = await trained(name, settings, seed, steps, isSolved);
    const last = checks[checks.length - 1];
    if (isSolved(last)) reached.push(last.step);
    loss += failure === null ? last.loss : Infinity;
  }
  const sum = reached.reduce((all, each) => all + each, 0);
  return [seeds.length - reached.length, reached.length ? sum / reached.length : 0, loss / seeds.length];
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toPrecision(4));
}

/**
 * A row of measured.js.
 * @param {string} task @param {number} steps @param {import('../settings/expected.js').Run} run
 */
function rowOf(task, steps, { name, parameters, rate, seconds, tried, reached, right, loss }) {
  const list = (/** @type {readonly (number | null)[]} */ values) => `[${values.map(String).join(', ')}]`;
  return `  ['${task}', ${steps}, '${name}', ${parameters}, ${rate}, ${seconds}, ${list(tried)},
    ${list(reached)}, ${list(right)},
    ${list(loss)}],
`;
}

/** Puts the rows in the place of those that are there. */
function write() {
  const file = new URL('../settings/measured.js', import.meta.url);
  const rows = NAMES.flatMap((name) => measured[name]?.runs.map((run) => rowOf(name, measured[name].steps, run)) ?? []);
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(/(?<=ROWS = \[\n)[^]*(?=\];)/, () => rows.join('')),
  );
}
