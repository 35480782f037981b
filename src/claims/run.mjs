// node src/claims/run.mjs [NUMBER...] [--seeds N]
//
// Runs the claims in Node, at all switches for which numbers are stated, and prints the numbers beside these, the
// verdict and the CPU seconds. Exit code 1 when a number is outside its tolerance.
import { load } from 'glassformer';
import { readCommand } from '../../web/models/command.mjs';
import { claims, compareNumbers, settingsToCheck } from './index.js';

const all = claims.map(({ claim }) => String(claim.number));
const { names, seeds = 5 } = readCommand('npm run claims -- [NUMBER...] [--seeds N]', {
  names: all,
  least: 0,
  most: all.length,
  counts: { seeds: 1 },
});
const gf = await load({ variant: 'simd' });
const seconds = (/** @type {NodeJS.CpuUsage} */ { user, system }) => ((user + system) / 1e6).toFixed(2);

let failed = 0;
const started = process.cpuUsage();
for (const { claim, run, verdict } of claims.filter(isAsked)) {
  console.log(`${claim.number}. ${claim.sentence}`);
  const since = process.cpuUsage();
  for (const at of settingsToCheck(claim)) {
    const params = { ...at, seeds };
    const numbers = await run(gf, params);
    const settings = Object.entries(at).map(([name, value]) => `${name} ${value}`);
    const title = settings.length > 0 ? `${settings.join(', ')}: ` : '';
    for (const { label, values, range, allowed, within } of compareNumbers(claim, numbers, params)) {
      if (!within) failed++;
      const parts = [span(values), `stated ${span(range)}`, `allowed ${span(allowed)}`, within ? 'ok' : 'OUTSIDE'];
      console.log(`    ${title}${label}: ${parts.join(', ')}`);
    }
    const { verdict: word, why } = verdict(numbers, params);
    console.log(`    ${title}${word.toUpperCase()}. ${why}`);
  }
  console.log(`    ${seconds(process.cpuUsage(since))} s`);
}
console.log(
  `${seconds(process.cpuUsage(started))} s of CPU, ${seeds} seeds, ${failed} numbers outside their tolerance`,
);
if (failed > 0) process.exitCode = 1;

/** @param {import('./index.js').ClaimModule} module */
function isAsked({ claim }) {
  return names.length === 0 || names.includes(String(claim.number));
}

/** @param {readonly number[]} values */
function span(values) {
  const digits = (/** @type {number} */ value) =>
    value !== 0 && Math.abs(value) < 1e-3
      ? value.toExponential(1)
      : String(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
  const [low, high] = [Math.min(...values), Math.max(...values)].map(digits);
  return low === high ? low : `${low}–${high}`;
}
