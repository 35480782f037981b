// The reference as npm start serves it, and the examples of the element, in Chromium. Where npm run docs has not built
// the site, its own test is skipped.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/tools/serve.mjs';
import { launchChromium } from '../web/engines.js';
import { all, checked, examplesIn, needsPage } from './examples.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
let browser, site;
before(async () => {
  browser = await launchChromium();
  site = await serve({ port: 0 });
});
after(async () => {
  await browser?.close();
  await site?.close();
});

test('each example of <glass-heatmap> gives what it says', async () => {
  const examples = all.filter((one) => needsPage(one) && one.name !== one.owner);
  assert.ok(examples.length >= 3);
  const files = { '/elements.js': 'dist/elements.js', '/check.js': 'tests/docs/check.js' };
  const server = createServer((request, response) => {
    const file = files[request.url] ?? (/^\/js\/[\w-]+\.js$/.test(request.url) && `dist${request.url}`);
    response.setHeader('Content-Type', file ? 'text/javascript' : 'text/html');
    response.end(file ? readFileSync(root + file) : '<!doctype html><title>example</title>');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const page = await browser.newPage();
  try {
    await page.goto(`http://127.0.0.1:${server.address().port}/`);
    for (const { name, comment } of examples) {
      for (const example of examplesIn(comment)) {
        const code = `import { is as $is, throws as $throws } from '/check.js';
          import '/elements.js';
          const map = document.body.appendChild(document.createElement('glass-heatmap'));
          ${checked(example)}`;
        const problem = await page.evaluate(
          async (text) => {
            const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
            return import(url).then(() => null, String);
          },
          code.replaceAll("'/", `'${page.url()}`),
        );
        assert.equal(problem, null, name);
      }
    }
  } finally {
    await page.close();
    server.close();
  }
});

test('the reference is shown and searched under its policy, wide and narrow', async (t) => {
  if (!existsSync(`${root}dist/docs/index.html`)) return t.skip('npm run docs builds it');
  for (const width of [1280, 375]) {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const problems = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${site.url}docs/`);
    await page.getByText('A Transformer you can see through: the architecture').waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('#tsd-search-input').fill('softmax');
    await page
      .getByRole('option', { name: /softmax/ })
      .first()
      .waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
    assert.deepEqual(problems, []);
    await page.close();
  }
});
