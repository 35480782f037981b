// The journey of a card in Chromium: what is kept and hidden, cancelled runs, wrong links and values, a worker that
// fails, the keyboard, everybody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeWorker, trapping, useBrowser } from '../browser.js';
import { assertAccessible } from '../train/watch.js';
import { openCard, predict, seen, tested } from './watch.js';

const tools = useBrowser();
const hash = (/** @type {import('playwright-core').Page} */ page) => page.evaluate(() => location.hash);

test('what a long card found is shown after a reload, with its seeds and time, until it is run again', async () => {
  const page = await openCard(tools, '#/claims?card=1&seeds=2');
  await predict(page, 0);
  await tested(page);
  const first = await seen(page);
  assert.equal(first.verdict, 'true');
  const before = Date.now();
  await page.reload();
  const kept = page.locator('.claims-kept');
  await kept.waitFor();
  const known = first.rows.filter(([, , reference]) => reference !== '–');
  assert(known.length > 0);
  assert.deepEqual(await seen(page), { ...first, rows: known });
  assert.equal(await page.locator('.picture').count(), 0);
  const text = (await kept.locator('p').first().innerText()).replace(/\s+/g, ' ');
  assert.match(text, /^Found on \d+ \w+ \d{4} at \d\d:\d\d, seeds: 2:$/);
  assert(Math.abs(Date.parse(text.replace(/^Found on (.*) at (\d\d:\d\d).*/, '$1 $2')) - before) < 120_000, text);
  await page.getByRole('radio', { name: '8', exact: true }).check();
  await page.waitForURL(/d_k=8&seeds=2$/);
  assert.match(await kept.innerText(), /^Found on .*, seeds: 2:/, 'of the switches it was found with');
  await page.getByRole('button', { name: 'Run again' }).click();
  await tested(page);
  assert.equal((await seen(page)).word, 'Boundary');
  assert.equal(await kept.count(), 0);
  await tools.close(page);
});

test('after the verdict the next claim is offered, to which the focus goes; after the last the list', async () => {
  const page = await openCard(tools, '#/claims?card=18&seeds=1');
  const next = page.locator('.claims-next');
  await page.locator('.claims-more summary').click();
  await page.getByRole('button', { name: 'Copy as code' }).waitFor();
  assert.equal(await next.count(), 0, 'first the prediction');
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await tested(page);
  assert.match(await next.innerText(), /^Next claim\s+Cross-attention aligns the output/);
  await next.press('Enter');
  await page.waitForURL(/card=19$/);
  await page.locator('.claims-question').waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'claims-sentence');
  assert.equal(await next.count(), 0);
  await page.evaluate(() => (location.hash = '#/claims?card=19&heads=1&seeds=1&predict=1'));
  await page.waitForURL(/predict=1$/);
  await predict(page, 0);
  await tested(page);
  assert.match(await next.innerText(), /All claims, with what you found/);
  await next.press('Enter');
  await page.waitForURL(/view=list$/);
  await page.locator('.claims-list [data-card="19"]:focus').waitFor();
  await tools.close(page);
});

test('the figure of a run grows seed by seed, and is the same in the end', async () => {
  const page = await openCard(tools, '#/claims?card=19&seeds=3');
  await page.evaluate(() => {
    /** @type {any} */ (window).states = [];
    new MutationObserver(() => {
      const seeds = document.querySelector('.claims-running')?.textContent;
      const done = Number(/(\d) of 3 seeds/.exec(seeds ?? '')?.[1] ?? NaN);
      const marks = document.querySelectorAll('.picture-plot')[0]?.querySelectorAll('.picture-dot').length ?? 0;
      const verdict = document.querySelector('.claims-verdict');
      /** @type {any} */ (window).states.push({ done, marks, verdict: verdict !== null });
    }).observe(document.querySelector('.claims-card') ?? document.body, { childList: true, subtree: true });
  });
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await tested(page);
  /** @type {{done: number, marks: number, verdict: boolean}[]} */
  const states = await page.evaluate(() => /** @type {any} */ (window).states);
  const marksAt = (/** @type {number} */ done) =>
    Math.max(...states.filter((at) => at.done === done).map((at) => at.marks));
  const all = await page.locator('.picture-plot').first().locator('.picture-dot').count();
  assert.deepEqual([0, 1, 2].map(marksAt), [0, all / 3, (2 * all) / 3]);
  assert(
    states.every(({ done, verdict }) => Number.isNaN(done) || !verdict),
    'no verdict before the last seed',
  );
  await tools.close(page);
});

