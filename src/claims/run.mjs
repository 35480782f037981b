// node src/claims/run.mjs [NUMBER...] [--seeds N]
//
// Runs the claims in Node and prints each sentence, its verdict, its numbers beside those stated with their tolerance,
// its controls and boundaries, and the CPU seconds: “ok” inside the stated range, “near” only with the tolerance. Exit
// code 1 when a number is outside its tolerance.
import { load } from 'glassformer';
import { readCommand } from '../models/command.mjs';
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
for (const { claim, run, outcome } of claims.filter(isAsked)) {
  const { number, sentence, saidBy, source, quotes = [] } = claim;
  console.log(`${number}. ${sentence} (Said by: ${saidBy}${source ? `, ${source}` : ''})`);
  for (const { text, from } of quotes) console.log(`    ${from}: “${text}”`);
  const since = process.cpuUsage();
  for (const at of settingsToCheck(claim)) {
    const params = { ...at, seeds };
    const numbers = await run(gf, params);
    console.log(`    ${titleOf(outcome(numbers, params), at)}`);
    for (const { label, values, range, allowed, within } of compareNumbers(claim, numbers, params)) {
      if (!within) failed++;
      const isStated = values.every((value) => value >= range[0] && value <= range[1]);
      const parts = [span(values), `stated ${span(range)}`, `allowed ${span(allowed)}`];
      parts.push(isStated ? 'ok' : within ? 'near' : 'OUTSIDE');
      console.log(`        ${label}: ${parts.join(', ')}`);
    }
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

/** @param {import('./index.js').Outcome} outcome @param {import('./index.js').Params} at */
function titleOf(outcome, at) {
  if (outcome.kind !== 'sentence') {
    const settings = Object.entries(at).map(([name, value]) => `${name} ${value}`);
    return `${outcome.kind} (${settings.join(', ')}): ${outcome.found}`;
  }
  const { verdict, on, found } = outcome;
  return `${verdict.toUpperCase()}${on ? ` on ${on}` : ''}. ${found}`;
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
