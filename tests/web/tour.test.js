// The whole page once through in every engine that is installed: each number against Node's, nothing
// said on the console, nothing asked elsewhere, the same bits from training. GLASSFORMER_ENGINES=all
// makes an engine that is not installed an error.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { load } from 'glassformer';
import { assertShown, shipped } from './browser.js';
import { engines, launchEngine, serveWatched, until } from './engines.js';

/** @typedef {import('./engines.js').EnginePage} EnginePage */

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
const TRAINED_200 = '3ecec4c146810f8f9cac74ed4abb78b1dedc50f9f2cda408984a730f6d547740'; // as tests/js/trainer.test.js holds it

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

test('the engines of the tour', t => {
  t.diagnostic(`tour in ${present.join(', ')}${absent.length ? `; not installed, so left out: ${absent.join(', ')}` : ''}`);
  assert(present.includes('chromium'), 'set CHROMIUM or run npm test, which gets it');
  if (process.env.GLASSFORMER_ENGINES === 'all') assert.deepEqual(absent, []);
});

/** Opens the page anew. @param {EnginePage} page @param {string} model */
async function open(page, model) {
  await page.goto(`${site.url}empty.html`); // another hash alone would not load the page
  await page.goto(`${site.url}#model=${model}`);
  await until(page, () => document.querySelector('.head') && document.querySelector('#heatmap strong')?.textContent);
}

/** What a map's readout says, once the page has come to rest. @param {EnginePage} page @param {string} [view] */
const readout = (page, view = '#heatmap') => page.evaluate(async view => {
  /** @returns {string} */
  const line = () => document.querySelector(`${view} .map-readout`)?.textContent ?? '';
  // Where a click left the pointer, a page that scrolls may have put a cell under it.
  document.querySelector(`${view} [role=application]`)?.dispatchEvent(new PointerEvent('pointerleave'));
  for (let before = ''; before !== line();) {
    before = line();
    await new Promise(resolve => setTimeout(resolve, 250));
  }
  const value = document.querySelector(`${view} .map-readout strong`)?.textContent ?? '';
  return { place: document.querySelector(`${view} .map-readout bdi`)?.textContent, number: Number(value.replace('−', '-')) };
}, view);

