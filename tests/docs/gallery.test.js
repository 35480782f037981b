// The gallery of the elements, as npm start serves it: each element is there, drawn, light and dark, wide and narrow.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { writeGallery } from '../../src/docs/gallery.mjs';
import { serve } from '../../src/tools/serve.mjs';
import { launchChromium } from '../web/engines.js';

const folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
/** @type {any} */
let browser;
/** @type {any} */
let site;
before(async () => {
  await writeGallery(folder);
  site = await serve({ port: 0, docs: folder });
  browser = await launchChromium();
});
after(async () => {
  await browser?.close();
  await site?.close();
  rmSync(folder, { recursive: true });
});

/** Each element of the package. */
const source = readFileSync(new URL('../../web/elements/index.js', import.meta.url), 'utf8');
const names = [...source.matchAll(/\['(glass-\w+)'/g)].map(([, name]) => name);

for (const [colorScheme, width] of /** @type {const} */ ([
  ['light', 1280],
  ['dark', 390],
]))
  test(`each element is live under the site's policy: ${colorScheme}, ${width} px`, async () => {
    const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
    /** @type {string[]} */
    const problems = [];
    page.on('pageerror', (/** @type {Error} */ error) => problems.push(error.message));
    page.on('console', (/** @type {any} */ message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${site.url}docs/gallery.html`);
    const shown = await page.evaluate(() => [
      ...new Set(
        [...document.querySelectorAll('*')].map((each) => each.localName).filter((name) => /^glass-/.test(name)),
      ),
    ]);
    assert.deepEqual(shown.toSorted(), names.toSorted());
    await page.waitForFunction(() =>
      [...document.querySelectorAll('main *')]
        .filter(({ localName }) => /^glass-(?!model)/.test(localName))
        .every((each) =>
          each.shadowRoot?.querySelector(
            '.map-readout bdi, .tokens, .added, .feature-list, [part=lens] table, .why-steps, .training-row',
          ),
        ),
    );
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(wider <= 0, `${wider} px wider than the window`);
    assert.deepEqual(problems, []);
    await page.close();
  });
