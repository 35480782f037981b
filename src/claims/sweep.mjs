// node src/claims/sweep.mjs [NUMBER...]
//
// Measures the verdicts of the claims, or of those with these numbers, at each value of their sizes, learning rates and
// counts of parameters, one at a time, and prints where they turn. Writes them, with the day and the variant, to
// web/claims/turns.js, which the page shows.
import { readFileSync, writeFileSync } from 'node:fs';
import { load } from 'glassformer';
import { readCommand } from '../models/command.mjs';
import { claims } from './index.js';
import { cellsOf, ownCell, seedsOf, verdictAt, verdictOf } from './shared/turns.js';

const VARIANT = 'simd';
const file = new URL('../../web/claims/turns.js', import.meta.url);
const all = claims.map(({ claim }) => String(claim.number));
const { names } = readCommand('npm run turns -- [NUMBER...]', { names: all, least: 0, most: all.length });
const gf = await load({ variant: VARIANT });
const when = new Date().toISOString().slice(0, 10);

for (const module of claims) {
  const { claim } = module;
  if (names.length > 0 && !names.includes(String(claim.number))) continue;
  const began = process.cpuUsage();
  console.log(`${claim.number}. ${claim.sentence}`);
  /** @type {import('./index.js').Verdict[][]} */
  const verdicts = [];
  const own = await verdictOf(module, gf, ownCell(claim));
  /** The sentence's own is run once. @type {Map<string, import('./index.js').Verdict>} */
  const known = new Map([[JSON.stringify(ownCell(claim)), own]]);
  for (const [i, cells] of cellsOf(claim).entries()) {
    const { label, values } = claim.scales[i];
    const found = [];
    for (const params of cells) {
      const key = JSON.stringify(params);
      const verdict = known.get(key) ?? (await verdictAt(module, gf, params, own));
      known.set(key, verdict);
      found.push(verdict);
    }
    verdicts.push(found);
    const turns = values.flatMap((value, v) =>
      v > 0 && found[v] !== found[v - 1] ? [`between ${values[v - 1]} and ${value}`] : [],
    );
    console.log(`    ${label}: ${values.map((value, v) => `${value} ${found[v]}`).join(', ')}`);
    console.log(`        ${turns.length ? `turns ${turns.join(', ')}` : 'does not turn'}`);
  }
  const { user } = process.cpuUsage(began);
  keep(claim.number, { when, seconds: Number((user / 1e6).toPrecision(2)), seeds: seedsOf(claim), verdicts });
  console.log(`    ${(user / 1e6).toFixed(1)} s of CPU${claim.seeded ? `, ${seedsOf(claim)} seeds a value` : ''}`);
}

/** Writes what is measured at once, so that a run in pieces keeps it. @param {number} number @param {object} found */
function keep(number, found) {
  const text = readFileSync(file, 'utf8');
  const { cards } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
  const data = JSON.stringify({ variant: VARIANT, cards: { ...cards, [number]: found } }, null, 1);
  writeFileSync(
    file,
    '// The verdicts of the claims at each value of their scales: written by npm run turns.\n// prettier-ignore\n' +
      `export const turns = ${data.replace(/\[[^[\]]*\]/g, (list) => list.replace(/\s+/g, ' '))};\n`,
  );
}
