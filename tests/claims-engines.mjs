// node tests/claims-engines.mjs [NUMBER...] [--seeds N]
//
// Runs the claims in each engine that is installed, at their own switches and at those of their controls and
// boundaries, and compares each number with Node's, to the bit. Exit code 1 where one differs.
import { isDeepStrictEqual } from 'node:util';
import { load } from 'glassformer';
import { claims, settingsToCheck } from 'glassformer/claims';
import { readCommand } from '../src/models/command.mjs';
import { FILES, inNode, inPage } from './web/claims.js';
import { engines, launchEngine, serveWatched } from './web/engines.js';

const all = claims.map(({ claim }) => String(claim.number));
const { names, seeds = 5 } = readCommand('node tests/claims-engines.mjs [NUMBER...] [--seeds N]', {
  names: all,
  least: 0,
  most: all.length,
  counts: { seeds: 1 },
});
const gf = await load({ variant: 'simd' });
const site = await serveWatched(FILES);
const { present, absent } = engines();
const pages = await Promise.all(present.map((name) => launchEngine(name)));
for (const page of pages) await page.goto(`${site.url}claims.html`);
console.log(`${pages.map(({ version }) => version).join(', ')}${absent.length ? `; not installed: ${absent}` : ''}`);
let [runs, numbers, differing] = [0, 0, 0];
for (const module of claims.filter(({ claim }) => !names.length || names.includes(String(claim.number)))) {
  const { claim } = module;
  for (const at of settingsToCheck(claim)) {
    const params = { ...at, seeds };
    const own = await inNode(gf, module, params);
    const shown = await Promise.all(pages.map((page) => inPage(page, module, params)));
    const wrong = present.filter((_, i) => !isDeepStrictEqual(shown[i], own));
    runs++;
    numbers += Object.values(own.numbers).flat(3).length;
    differing += wrong.length;
    console.log(`${claim.number}. ${JSON.stringify(params)} ${own.kind}: ${wrong.join(', ') || 'the same'}`);
    for (const name of wrong)
      for (const [what, value] of Object.entries(own.numbers)) {
        const other = shown[present.indexOf(name)].numbers[what];
        if (!isDeepStrictEqual(other, value)) console.log(`    ${name} ${what}: ${other}, Node ${value}`);
      }
  }
}
console.log(`${runs} runs of ${seeds} seeds, ${numbers} numbers in each engine, ${differing} runs that differ`);
for (const page of pages) await page.close();
await site.close();
if (differing > 0) process.exitCode = 1;