test('a long run shows how far it is; cancelled, or left for another card, it ends in the worker', async () => {
  const page = await openCard(tools, '#/claims?card=16&seeds=20', {
    setUp: (page) =>
      page.addInitScript(() => {
        /** @type {any} */ (window).reports = 0;
        globalThis.Worker = class extends Worker {
          /** @param {string} url @param {WorkerOptions} options */
          constructor(url, options) {
            super(url, options);
            this.addEventListener('message', ({ data }) => {
              if (data.callback !== undefined) /** @type {any} */ (window).reports++;
            });
          }
        };
      }),
  });
  const count = () => page.evaluate(() => /** @type {any} */ (window).reports);
  const advances = (/** @type {number} */ from) =>
    page.waitForFunction((least) => /** @type {any} */ (window).reports > least + 2, from);
  const isOver = async () => {
    await page.waitForTimeout(500); // what was on its way
    const at = await count();
    await page.waitForTimeout(1000);
    assert.equal(await count(), at);
  };
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  const progress = page.getByRole('progressbar', { name: 'Progress of the experiment' });
  await advances(0);
  assert(Number(await progress.getAttribute('value')) > 0);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await isOver();
  assert.equal((await seen(page)).verdict, null);
  const before = await count();
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await advances(before);
  await page.evaluate(() => (location.hash = '#/claims?card=22'));
  await page.getByRole('button', { name: 'Run without a bet' }).click();
  await tested(page);
  assert.equal((await seen(page)).verdict, 'false');
  await isOver();
  await page.goBack();
  await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
  await page.getByRole('radio', { name: '2', exact: true }).check();
  await page.waitForURL(/layers=2/);
  await page.getByRole('button', { name: 'Run the boundary' }).click(); // at once
  await page.waitForURL(/design=pre-LN/);
  await progress.waitFor();
  await page.getByRole('button', { name: 'Back to the sentence' }).click();
  await page.waitForURL(/card=16&seeds=20$/);
  await page.getByRole('radio', { name: '2', exact: true }).check();
  assert.equal(await progress.count(), 0, 'a long one waits to be asked for');
  await tools.close(page);
});

test('a worker that fails to load is reported, and another try works', async () => {
  const page = await tools.open({ model: '', layout: 'workspace' });
  await page.route('**/claims.js', (route) => route.fulfill({ status: 200, body: 'throw new Error("no")' }));
  await page.getByRole('link', { name: 'Claims' }).click();
  await page.getByRole('alert').filter({ hasText: 'The worker of this page failed' }).waitFor();
  await page.unroute('**/claims.js');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.claims-question').waitFor();
  assert.equal(await page.getByRole('alert').count(), 0);
  await page.context().close();
});

test('a module that breaks down is replaced; where the fresh one does too, the reader may try again', async () => {
  for (const [when, isAnnounced] of /** @type {const} */ ([
    ['call === 1', false],
    ['true', true],
  ])) {
    const page = await openCard(tools, '#/claims?card=12', {
      setUp: beforeWorker(trapping('gf_model_forward', when), '**/claims.js'),
    });
    await page.getByRole('button', { name: 'Run without a bet' }).click();
    if (isAnnounced) {
      await page.getByRole('alert').filter({ hasText: 'The WebAssembly module broke down' }).waitFor();
      await page.unroute('**/claims.js');
      await page.getByRole('button', { name: 'Try again' }).click();
    }
    await tested(page);
    assert.equal((await seen(page)).verdict, 'true');
    await tools.close(page);
  }
});

test('the keyboard: arrows turn the cards but not in a field, Tab and Space predict, focus goes along', async () => {
  const page = await openCard(tools, '#/claims?view=list');
  await page.getByRole('link', { name: /bottleneck/ }).press('Enter');
  await page.locator('.claims-question').waitFor();
  const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.tagName);
  assert.equal(await focused(), 'claims-sentence');
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/card=13$/);
  await page.locator('.claims-sentence', { hasText: 'key–value memory' }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/card=22$/);
  await page.locator('.claims-sentence', { hasText: 'bottleneck' }).waitFor();
  await page.locator('.claims-choice input').first().focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowDown');
  assert.match(await hash(page), /card=22$/);
  await page.keyboard.press('Enter');
  await tested(page);
  assert.equal(await focused(), 'claims-found');
  await page.getByRole('radio', { name: '2048', exact: true }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/card=22&d_ff=1024$/);
  await tested(page);
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.activeElement).value), '1024');
  await tools.close(page);
});

for (const [name, options] of /** @type {[string, object][]} */ ([
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['forced colours, reduced motion', { forcedColors: 'active', reducedMotion: 'reduce' }],
])) {
  test(`axe finds nothing, nothing runs off the side at 390 px, nothing breaks the policy: ${name}`, async () => {
    const page = await openCard(tools, '#/claims?view=list', {
      ...options,
      viewport: { width: 390, height: 844 },
      setUp: (page) =>
        page.addInitScript(() => {
          /** @type {any} */ (window).stopped = [];
          addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
            /** @type {any} */ (window).stopped.push(`${effectiveDirective} ${blockedURI}`),
          );
        }),
    });
    const assertGood = () => assertAccessible(page, { within: '#claims, #claims *', scrolls: '.visually-hidden' });
    await assertGood();
    await page.getByRole('link', { name: /Large dk/ }).click();
    await page.locator('.claims-question').waitFor();
    await assertGood();
    await predict(page, 1);
    await tested(page);
    await page.getByLabel('Seeds', { exact: true }).fill('0');
    await page.getByLabel('Seeds', { exact: true }).press('Enter');
    await page.locator('#claims-seeds-problem').waitFor();
    await page.getByRole('radio', { name: '16', exact: true }).check();
    await page.locator('.claims-stale').waitFor();
    await assertGood();
    assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).stopped), []);
    await tools.close(page);
  });
}
