// node src/claims/boundaries.mjs [NUMBER...]
//
// Measures each cell of the claims' maps, or of those with these numbers, and writes them, with the day and the
// variant, to web/claims/known.js, which the page shows as earlier measurements.
import { readFileSync, writeFileSync } from 'node:fs';
import { load } from 'glassformer';
import { readCommand } from '../models/command.mjs';
import { claims } from './index.js';
import { cellsOf, numbersOf } from './shared/boundary.js';

const VARIANT = 'simd';
const file = new URL('../../web/claims/known.js', import.meta.url);
const text = readFileSync(file, 'utf8');
const known = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
const mapped = claims.flatMap(({ claim, run }) => (claim.boundary ? [{ claim, run, boundary: claim.boundary }] : []));
const all = mapped.map(({ claim }) => String(claim.number));
const { names } = readCommand('npm run boundaries -- [NUMBER...]', { names: all, least: 0, most: all.length });
const gf = await load({ variant: VARIANT });
/** @type {Record<string, {when: string, seconds: number, values: number[], twins?: number[]}>} */
const maps = { ...known.maps };
const when = new Date().toISOString().slice(0, 10);
for (const { claim, run, boundary } of mapped) {
  if (names.length > 0 && !names.includes(String(claim.number))) continue;
  const began = process.cpuUsage();
  const cells = [];
  for (const cell of cellsOf({ ...claim, boundary })) cells.push(numbersOf(boundary, cell, await run(gf, cell.params)));
  const seconds = Number((process.cpuUsage(began).user / 1e6).toPrecision(2));
  const [values, twins] = [0, 1].map((at) => cells.map((cell) => cell[at]));
  maps[claim.number] = { when, seconds, values, ...(boundary.twin && { twins }) };
  console.log(`${claim.number}. ${claim.name}: ${values.length} cells, ${seconds} s`);
}

/** Lists fill their lines. @param {string} list */
const filled = (list) =>
  list
    .replace(/\s+/g, ' ')
    .replace(/(.{1,100})(?: |$)/g, '$1\n    ')
    .trim();
const data = JSON.stringify({ variant: VARIANT, maps }, null, 1).replace(/\[[^[\]]*\]/g, filled);
writeFileSync(
  file,
  '// Earlier measurements of the maps, by claim and cell: written by npm run boundaries.\n// prettier-ignore\n' +
    `export const known = ${data};\n`,
);
