// An article with all elements, in each engine: they follow one choice, under a strict policy, in both schemes.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engines, launchEngine, serveWatched, until } from '../engines.js';
import { article, PARTS, TEXT } from './article.js';
import { dictionaryOf } from './dictionary.js';

const BELOW = '<p>A paragraph.</p>'.repeat(100); // after it, parts stand below the window

/** @type {Awaited<ReturnType<typeof serveWatched>>} */
let site;
before(async () => {
  const creek = new Uint8Array(readFileSync(new URL('../../../dist/models/creek.safetensors', import.meta.url)));
  const twenty = `<glass-model name="creek" text="${TEXT}"><glass-heatmap></glass-heatmap></glass-model>`.repeat(20);
  site = await serveWatched({
    'article.html': article(),
    'features.safetensors': (await dictionaryOf(creek)).save(),
    'twenty.html': article([PARTS[0], twenty]),
    'together.html': article([PARTS[0], ...PARTS.slice(2, 4), BELOW, ...PARTS.slice(4, 6)]).replace(
      '</head>',
      '<script src="together.js"></script></head>',
    ),
    'together.js': `(${watchFirst})();`,
    'axe.js': readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'),
  });
});
after(() => site.close());

/** Nothing, until the last part is drawn; then the words of the sentence that are chosen, and the map's cell. */
function drawn() {
  const rootOf = (/** @type {string} */ name) => document.querySelector(name)?.shadowRoot;
  const words = [...(rootOf('glass-sentence')?.querySelectorAll('.token.query, .token.key') ?? [])];
  const cell = rootOf('glass-heatmap')?.querySelector('.map-readout bdi')?.textContent;
  const arc = rootOf('glass-sentence')?.querySelector('.arc-weight')?.textContent;
  return words.length > 0 && cell && arc && { words: words.map((word) => word.textContent?.trim()), cell, arc };
}

/** Keeps, of each part, whether it is drawn in the frame that shows the words. */
function watchFirst() {
  const READY = { heads: '.added', logits: '[part=lens] table', neurons: '.map-readout bdi', features: '.why-words' };
  const has = (/** @type {string} */ name, /** @type {string} */ selector) =>
    Boolean(document.querySelector(`glass-${name}`)?.shadowRoot?.querySelector(selector));
  requestAnimationFrame(function look() {
    const drawn = Object.entries(READY).map(([name, selector]) => [name, has(name, selector)]);
    if (has('sentence', '.token'))
      Reflect.set(self, 'together', Reflect.get(self, 'together') ?? Object.fromEntries(drawn));
    Reflect.set(
      self,
      'isWhole',
      drawn.every(([, is]) => is),
    );
    requestAnimationFrame(look);
  });
}