/** The number under a map's cursor, within ten seconds. @param {EnginePage} page @param {string} view @param {number} wanted @param {string} [message] */
async function shown(page, view, wanted, message = '') {
  for (const end = Date.now() + 10_000; ;) {
    const { number } = await readout(page, view);
    try {
      return assertShown(number, wanted, message);
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** As a reader types or chooses. @param {EnginePage} page @param {string} selector @param {string} value */
const fill = (page, selector, value) => page.evaluate(([selector, value]) => {
  const field = /** @type {HTMLInputElement} */ (document.querySelector(selector));
  field.value = value;
  field.dispatchEvent(new Event(field instanceof HTMLSelectElement ? 'change' : 'input', { bubbles: true }));
}, [selector, value]);

/** Puts a map's cursor into a cell, by keys; once more where a slow engine lost or doubled one. @param {EnginePage} page @param {string} view @param {number} row @param {number} column */
async function move(page, view, row, column) {
  for (let tries = 0; tries < 4; tries++) {
    await page.evaluate(view => /** @type {HTMLElement} */ (document.querySelector(`${view} [role=application]`)).focus(), view);
    for (let up = 0; up < 4; up++) await page.press('PageUp');
    await page.press('Home');
    for (let down = 0; down < row; down++) await page.press('ArrowDown');
    for (let right = 0; right < column; right++) await page.press('ArrowRight');
    await readout(page, view); // at rest
    const note = await page.evaluate(view => document.querySelector(`${view} .map-note`)?.textContent ?? '', view);
    if (note.startsWith(`[${row}, ${column}]`)) return;
  }
  assert.fail(`${view}: the cursor does not reach [${row}, ${column}] by keys`);
}

/** Clicks the n-th of the elements, or the button of these words. @param {EnginePage} page @param {string} selector @param {number | string} which */
async function click(page, selector, which) {
  await page.evaluate(([selector, which]) => {
    const all = [...document.querySelectorAll(String(selector))];
    const chosen = typeof which === 'number' ? all[which] : all.find(each => each.textContent?.trim() === which);
    if (!chosen) throw new Error(`no ${which} among ${all.length} ${selector}`);
    chosen.setAttribute('data-tour', '');
  }, [selector, which]);
  await page.click('[data-tour]');
  await page.evaluate(() => document.querySelector('[data-tour]')?.removeAttribute('data-tour'));
}

/** The n-th head of the grid, by layer. @param {EnginePage} page @param {number} n */
const chooseHead = (page, n) => click(page, '.head', n);

/** The texts of a table's cells. @param {EnginePage} page @param {string} rows */
const cells = (page, rows) => page.evaluate(rows =>
  [...document.querySelectorAll(rows)].map(row => [...row.children].map(cell => cell.textContent?.trim().replace('−', '-') ?? '')), rows);

/** Once it has arrived. @param {EnginePage} page @param {string} selector */
const there = (page, selector) => until(page, selector => Boolean(document.querySelector(selector)), selector);

/** Nothing that must not happen has happened since the page was opened. @param {EnginePage} page */
async function quiet(page) {
  assert.deepEqual([...page.told, ...await page.evaluate(() => Reflect.get(self, 'problems'))], []);
}

/** @param {EnginePage} page @param {string} where */
async function accessible(page, where) {
  const violations = await page.evaluate(async () => {
    await import(new URL('axe.js', location.href).href);
    const found = await Reflect.get(self, 'axe').run(document, { resultTypes: ['violations'] });
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(node => node.html.slice(0, 120)).join(' | ')}`);
  });
  assert.deepEqual(violations, [], where);
}

for (const name of present) {
  describe(name, () => {
    /** @type {EnginePage} */
    let page;
    before(async () => {
      page = await launchEngine(name);
    });
    after(() => page?.close());

    test('creek: the first picture, attention, FFN and positions', async t => {
      t.diagnostic(page.version);
      await open(page, 'creek');
      const own = shipped(gf, 'creek');
      own.model.forward({ ids: own.ids(KNOWN), capture: true });
      const { heads, layers } = own.config;
      const first = await readout(page);
      assert.equal(first.place, 'row it, column creek');
      const all = Array.from({ length: layers * heads }, (_, i) => own.at(`encoder.layers.${Math.floor(i / heads)}.self_attn.weights`, 0, i % heads, 12, 1));
      assertShown(first.number, Math.max(...all), 'it opens on the head that looks at creek most');

      await chooseHead(page, heads + 1);
      await shown(page, '#heatmap', all[heads + 1], 'a head by a click');
      await page.press('ArrowDown');
      await shown(page, '#heatmap', all[2 * heads + 1], 'by a key');
      await move(page, '#heatmap', 7, 1);
      const cell = await readout(page);
      assert.equal(cell.place, 'row dog, column creek');
      assertShown(cell.number, own.at('encoder.layers.2.self_attn.weights', 0, 1, 7, 1), 'a cell by keys');
      for (const quantity of ['scores', 'scaled']) {
        await fill(page, '#heatmap .quantity', quantity);
        await shown(page, '#heatmap', own.at(`encoder.layers.2.self_attn.${quantity}`, 0, 1, 7, 1), quantity);
      }
      await fill(page, '#ffn .arrangement', 'index');
      await until(page, () => document.querySelector('#ffn .map-columns bdi')?.textContent === '0');
      await move(page, '#ffn', 12, 3);
      await shown(page, '#ffn', own.at('encoder.layers.2.ffn.activation', 0, 12, 3), 'a neuron');
      await move(page, '#positions', 5, 2);
      await shown(page, '#positions', own.at('encoder.positions', 5, 2), 'a position');
      await quiet(page);
    });

    test('creek: another text, a switch', async () => {
      await open(page, 'creek');
      const text = 'the dog was tired .';
      await fill(page, '#text', 'The dog was tired.');
      await until(page, () => document.querySelectorAll('#heatmap .map-rows bdi').length === 5);
      const own = shipped(gf, 'creek', { scoreScale: false });
      own.model.forward({ ids: own.ids(text), capture: true });
      await page.evaluate(() => /** @type {HTMLDetailsElement} */ (document.getElementById('settings-box')).open = true);
      await page.click('#set-scoreScale');
      await chooseHead(page, 0);
      await move(page, '#heatmap', 3, 1);
      const cell = await readout(page);
      assert.equal(cell.place, 'row tired, column dog');
      await shown(page, '#heatmap', own.at('encoder.layers.0.self_attn.weights', 0, 0, 3, 1));
      await quiet(page);
    });

    test('creek: the way through, part by part', async () => {
      await open(page, 'creek');
      const own = shipped(gf, 'creek');
      own.model.forward({ ids: own.ids(KNOWN), capture: true });
      await there(page, '#lens .lens tbody tr');
      await chooseHead(page, 2 * own.config.heads);
      await move(page, '#embedding', 12, 5);
      await shown(page, '#embedding', own.at('encoder.input', 0, 12, 5), 'embedding');
      const norms = Array.from({ length: own.config.d_model }, (_, i) => own.at('encoder.input', 0, 12, i));
      await move(page, '#stream', 12, 1);
      await shown(page, '#stream', Math.hypot(...norms), 'stream');
      await move(page, '#norms', 3, 5);
      await shown(page, '#norms', own.at('encoder.layers.2.norm1.out', 0, 12, 5), 'LayerNorm');
      const { data } = own.probabilities();
      const row = data.subarray(12 * own.vocabulary.length, 13 * own.vocabulary.length);
      const best = row.indexOf(Math.max(...row));
      const [[word, logit, probability]] = await cells(page, '#logits tbody tr');
      assert.equal(word, own.vocabulary[best]);
      assertShown(Number(logit), own.at('logits', 0, 12, best), 'logit');
      assertShown(Number(probability), row[best], 'probability');
      const answers = (await cells(page, '#lens .lens tbody tr'))[12];
      assert(answers.at(-1)?.startsWith(word), 'the last layer of the lens is the model');
      await quiet(page);
    });

    test('creek: a head switched off, the state pinned beside it, all taken back', async () => {
      await open(page, 'creek');
      const own = shipped(gf, 'creek');
      const { heads } = own.config;
      const off = { patches: [{ name: 'encoder.layers.1.self_attn.head_outputs', index: [0, 1, null, null], value: 0 }] };
      const weight = (options = {}) => {
        own.model.forward({ ids: own.ids(KNOWN), capture: true, ...options });
        return own.at('encoder.layers.2.self_attn.weights', 0, 0, 12, 1);
      };
      await chooseHead(page, heads + 1);
      await click(page, 'button', 'Pin this state');
      await there(page, '.compare-readout');
      await click(page, '#change-head button', 'Switch it off');
      await there(page, '.chips bdi');
      await chooseHead(page, 2 * heads);
      await move(page, '#heatmap', 12, 1);
      await shown(page, '#heatmap', weight(off), 'above a head that is off');
      assertShown((await readout(page, '.compare-head .compare-maps > div:nth-child(1)')).number, weight(), 'pinned');
      await click(page, 'button', 'Reset');
      await until(page, () => !document.querySelector('.chips'));
      await shown(page, '#heatmap', weight(), 'reset');
      await quiet(page);
    });

    test('translate: the French, and the mean of the last cross-attention', async () => {
      await open(page, 'translate');
      const own = shipped(gf, 'translate');
      const [begin, end] = ['[BOS]', '[EOS]'].map(word => own.targetVocabulary.indexOf(word));
      const sourceIds = own.ids(KNOWN);
      const { newIds } = own.model.generate({ ids: [begin], sourceIds, maxTokens: 24, endId: end });
      own.model.forward({ ids: sourceIds, targetIds: [begin, ...newIds.slice(0, -1)], capture: true });
      const french = [...newIds].filter(id => id !== end).map(id => own.targetVocabulary[id]).join(' ');
      assert.equal(await page.evaluate(() => document.querySelector('output.translation')?.textContent?.trim()), french);
      await move(page, '#heatmap', 6, 7);
      const { heads } = own.config;
      const each = Array.from({ length: heads }, (_, head) => own.at('decoder.layers.1.multihead_attn.weights', 0, head, 6, 7));
      await shown(page, '#heatmap', each.reduce((a, b) => a + b) / heads);
      await quiet(page);
    });

    test('continue: the same tokens', async () => {
      await open(page, 'continue');
      const own = shipped(gf, 'continue');
      const ids = own.ids(await page.evaluate(() => /** @type {HTMLTextAreaElement} */ (document.getElementById('text')).value));
      const all = [...ids];
      own.model.generate({ ids, maxTokens: 30, temperature: 0.8, seed: 0, onToken: id => (all.push(id), own.vocabulary[all.at(-2)] !== 'end' || own.vocabulary[id] !== '.') });
      await page.click('#writer button');
      await until(page, count => document.querySelectorAll('#tokens-decoder .token').length === count, all.length);
      const words = await page.evaluate(() => [...document.querySelectorAll('#tokens-decoder .token-word')].map(word => word.textContent));
      assert.deepEqual(words, all.map(id => own.vocabulary[id]));
      await quiet(page);
    });

    test('200 steps of training: the same bits', async () => {
      await page.goto(`${site.url}empty.html`);
      const digest = await page.evaluate(async url => {
        const [{ load }, { reverse }] = await Promise.all(['glassformer', 'tasks'].map(file => import(`${url}package/${file}.js`)));
        const model = (await load({ variant: 'simd' })).createModel({ ...reverse.config, seed: 1 });
        const trainer = model.trainer(reverse.trainer);
        const batches = reverse.batches(1);
        for (let i = 0; i < 200; i++) trainer.step(batches.next().value);
        const bytes = await new Blob([...model.weights().values()].map(({ data }) => data)).arrayBuffer();
        return [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map(byte => byte.toString(16).padStart(2, '0')).join('');
      }, site.url);
      assert.equal(digest, TRAINED_200);
    });

    for (const dark of [false, true]) {
      test(`axe finds nothing, ${dark ? 'dark' : 'light'}`, async () => {
        const here = dark ? await launchEngine(name, { dark }) : page;
        try {
          for (const model of ['creek', 'translate']) {
            await open(here, model);
            assert.equal(await here.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches), dark);
            await accessible(here, model);
          }
        } finally {
          if (dark) await here.close();
        }
      });
    }
  });
}
