// The journey of a card in Chromium: cancelled runs, a worker that fails, the keyboard, everybody.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beforeWorker, trapping, useBrowser } from '../browser.js';
import { course } from '../../../src/claims/index.js';
import { listed } from '../../../web/claims/order.js';
import { assertAccessible } from '../train/watch.js';
import { openCard, predict, seen, tested, unfold } from './watch.js';

const tools = useBrowser();
const hash = (/** @type {import('playwright-core').Page} */ page) => page.evaluate(() => location.hash);

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
    await page.waitForTimeout(500); // late work ends
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
  await unfold(page);
  await page.getByRole('radio', { name: '2', exact: true }).check();
  await page.waitForURL(/layers=2/);
  await page.getByRole('button', { name: 'Run the boundary' }).click(); // at once
  await page.waitForURL(/design=pre-LN/);
  await progress.waitFor();
  await page.getByRole('button', { name: 'Back to the sentence' }).click();
  await page.waitForURL(/card=16&seeds=20$/);
  await unfold(page);
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
  await page.locator('.claims-list').first().waitFor();
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
  const order = listed(course).flatMap((group) => group.claims.map(({ claim }) => claim.number));
  await page.waitForURL(new RegExp(`card=${order[order.indexOf(22) + 1]}$`));
  await page.locator('.claims-sentence', { hasText: /^(?!.*bottleneck)/ }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/card=22$/);
  await page.locator('.claims-sentence', { hasText: 'bottleneck' }).waitFor();
  await page.locator('.claims-more summary').click();
  await page.locator('.claims-sure input').first().focus();
  await page.keyboard.press('ArrowRight'); // of the field, which turns no card
  assert.match(await hash(page), /card=22$/);
  await page.locator('.claims-choice').first().focus();
  await page.keyboard.press('Space');
  await tested(page);
  assert.equal(await focused(), 'claims-found');
  await unfold(page);
  await page.getByRole('radio', { name: '2048', exact: true }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.waitForURL(/card=22&d_ff=1024$/);
  await tested(page);
  assert.equal(await page.evaluate(() => /** @type {any} */ (document.activeElement).value), '1024');
  await tools.close(page);
});

test('axe finds nothing in light, dark and forced colours, nothing runs off the side at 390 px', async () => {
  const page = await openCard(tools, '#/claims?view=list', {
    viewport: { width: 390, height: 844 },
    setUp: (page) =>
      page.addInitScript(() => {
        /** @type {any} */ (window).stopped = [];
        addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) =>
          /** @type {any} */ (window).stopped.push(`${effectiveDirective} ${blockedURI}`),
        );
      }),
  });
  const assertGood = async () => {
    for (const media of /** @type {const} */ ([
      { colorScheme: 'dark', forcedColors: 'none', reducedMotion: 'no-preference' },
      { colorScheme: 'light', forcedColors: 'active', reducedMotion: 'reduce' },
      { colorScheme: 'light', forcedColors: 'none', reducedMotion: 'no-preference' },
    ])) {
      await page.emulateMedia(media);
      // The scheme is followed in a frame, and a colour on its way is none of either.
      await page.evaluate(async () => {
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        for (const each of document.getAnimations()) each.finish();
      });
      await assertAccessible(page, { within: '#claims, #claims *', scrolls: '.visually-hidden' });
    }
  };
  await assertGood();
  await page.getByRole('link', { name: /Large dk/ }).click();
  await page.locator('.claims-question').waitFor();
  await assertGood();
  await predict(page, 1);
  await tested(page);
  await unfold(page);
  await page.getByLabel('Seeds', { exact: true }).fill('0');
  await page.getByLabel('Seeds', { exact: true }).press('Enter');
  await page.locator('#claims-seeds-problem').waitFor();
  await page.getByRole('radio', { name: '16', exact: true }).check();
  await page.locator('.claims-stale').waitFor();
  await assertGood();
  assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).stopped), []);
  await tools.close(page);
});
