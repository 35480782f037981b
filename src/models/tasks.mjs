// node src/models/tasks.mjs [NAME...] [--seeds N]
//
// Trains the live tasks and reports how many steps each seed takes until 99 % of the held-out sequences are right, all
// tokens of them, or 99 % of the letters of induction. Exit code 1 when a seed takes longer than the prototype's worst
// seed by 30 %.
import { load } from 'glassformer';
import { examine, tasks } from 'glassformer/tasks';
import { readCommand } from './command.mjs';
import { progress } from './progress.mjs';

/** Steps of the prototype's worst seed. */
const WORST = { 'reverse-variable': 725, sort: 775, order: 100, addition: 1400, induction: 425 };
/** Whole rows are asked, but of induction letters: a row can be wrong by one first copy. */
const measureOf = (/** @type {string} */ name) => (name === 'induction' ? 'accuracy' : 'sequences');
const SLACK = 1.3;
const EVERY = 25;
const GOAL = 0.99;

const all = Object.keys(WORST);
const { names, seeds = 5 } = readCommand(`npm run tasks -- [${all.join(' | ')} ...] [--seeds N]`, {
  names: all,
  least: 0,
  most: all.length,
  counts: { seeds: 1 },
});
const gf = await load({ variant: 'simd' });

console.log(
  `${'task'.padEnd(17)} ${'steps to 99 % by seed'.padEnd(6 * seeds)}  worst  limit          head score     seconds`,
);
for (const name of /** @type {(keyof typeof WORST)[]} */ (names.length > 0 ? names : all)) {
  const limit = Math.floor(WORST[name] * SLACK);
  const runs = [];
  for (let seed = 0; seed < seeds; seed++) runs.push(await run(name, seed, limit));
  const worst = Math.max(...runs.map(({ steps }) => steps));
  const masses = runs.map(({ mass }) => mass);
  const slow = worst > limit;
  if (slow) process.exitCode = 1;
  console.log(
    [
      name.padEnd(17),
      runs
        .map(({ steps }) => (steps === Infinity ? 'never' : String(steps)).padStart(5))
        .join(' ')
        .padEnd(6 * seeds),
      (worst === Infinity ? 'never' : String(worst)).padStart(6),
      String(limit).padStart(6),
      slow ? 'MISSED' : 'ok    ',
      `${Math.min(...masses).toFixed(2)}-${Math.max(...masses).toFixed(2)}`.padStart(11),
      (runs.reduce((sum, { seconds }) => sum + seconds, 0) / runs.length).toFixed(1).padStart(11),
    ].join(' '),
  );
}

/**
 * @param {keyof typeof WORST} name
 * @param {number} seed
 * @param {number} limit
 * @returns {Promise<{steps: number, mass: number, seconds: number}>} mass of the best head on what the task links
 */
async function run(name, seed, limit) {
  const task = tasks[name];
  const started = performance.now();
  const model = gf.createModel({ ...task.config, seed });
  const trainer = model.trainer(task.trainer);
  const heldOut = task.heldOut(seed);
  const show = progress(`${name} ${seed}`, limit);
  let share = 0;
  let step = 0;
  while (share < GOAL && step < limit) {
    const { loss } = trainer.step(task.batch(step, seed));
    step++;
    if (step % EVERY === 0 || step === limit) share = (await examine(model, heldOut, { maps: false }))[measureOf(name)];
    show(step, loss, share);
  }
  const { best } = await examine(model, heldOut);
  model.free();
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  return {
    steps: share < GOAL ? Infinity : step,
    mass: best?.mass ?? NaN,
    seconds: (performance.now() - started) / 1000,
  };
}
