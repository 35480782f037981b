// npm run blocks [-- TASK ...]
//
// Measures 2017's block and today's, at equal parameters, and writes web/train/settings/measured.js: each task with its
// recipe and seeds 0 to 4 to the recipe's last step (Story: 400 of 1,000), as Compare trains and checks them; of some
// tasks also today's parts one by one. Named tasks are measured again, the others stay. Seconds are of the processor.
import { readFileSync, writeFileSync } from 'node:fs';
import { load } from 'glassformer';
import { BLOCKS, TODAYS } from '../settings/blocks.js';
import { measured } from '../settings/measured.js';
import { parametersOf } from '../settings/parameters.js';
import { SOLVED, TEXTS } from '../tasks.js';
import { createComparison } from './compare.js';
import { TASKS, longestOf, recipeOf, setText } from './recipes.js';

const SEEDS = [0, 1, 2, 3, 4];
/** With today's parts one by one. */
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
  for (const [block, change] of [['2017’s block', {}], ...blocks.map((each) => [each.name, each.of(recipe, size)])]) {
    if (change === null) continue;
    const settings = { ...recipe, .../** @type {object} */ (change) };
    const began = process.cpuUsage();
    const checks = [];
    for (const seed of SEEDS) {
      const comparison = await createComparison(gf, name, [settings], [seed]);
      await comparison.train(steps, () => true);
      checks.push(comparison.report().checks[0][0]);
      comparison.free();
    }
    const { user, system } = process.cpuUsage(began);
    const { measure } = TEXTS[name];
    const last = checks.map((each) => each[each.length - 1]);
    runs.push({
      name: String(block),
      parameters: parametersOf(settings, size),
      reached: checks.map((each) => each.find((check) => check[measure] >= SOLVED)?.step ?? null),
      right: last.map((check) => rounded(check[measure])),
      loss: last.map((check) => rounded(check.loss)),
      seconds: rounded((user + system) / 1e6 / SEEDS.length),
    });
    console.log(name, JSON.stringify(runs.at(-1)));
  }
  return { steps, runs };
}

/** @param {number} value */
function rounded(value) {
  return Number(value.toPrecision(4));
}

/** @param {import('../settings/expected.js').Run} run */
function linesOf({ name, parameters, seconds, ...lists }) {
  const rest = Object.entries(lists).map(([key, values]) => `      ${key}: [${values.map(String).join(', ')}],\n`);
  return `    {\n      name: '${name}', parameters: ${parameters}, seconds: ${seconds},\n${rest.join('')}    },\n`;
}

function write() {
  const tasks = NAMES.filter((name) => name in measured).map((name) => {
    const { steps, runs } = measured[name];
    return `  '${name}': { steps: ${steps}, runs: [\n${runs.map(linesOf).join('')}  ] },\n`;
  });
  const lines = [
    '// 2017’s block against today’s, by task, seeds 0 to 4: written by npm run blocks.',
    '',
    "/** @type {Record<string, import('./expected.js').Measured>} */",
    '// prettier-ignore',
    `export const measured = {\n${tasks.join('')}};\n`,
  ];
  writeFileSync(new URL('../settings/measured.js', import.meta.url), lines.join('\n'));
}
