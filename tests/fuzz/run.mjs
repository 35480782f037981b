// `npm run fuzz -- [TARGET…] [--count N] [--seed N]`: the long form of the random tests, each a module beside this one.
// Their short form is NAME.test.js, which `npm test` runs.
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';

/**
 * @typedef {object} Target
 * @property {string} about what a case is
 * @property {number} long cases of a long run
 * @property {(options: {count: number, seed: number}) => Promise<Record<string, unknown>>} run tries `count` cases
 *   drawn from `seed` and gives figures; throws an error that holds the seed of the case and what it did
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { count: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const known = readdirSync(new URL('.', import.meta.url))
  .filter((name) => /^[a-z-]+\.js$/.test(name))
  .map((name) => name.slice(0, -3));
const unknown = positionals.find((name) => !known.includes(name));
if (unknown) throw new Error(`unknown target ${unknown}; known are ${known.join(', ')}`);

for (const name of positionals.length ? positionals : known) {
  const { about, long, run } = /** @type {Target} */ (await import(`./${name}.js`));
  const [count, seed] = [Number(values.count ?? long), Number(values.seed)];
  console.log(`${name}: ${count} cases from seed ${seed} (${about})`);
  const start = performance.now();
  try {
    const figures = await run({ count, seed });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${name}: passed in ${seconds} s, ${JSON.stringify(figures)}`);
  } catch (error) {
    console.error(error);
    console.log(`${name}: FAILED`);
    process.exitCode = 1;
  }
}
