// The reference as npm start serves it, and in Chromium the examples of the element and programs of the guides. Where
// npm run docs has not built the site, its own test is skipped.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/tools/serve.mjs';
import { launchChromium } from '../web/engines.js';
import { all, blocksOf, checked, examplesIn, needsPage, programsOf } from './examples.js';

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

const CHECK = 'tests/docs/check.js';

/**
 * A server of these files, and of an empty page for all other addresses.
 * @param {(request: any) => string | false} fileOf
 * @param {string} [head] of the page
 */
async function served(fileOf, head = '') {
  const server = createServer((request, response) => {
    const file = fileOf(request);
    const found = file && existsSync(root + file);
    response.statusCode = file && !found ? 404 : 200;
    response.setHeader('Content-Type', !file ? 'text/html' : /\.js$/.test(file) ? 'text/javascript' : 'text/plain');
    response.end(file ? found && readFileSync(root + file) : `<!doctype html><title>example</title>${head}`);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

/** The path of a package's file in this repository. @param {string} url */
const fromPackage = (url) => url.replace(/^\/node_modules\/glassformer\//, '/');

/** In the page. @param {string} text of a module @returns {Promise<string | null>} what it threw */
function runModule(text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  return import(url).then(() => null, String);
}

test('the programs of the guides on checkpoints and generation run in Chromium, each of at most 15 lines', async () => {
  const { exports } = JSON.parse(readFileSync(`${root}package.json`));
  const imports = { check: `/${CHECK}` };
  for (const name of ['continue', 'translate'])
    imports[`glassformer/models/${name}`] = `/dist/models/${name}.safetensors`;
  for (const name of ['', '/worker', '/checkpoints', '/tokenizers']) {
    imports[`glassformer${name}`] = exports[`.${name}`].default.slice(1);
  }
  const server = await served(
    ({ url }) => /^\/(dist|tests\/docs)\//.test(fromPackage(url)) && fromPackage(url).slice(1),
    `<script type="importmap">${JSON.stringify({ imports })}</script>`,
  );
  const page = await browser.newPage();
  try {
    await page.goto(server.url);
    for (const guide of ['checkpoints', 'generation']) {
      const programs = programsOf(readFileSync(`${root}src/docs/guides/${guide}.md`, 'utf8'));
      assert.ok(programs.length >= 5);
      for (const [i, code] of programs.entries()) {
        assert.ok(code.split('\n').length <= 16, `${guide} ${i + 1}: more than 15 lines`);
        const head = "import { is as $is, throws as $throws } from 'check';\n";
        assert.equal(await page.evaluate(runModule, head + checked(code)), null, `${guide}: program ${i + 1}`);
      }
    }
  } finally {
    await page.close();
    server.close();
  }
});

test('the guides’ parts of pages run in Chromium, from the CDN’s address or by the name of the entry', async () => {
  const guides = `${root}src/docs/guides/`;
  const texts = readdirSync(guides).map((name) => readFileSync(guides + name, 'utf8'));
  const parts = texts.flatMap(blocksOf).flatMap(({ info, code }) => (info === 'html' ? [code] : []));
  assert.equal(parts.length, 4);
  const imports = { 'glassformer/elements': '/dist/elements.js' };
  const shown = [];
  for (const part of parts) {
    const map = `<link rel="icon" href="data:,"><script type="importmap">${JSON.stringify({ imports })}</script>`;
    const server = await served(({ url }) => /^\/dist\//.test(url) && url.slice(1), map + part);
    const page = await browser.newPage();
    page.on('console', (message) => shown.push(message.text()));
    page.on('pageerror', (error) => shown.push(error.message));
    await page.route('https://cdn.jsdelivr.net/npm/**', (route) => {
      const [, version, path] = /glassformer@([^/]+)\/(.*)/.exec(route.request().url()) ?? [];
      assert.equal(version, JSON.parse(readFileSync(`${root}package.json`, 'utf8')).version);
      return route.fulfill({ path: root + path, headers: { 'Access-Control-Allow-Origin': '*' } });
    });
    try {
      const message = page.waitForEvent('console');
      await page.goto(server.url);
      if (part.includes('console.log')) await message;
      else shown.push(await page.locator('.map-readout:has(strong)').innerText());
      message.catch(() => {}); // the page may log nothing
    } finally {
      await page.close();
      server.close();
    }
  }
  assert.match(
    shown.join('\n'),
    /^(Float32Array\(3\)\n){2}query it, key dog\n0\.9\d+\n[^]*row the, column the\n0\.7000\n/,
  );
});

test('each example of <glass-heatmap> gives what it says', async () => {
  const examples = all.filter((one) => needsPage(one) && one.name !== one.owner);
  assert.ok(examples.length >= 3);
  const server = await served(({ url }) =>
    url === '/elements.js' || /^\/js\/[\w-]+\.js$/.test(url) ? `dist${url}` : url === '/check.js' && CHECK,
  );
  const page = await browser.newPage();
  try {
    await page.goto(server.url);
    for (const { name, comment } of examples) {
      for (const example of examplesIn(comment)) {
        const code = `import { is as $is, throws as $throws } from '/check.js';
          import '/elements.js';
          const map = document.body.appendChild(document.createElement('glass-heatmap'));
          ${checked(example)}`;
        assert.equal(await page.evaluate(runModule, code.replaceAll("'/", `'${page.url()}`)), null, name);
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

/** Search terms, and the page that comes first. */
const SEARCHES = {
  train: 'glassformer.Trainer.train',
  training: 'Training and resuming',
  'hugging face': 'Checkpoints of your own',
  huggingface: 'Checkpoints of your own',
  generate: 'Generate text',
  streaming: 'Workers and servers',
  worker: 'Workers and servers',
  onnx: 'ONNX and PyTorch',
  vite: 'Bundlers and CSP',
  attention: 'glassformer.Engine.attention',
  gradient: 'glassformer.Gradients',
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
