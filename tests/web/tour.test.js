// The whole page once through in every engine that is installed: each number against Node's, nothing
// said on the console, nothing asked elsewhere, the same bits from training. GLASSFORMER_ENGINES=all
// makes an engine that is not installed an error.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { engines, launchEngine, serveWatched } from './engines.js';
import attention from './tour/attention.js';
import axe from './tour/axe.js';
import change from './tour/change.js';
import ffn from './tour/ffn.js';
import first from './tour/first.js';
import keep from './tour/keep.js';
import way from './tour/way.js';

const { present, absent } = engines();
/** @type {Awaited<ReturnType<typeof load>>} */
let gf;
/** @type {Awaited<ReturnType<typeof serveWatched>>} */
let site;
before(async () => {
  gf = await load();
  site = await serveWatched({
    'empty.html': '<!doctype html><link rel="icon" href="data:,"><title>Empty</title>',
    'axe.js': readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'),
  });
});
after(() => site.close());

test('the engines of the tour', (t) => {
  t.diagnostic(
    `tour in ${present.join(', ')}${absent.length ? `; not installed, so left out: ${absent.join(', ')}` : ''}`,
  );
  assert(present.includes('chromium'), 'set CHROMIUM or run npm test, which gets it');
  if (process.env.GLASSFORMER_ENGINES === 'all') assert.deepEqual(absent, []);
});

for (const name of present) {
  describe(name, () => {
    /** @type {import('./tour/steps.js').Tour} */
    const tour = /** @type {any} */ ({ name });
    before(async () => Object.assign(tour, { gf, url: site.url, page: await launchEngine(name) }));
    after(() => tour.page?.close());
    for (const part of [first, attention, ffn, way, change, keep, axe]) part(tour);
  });
}