for (const name of engines().present) {
  describe(name, () => {
    /** @type {import('../engines.js').EnginePage} */
    let page;
    before(async () => {
      page = await launchEngine(name);
    });
    after(() => page?.close());
    const quiet = async () =>
      assert.deepEqual([...page.messages, ...(await page.evaluate(() => Reflect.get(self, 'problems')))], []);
    /** In the tree of an element. @param {string} element @param {string} selector */
    const press = (element, selector) =>
      page.evaluate(
        ([element, selector]) => {
          const found = document.querySelector(element)?.shadowRoot?.querySelector(selector);
          /** @type {HTMLElement} */ (found).click();
        },
        [element, selector],
      );

    test('what is chosen in one part is chosen in all, and a flipped word moves the arc', async () => {
      await page.goto(`${site.url}article.html`);
      assert.deepEqual(await until(page, drawn), { words: ['dog', 'it'], cell: 'query it, key dog', arc: '95\u00a0%' });
      await press('glass-sentence', '.flips button:last-child');
      const isCreek = () =>
        document.querySelector('glass-sentence')?.shadowRoot?.querySelector('.token.key')?.textContent?.trim() ===
        'creek';
      await until(page, isCreek);
      assert.equal((await until(page, drawn)).cell, 'query it, key creek');
      await press('glass-sentence', '.token');
      await until(page, () => document.querySelector('glass-model')?.getAttribute('word') === '0');
      assert.match((await until(page, drawn)).cell, /^query The, key /);
      await quiet();
    });

    test('twenty models fetch one engine and one file', async () => {
      await page.goto(`${site.url}twenty.html`);
      await until(page, () =>
        [...document.querySelectorAll('glass-heatmap')].every((map) => map.shadowRoot?.querySelector('bdi')),
      );
      const fetched = await page.evaluate(() => performance.getEntriesByType('resource').map((each) => each.name));
      for (const file of [/creek\.safetensors$/, /\.wasm\.js$/, /elements\/sentence\.js$/])
        assert.equal(fetched.filter((/** @type {string} */ each) => file.test(each)).length, 1, String(file));
      await quiet();
    });

    test('all parts fetch few files beside the engine, none twice', async () => {
      await page.goto(`${site.url}article.html`);
      await until(page, drawn);
      await until(page, () => document.querySelector('glass-training')?.shadowRoot?.querySelector('.training-row'));
      await until(page, () => document.querySelector('glass-features')?.shadowRoot?.querySelector('.why-words'));
      /** @type {string[]} */
      const fetched = await page.evaluate(() => performance.getEntriesByType('resource').map((each) => each.name));
      const own = fetched.filter((each) => /package\/(elements|tasks)/.test(each));
      assert.equal(new Set(own).size, own.length);
      // elements.js, which has the heatmap, the tasks, and two that parts share
      assert.ok(own.length <= PARTS.length + 3, own.join('\n'));
    });

    test('the file of a model, and what opens it, are asked for beside the engine', async () => {
      await page.goto(`${site.url}together.html`);
      await until(page, () => Reflect.get(self, 'isWhole'));
      /** @type {{name: string, startTime: number, responseEnd: number}[]} */
      const all = await page.evaluate(() => performance.getEntriesByType('resource').map((each) => each.toJSON()));
      const find = (/** @type {RegExp} */ name) => {
        const found = all.find((each) => name.test(each.name));
        assert.ok(found, String(name));
        return found;
      };
      const { responseEnd } = find(/js\/index\.js$/);
      for (const name of [/creek\.safetensors$/, /opening-\w+\.js$/, /elements\/base\.js$/])
        assert.ok(find(name).startTime <= responseEnd, String(name));
    });

    test('the parts in the window come in one frame with their numbers, those below it after that', async () => {
      /** @type {Record<string, boolean>} */
      let together = {};
      // they wait for a moment only, which a busy machine may use up
      for (let loads = 0; loads < 6 && !(together.heads && together.logits); loads++) {
        await page.goto(`${site.url}together.html`);
        await until(page, () => Reflect.get(self, 'isWhole'));
        together = await page.evaluate(() => Reflect.get(self, 'together'));
      }
      assert.deepEqual(together, { heads: true, logits: true, neurons: false, features: false });
      await quiet();
    });

    test('axe finds nothing, light and dark', async () => {
      for (const scheme of ['light', 'dark']) {
        await page.goto(`${site.url}article.html`);
        await until(page, drawn);
        const violations = await page.evaluate(async (scheme) => {
          document.documentElement.style.setProperty('color-scheme', scheme);
          // axe takes what is behind a page without a colour of its own for white.
          Object.assign(document.body.style, { background: 'Canvas', color: 'CanvasText' });
          await new Promise((resolve) => setTimeout(resolve, 300));
          await import(new URL('axe.js', location.href).href);
          const found = await Reflect.get(self, 'axe').run('glass-model', { resultTypes: ['violations'] });
          return found.violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
          );
        }, scheme);
        assert.deepEqual(violations, [], scheme);
      }
      await quiet();
    });
  });
}
