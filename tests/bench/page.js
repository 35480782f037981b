// The built page as a reader meets it, in Chromium: the first map, typing, the temperature slider, a run of Train;
// plain and under a four-fold CPU throttle. `--beside FOLDER`: another build of the page takes its turn in every round.
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/tools/serve.mjs';
import { launch } from './browser.js';
import { median, quantile } from './harness.js';
import { workByFrame } from './page-frames.js';
import { watch } from './page-watch.js';

const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url));
const WINDOW = { width: 1440, height: 900 };
const THROTTLES = [1, 4];
const TYPED = ' the small cat saw the old dog and it slept.';
const REST = 250; // ms between two keystrokes at least: each is answered before the next
const AFTER_LOADING = 1500; // ms in which what comes late may still move the page
const DRAG = 60; // steps of the slider
const STEP = 16; // ms
const TRAINING = 4000; // ms
const TRAINED = ['sort', 'story'];
const PATIENCE = 20_000; // ms

/** @typedef {Record<string, number[]>} Samples milliseconds by name of the measure */

/**
 * @param {import('./run.mjs').Options} options
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function page({ quick, beside }) {
  const folders = { ...(beside && { before: beside }), page: BUILT };
  const contestants = [];
  for (const [name, folder] of Object.entries(folders)) {
    const { url, close } = await serve({ port: 0, folder });
    for (const rate of THROTTLES) contestants.push({ name, rate, url, close, samples: /** @type {Samples} */ ({}) });
  }
  const browser = await launch();
  try {
    for (let round = 0; round < (quick ? 1 : 5); round++)
      for (const { rate, url, samples } of round % 2 ? contestants.toReversed() : contestants)
        for (const [measure, values] of Object.entries(await visit(browser, url, rate)))
          (samples[measure] ??= []).push(...values);
  } finally {
    await browser.close();
    await Promise.all(contestants.map(({ close }) => close()));
  }
  return {
    title: 'The page with the model creek and its first sentence, 1440 × 900, ms',
    tables: THROTTLES.map((rate) => table(rate, contestants)),
    notes: [
      'First map: from navigation to the end of the frame that shows it, with an empty cache over loopback. Keystroke:',
      'from the key to the end of the frame with its map, of those that change the map. A task of the main thread',
      'shorter than 50 ms is not counted: 0 means that there was none. Train: the processor time of the main thread',
      'between two frames, while the run goes as fast as it can.',
    ],
  };
}

/** @param {number} rate @param {{name: string, rate: number, samples: Samples}[]} contestants */
function table(rate, contestants) {
  const those = contestants.filter((each) => each.rate === rate);
  const rows = Object.keys(Object.assign({}, ...those.map(({ samples }) => samples))).map((measure) => {
    const all = those.map(({ samples }) => samples[measure] ?? []);
    return [measure, ...all.flatMap((values) => [median(values), quantile(values, 0.95)]), all.at(-1)?.length];
  });
  return {
    title: rate === 1 ? 'No throttle' : `CPU throttled ${rate}-fold`,
    columns: ['measure', ...those.flatMap(({ name }) => [`${name}: median`, 'p95']), 'samples'],
    rows,
  };
}

/**
 * One visit by a new reader.
 * @param {import('playwright-core').Browser} browser
 * @param {string} url
 * @param {number} rate by how much the processor is slowed down
 * @returns {Promise<Samples>}
 */
async function visit(browser, url, rate) {
  const context = await browser.newContext({ viewport: WINDOW });
  try {
    const page = await context.newPage();
    await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, 'serviceWorker'));
    await page.addInitScript(watch);
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(url, { waitUntil: 'commit' });
    await page.waitForFunction(() => globalThis.watched.firstMap > 0, null, { timeout: PATIENCE });
    await page.waitForTimeout(AFTER_LOADING);
    const { firstMap, shift } = await page.evaluate(() => globalThis.watched);
    const typing = await type(page);
    return {
      'first map': [firstMap],
      'layout shift of loading': [shift],
      'keystroke to its map': typing.keys,
      'longest task while typing': [typing.longestTask],
      'frame while the slider is dragged': await drag(page),
      ...(await train(browser, context, url, rate)),
    };
  } finally {
    await context.close();
  }
}

/** @param {import('playwright-core').Page} page */
async function type(page) {
  await page.locator('#text').focus();
  await page.keyboard.press('Control+End');
  await page.waitForTimeout(REST);
  await page.evaluate(() => {
    globalThis.watched.keys.length = 0;
    globalThis.watched.longestTask = 0;
  });
  for (const key of TYPED) {
    await page.keyboard.press(key === ' ' ? 'Space' : key);
    await page.waitForTimeout(REST);
    await page.waitForFunction(() => globalThis.watched.isQuiet(), null, { timeout: PATIENCE });
  }
  return page.evaluate(() => ({ keys: globalThis.watched.keys, longestTask: globalThis.watched.longestTask }));
}

/**
 * @param {import('playwright-core').Browser} browser
 * @param {import('playwright-core').BrowserContext} context
 * @param {string} url
 * @param {number} rate
 * @returns {Promise<Samples>}
 */
async function train(browser, context, url, rate) {
  /** @type {Samples} */
  const samples = {};
  if (!(await fetch(`${url}trainer.js`)).ok) return samples; // a page from before there was Train
  for (const task of TRAINED) {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(`${url}#/train?task=${task}`);
    await page.locator('.train-hash code').waitFor({ state: 'attached', timeout: PATIENCE });
    await page.waitForTimeout(AFTER_LOADING);
    samples[`Train, ${task}: main thread a frame`] = await workByFrame(browser, page, async () => {
      await page.locator('.train-play').click();
      await page.waitForTimeout(TRAINING);
    });
    await page.close();
  }
  return samples;
}

/** Measures frames while the reader drags the temperature. @param {import('playwright-core').Page} page */
async function drag(page) {
  const slider = page.locator('input.temperature');
  await slider.scrollIntoViewIfNeeded();
  const box = await slider.boundingBox();
  if (!box) throw new Error('the page shows no slider of the temperature');
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width / 2, y);
  await page.mouse.down();
  await page.waitForTimeout(REST);
  await page.evaluate(() => globalThis.watched.seeFrames());
  for (let i = 0; i < DRAG; i++) {
    await page.mouse.move(box.x + box.width * (0.5 + 0.3 * Math.sin(i / 6)), y);
    await page.waitForTimeout(STEP);
  }
  const frames = await page.evaluate(() => globalThis.watched.seeFrames());
  await page.mouse.up();
  return frames;
}
