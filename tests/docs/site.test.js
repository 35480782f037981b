// The reference as npm start serves it, and the examples of the element, in Chromium. Where npm run docs has not built
// the site, its own test is skipped.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/tools/serve.mjs';
import { launchChromium } from '../web/engines.js';
import { all, checked, examplesIn, needsPage } from './examples.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const docs = `${root}dist/docs/`;
const unbuilt = !existsSync(`${docs}index.html`) && 'npm run docs builds it';
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

test('the reference is shown and searched under its policy, wide and narrow', { skip: unbuilt }, async () => {
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

/** What somebody types, and the page that comes first. */
const SEARCHES = {
  train: 'Training and resuming',
  'hugging face': 'Checkpoints of your own',
  huggingface: 'Checkpoints of your own',
  stream: 'glassformer.Model.stream',
  streaming: 'Workers and servers',
  worker: 'Workers and servers',
  onnx: 'ONNX and PyTorch',
  vite: 'Bundlers and CSP',
  attention: 'glassformer.Engine.attention',
  gradient: 'glassformer.Trainer.gradients',
  load: 'glassformer.load',
};

test('a search finds the right page first', { skip: unbuilt }, async () => {
  const page = await browser.newPage();
  await page.goto(`${site.url}docs/`);
  await page.keyboard.press('Control+k');
  const first = page.locator('#tsd-search-results [role=option]').first();
  for (const [words, name] of Object.entries(SEARCHES)) {
    await page.locator('#tsd-search-input').fill('');
    await first.waitFor({ state: 'detached' });
    await page.locator('#tsd-search-input').fill(words);
    assert.equal((await first.innerText()).replace(/\s/g, ''), name.replaceAll(' ', ''), words);
  }
  await page.close();
});

test('each link of the reference leads to a page and a place on it', { skip: unbuilt }, () => {
  const names = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(html|svg)$/.test(name));
  const pages = new Map(names.map((name) => [name, readFileSync(docs + name, 'utf8')]));
  const problems = [];
  let count = 0;
  for (const [name, text] of pages) {
    for (const [, href] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      const url = new URL(href.replaceAll('&amp;', '&'), `http://docs/${name}`);
      if (url.host !== 'docs') continue;
      count++;
      const target = decodeURIComponent(url.pathname.slice(1)) || 'index.html';
      const place = decodeURIComponent(url.hash.slice(1));
      const there = !place || pages.get(target)?.includes(` id="${place}"`);
      if (!existsSync(docs + target) || !there) problems.push(`${name}: ${href}`);
    }
  }
  assert.ok(count > 1000);
  assert.deepEqual(problems, []);
});
