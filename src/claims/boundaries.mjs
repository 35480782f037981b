// node src/claims/boundaries.mjs
//
// Measures each cell of the claims' maps and writes them, with the day and the variant, to
// web/claims/boundary/known.js, which the page shows as earlier measurements.
import { writeFileSync } from 'node:fs';
import { load } from 'glassformer';
import { claims } from './index.js';
import { cellsOf, numberOf } from './shared/boundary.js';

const VARIANT = 'simd';
const gf = await load({ variant: VARIANT });
/** @type {Record<string, {seconds: number, values: number[]}>} */
const maps = {};
for (const { claim, run } of claims) {
  const { boundary } = claim;
  if (!boundary) continue;
  const began = process.cpuUsage();
  const values = [];
  for (const cell of cellsOf({ ...claim, boundary })) values.push(numberOf(boundary, cell, await run(gf, cell.params)));
  const seconds = Number((process.cpuUsage(began).user / 1e6).toPrecision(2));
  maps[claim.number] = { seconds, values };
  console.log(`${claim.number}. ${claim.name}: ${values.length} cells, ${seconds} s`);
}
const when = new Date().toISOString().slice(0, 10);
writeFileSync(
  new URL('../../web/claims/boundary/known.js', import.meta.url),
  '// Earlier measurements of the maps, by claim and cell: written by npm run boundaries.\n// prettier-ignore\n' +
    `export const known = ${JSON.stringify({ when, variant: VARIANT, maps }, null, 1)};\n`,
);
