// The page with a model of GPT-2's shape and random weights, as a reader gives its folder, in each engine: how long
// it takes to open, from a key to its map, and from the temperature slider to the map.
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from '../../src/tools/serve.mjs';
import { makeBig } from '../checkpoints/make-big.mjs';
import { engines, launchEngine, until } from '../web/engines.js';
import { median } from './harness.js';
import { watch } from './page-watch.js';

const BUILT = fileURLToPath(new URL('../../dist/web', import.meta.url));
const FILES = ['config.json', 'model.safetensors', 'tokenizer.json'];
const TYPED = ' the old dog saw it';
const MOVES = 10; // of the slider
const PATIENCE = 300_000; // ms
const DTYPES = ['F32', 'BF16'];

/**
 * @param {import('./run.mjs').Options} options workloads: dtypes of the file; browser: one engine instead of all
 * @returns {Promise<import('./run.mjs').Report>}
 */
export default async function pageBig({ workloads, browser, quick }) {
  const folder = mkdtempSync(join(tmpdir(), 'page-big-'));
  cpSync(BUILT, folder, { recursive: true });
  writeFileSync(join(folder, 'watch.js'), `(${watch})()`);
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  writeFileSync(join(folder, 'index.html'), index.replace('<head>', '<head><script src="watch.js"></script>'));
  const { url, close } = await serve({ port: 0, folder });
  const rows = [];
  try {
    for (const dtype of DTYPES.filter((each) => !workloads.length || workloads.includes(each))) {
      makeBig(join(folder, 'given'), { dtype, tokenizer: true, ...(quick && { layers: 1, vocabulary: 5000 }) });
      for (const name of browser ? [browser] : engines().present) {
        const { version, opened, keys, moves } = await visit(name, url);
        const times = (/** @type {number[]} */ all) => [median(all), Math.min(...all)];
        rows.push([`${version}, ${dtype}`, opened / 1e3, ...times(keys), ...times(moves), keys.length]);
      }
    }
  } finally {
    await close();
    rmSync(folder, { recursive: true });
  }
  return {
    title: `The page with GPT-2's shape${quick ? ', one layer' : ''}, random weights, 14 to 20 tokens`,
    tables: [
      {
        title: 'To the end of the frame that shows the map',
        columns: ['engine, file', 'open, s', 'key, ms', 'fastest', 'temperature, ms', 'fastest', 'keys'],
        rows,
      },
    ],
    notes: [],
  };
}

/** @param {string} name of an engine @param {string} url */
async function visit(name, url) {
  const page = await launchEngine(name);
  try {
    await page.goto(url);
    await until(page, () => globalThis.watched?.firstMap > 0 && globalThis.watched.isQuiet());
    await page.evaluate(give, FILES);
    const opened = await until(page, isOpen, null, PATIENCE);
    await until(page, () => globalThis.watched.isQuiet());
    await page.evaluate(() => {
      const text = document.querySelector('#text');
      text.focus();
      text.setSelectionRange(text.value.length, text.value.length);
    });
    const keys = await answered(page, [...TYPED], (key) => page.press(key));
    const turns = Array.from({ length: MOVES }, (_, i) => (i % 2 ? -0.2 : 0.2) + i / 100);
    const moves = await answered(page, turns, (value) => page.evaluate(slide, value));
    return { version: page.version, opened, keys, moves };
  } finally {
    await page.close();
  }
}

/**
 * Does one after the other, each when the one before was answered or, as some keys change nothing, two seconds later.
 * @template T
 * @param {import('../web/engines.js').EnginePage} page
 * @param {T[]} all
 * @param {(each: T) => Promise<any>} act
 * @returns {Promise<number[]>} milliseconds of those that changed the map
 */
async function answered(page, all, act) {
  await page.evaluate(() => void (globalThis.watched.keys.length = 0));
  for (const each of all) {
    const before = await page.evaluate(
      () => Object.assign(globalThis.watched, { acted: performance.now() }).keys.length,
    );
    await act(each);
    await until(page, isAnswered, before);
  }
  return page.evaluate(() => globalThis.watched.keys);
}

/** Runs in the page. @param {number} before how many answers there were */
function isAnswered(before) {
  const { keys, acted, isQuiet } = globalThis.watched;
  return isQuiet() && (keys.length > before || performance.now() > acted + 2000);
}

/** Runs in the page: gives the folder as files that are chosen. @param {string[]} names */
async function give(names) {
  const transfer = new DataTransfer();
  for (const name of names) transfer.items.add(new File([await (await fetch(`given/${name}`)).blob()], name));
  const buttons = [...document.querySelectorAll('#models button')];
  buttons.find((each) => each.textContent.startsWith('Open your own')).click();
  while (!document.querySelector('.own input[name=own-files]')) await new Promise(requestAnimationFrame);
  const input = document.querySelector('.own input[name=own-files]');
  globalThis.given = performance.now();
  input.files = transfer.files;
  input.dispatchEvent(new Event('change'));
}

/** Runs in the page: the milliseconds until its map was shown, once it is. */
function isOpen() {
  const error = document.querySelector('.own .error');
  if (error) throw new Error(error.textContent);
  const isShown = document.body.dataset.model?.startsWith('file.') && document.querySelectorAll('.head').length >= 12;
  return isShown && performance.now() - globalThis.given;
}

/** Runs in the page. @param {number} value of the slider */
function slide(value) {
  const slider = document.querySelector('input.temperature');
  slider.value = String(value);
  slider.dispatchEvent(new Event('input', { bubbles: true }));
}
