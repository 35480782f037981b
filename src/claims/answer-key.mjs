// node src/claims/answer-key.mjs
//
// Runs each claim at its own switches and writes verdict and time, with the day and the variant, to
// web/claims/class/known.js: the answer key shows them, as earlier measurements, where a card was not run in the tab.
import { writeFileSync } from 'node:fs';
import { load } from 'glassformer';
import { claims } from './index.js';

const VARIANT = 'simd';
const gf = await load({ variant: VARIANT });
/** @type {Record<string, {verdict: import('./index.js').Verdict, on?: string, seconds: number}>} */
const cards = {};
for (const { claim, run, outcome } of claims) {
  const began = process.cpuUsage();
  const found = outcome(await run(gf, {}), {});
  const seconds = Number((process.cpuUsage(began).user / 1e6).toPrecision(2));
  if (found.kind !== 'sentence') throw new Error(`Claim ${claim.number} has no verdict at its own switches.`);
  const { verdict, on } = found;
  cards[claim.number] = { verdict, on, seconds };
  console.log(`${claim.number}. ${claim.name}: ${found.verdict}, ${seconds} s`);
}
const when = new Date().toISOString().slice(0, 10);
writeFileSync(
  new URL('../../web/claims/class/known.js', import.meta.url),
  '// Earlier measurements of each card at its own switches: written by npm run answer-key.\n// prettier-ignore\n' +
    `export const known = ${JSON.stringify({ when, variant: VARIANT, cards }, null, 1)};\n`,
);
