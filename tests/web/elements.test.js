// <glass-heatmap> in a page of somebody else: no engine, no style sheet of ours, a strict policy.
import { formatValue } from '../../web/draw/numbers.js';
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { MOST_BYTES } from '../bytes.js';
import { css, maskedPixel, probabilityScale, signedScale } from '../../web/draw/color.js';
import { GlassformerError } from '../../src/js/errors.js';
import { checkMatrix } from '../../web/elements/matrix.js';
import { engines, launchEngine, serveWatched, until } from './engines.js';

/** @typedef {import('./engines.js').EnginePage} EnginePage */

const root = new URL('../../', import.meta.url);
const text = (name) => readFileSync(new URL(name, root), 'utf8');

// The example of the class's own comment, as somebody's page.
const [, example] = / \* @example\n([^]*?) \*\//.exec(text('web/elements/heatmap.js')) ?? [];
const [, markup, script] = /^(.*)<script type="module">(.*)<\/script>/s.exec(example.replace(/^ \* /gm, '')) ?? [];
const WORDS = ['the', 'creek', 'was'];
const DATA = [
  [0.7, 0.2, 0.1],
  [0.1, 0.6, 0.3],
  [0.25, 0.5, 0.25],
];

const FLAT = [1, 2, 3, 4, 5, 6];

/** @param {string} body @param {string} [file] its script */
const page = (body, file = 'define.js') =>
  '<!doctype html><html lang="en"><head><script src="watch.js"></script><title>A blog</title>' +
  '<link rel="icon" href="data:,"><meta name="color-scheme" content="light dark"><script type="module" ' +
  `src="${file}"></script></head><body><main><h1>A blog</h1>${body}</main></body></html>`;
const JSON_CHILD = JSON.stringify({
  data: [
    [-1, 2],
    [0, -0.25],
  ],
  rowTitle: 'token',
  columnTitle: 'neuron',
});

/** A page in React: a heading, and the element with the properties that `show` is given. */
const REACT = `
  import './package/elements.js';
  import { flushSync } from 'react-dom';
  import { createRoot } from 'react-dom/client';
  const root = createRoot(document.body.appendChild(document.createElement('main')));
  self.show = (properties) => flushSync(() => root.render(<><h1>A blog</h1><glass-heatmap {...properties} /></>));
`;

/** @type {Awaited<ReturnType<typeof serveWatched>>} */
let site;
before(async () => {
  const { outputFiles } = await build({
    stdin: { contents: REACT, loader: 'jsx', resolveDir: fileURLToPath(root) },
    external: ['./package/*'],
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: 'automatic',
    bundle: true,
    format: 'esm',
    write: false,
  });
  site = await serveWatched({
    'blog.html': page(markup, 'blog.js'),
    'blog.js': script.replace("'glassformer/elements'", "'./package/elements.js'"),
    'empty.html': page(''),
    'react.html': page('', 'react.js'),
    'react.js': outputFiles[0].text,
    'define.js': "import './package/elements.js';",
    'json.html': page(`<glass-heatmap><script type="application/json">${JSON_CHILD}</script></glass-heatmap>`),
    'early.html': page('<glass-heatmap label="of the attribute"></glass-heatmap><script src="early.js"></script>'),
    'early.js': `Object.assign(document.querySelector('glass-heatmap'), ${JSON.stringify({
      matrix: { data: DATA, columnLabels: WORDS },
      rowLabels: ['a', 'b', 'c'],
      cursor: { row: 2, column: 1 },
    })});`,
    'axe.js': readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8'),
  });
});
after(() => site.close());

/** @param {EnginePage} page */
const readout = (page) =>
  page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    const root = document.querySelector('glass-heatmap')?.shadowRoot;
    return ['bdi', 'strong'].map((part) => root?.querySelector(`.map-readout ${part}`)?.textContent);
  });

/** @param {EnginePage} page @param {string} file */
async function open(page, file) {
  await page.goto(site.url + file);
  await until(page, () => Boolean(customElements.get('glass-heatmap')));
}

/** @param {EnginePage} page */
const quiet = async (page) =>
  assert.deepEqual([...page.messages, ...(await page.evaluate(() => Reflect.get(self, 'problems')))], []);

/** The colour of a cell. @param {EnginePage} page @param {number} row @param {number} column */
const pixel = (page, row, column) =>
  page.evaluate(
    ([row, column]) => {
      const canvas = /** @type {HTMLCanvasElement} */ (
        document.querySelector('glass-heatmap')?.shadowRoot?.querySelector('.map-cells canvas')
      );
      const copy = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
      copy?.drawImage(canvas, -column, -row);
      const [r, g, b] = copy?.getImageData(0, 0, 1, 1).data ?? [];
      return `rgb(${r} ${g} ${b})`;
    },
    [row, column],
  );

for (const name of engines().present) {
  describe(name, () => {
    /** @type {EnginePage} */
    let page;
    before(async () => {
      page = await launchEngine(name);
    });
    after(() => page?.close());

    test('the example: a blog shows its attention, and it is read by keyboard, by eye and aloud', async () => {
      await open(page, 'blog.html');
      assert.deepEqual(await readout(page), ['row the, column the', formatValue(0.7)]);
      await page.evaluate(() => {
        const element = /** @type {HTMLElement} */ (document.querySelector('glass-heatmap'));
        Object.assign(self, { heard: [] });
        document.addEventListener('cursor', (event) => Reflect.get(self, 'heard').push(Reflect.get(event, 'detail')));
        element.focus();
      });
      for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight']) await page.press(key);
      assert.deepEqual(await readout(page), ['row was, column creek', formatValue(0.5)]);
      assert.deepEqual(await page.evaluate(() => Reflect.get(self, 'heard').at(-1)), { row: 2, column: 1, value: 0.5 });
      const { label, said, rows, legend, cursor } = await until(page, () => {
        const element = /** @type {any} */ (document.querySelector('glass-heatmap'));
        const find = (selector) => element.shadowRoot.querySelector(selector);
        const said = find('[aria-live]').textContent;
        return (
          said.startsWith('row was, column creek') && {
            said,
            label: find('[role=application]').ariaLabel,
            rows: [...find('.map-rows').children].map((each) => each.textContent),
            legend: [...find('.legend-scale').querySelectorAll('span')].map((each) => each.textContent),
            cursor: element.cursor,
          }
        );
      });
      assert.equal(said, `row was, column creek, ${formatValue(0.5)}`);
      assert.match(label, /^Attention, layer 1, head 1: 3 × 3, row down, column across/);
      assert.deepEqual(rows, WORDS);
      assert.deepEqual(legend, ['0', '0.5', '1']);
      assert.deepEqual(cursor, { row: 2, column: 1 });
      assert.equal(await pixel(page, 1, 1), css(probabilityScale('light').table[Math.round(0.6 * 255)]));
      await quiet(page);
    });

    test('the table holds the same numbers', async () => {
      await open(page, 'blog.html');
      const cells = await page.evaluate(async () => {
        const details = /** @type {HTMLDetailsElement} */ (
          document.querySelector('glass-heatmap')?.shadowRoot?.querySelector('details')
        );
        details.open = true;
        await new Promise((resolve) => details.addEventListener('toggle', () => setTimeout(resolve)));
        return [...details.querySelectorAll('tr')].map((line) => [...line.children].map((cell) => cell.textContent));
      });
      assert.deepEqual(cells, [['', ...WORDS], ...DATA.map((row, i) => [WORDS[i], ...row.map(formatValue)])]);
      await quiet(page);
    });

    test('parts in any order, off the page, as attributes, as JSON', async () => {
      await open(page, 'json.html');
      assert.deepEqual(await readout(page), ['token 0, neuron 0', formatValue(-1)]);
      assert.equal(await pixel(page, 0, 0), css(signedScale('light', 2).table[Math.floor(0.25 * 254 + 0.5)]));
      await page.evaluate(() => {
        const element = /** @type {any} */ (document.querySelector('glass-heatmap'));
        Object.assign(element, {
          rowLabels: ['a'],
          columns: 4,
          data: Float32Array.of(0, 0.5, 1, 0.75),
          mask: [0, 0, 1, 0],
          rowTitle: undefined,
          columnTitle: undefined,
          cursor: { row: 0, column: 3 },
        });
        element.setAttribute('label', '<b>bold</b>');
        element.setAttribute('scale', 'probability');
      });
      assert.deepEqual(await readout(page), ['row a, column 3', formatValue(0.75)]);
      assert.equal(await pixel(page, 0, 2), css(maskedPixel('light')));
      assert.equal(
        await page.evaluate(() => document.querySelector('glass-heatmap')?.shadowRoot?.querySelector('b')?.textContent),
        '<b>bold</b>',
      );
      const value = await page.evaluate(async () => {
        const element = /** @type {any} */ (document.createElement('glass-heatmap'));
        element.matrix = { data: Float32Array.of(7, 8), shape: [1, 2, 1, 1], scale: { low: 0, high: 10 } };
        return element.value;
      });
      assert.equal(value, 7, 'off the page');
      await quiet(page);
    });

    test('what was set before the module was there is taken over, and the properties work from then on', async () => {
      await open(page, 'early.html');
      assert.deepEqual(await readout(page), ['row c, column creek', formatValue(0.5)]);
      assert.equal(
        await page.evaluate(() => document.querySelector('glass-heatmap')?.shadowRoot?.querySelector('b')?.textContent),
        'of the attribute',
      );
      await page.evaluate(() =>
        Object.assign(document.querySelector('glass-heatmap') ?? {}, {
          data: [
            [0.1, 0.2, 0.3],
            [1, 1, 1],
            [0, 0.9, 0],
          ],
        }),
      );
      assert.deepEqual(await readout(page), ['row c, column creek', formatValue(0.9)]);
      await quiet(page);
    });

    test('a mistake throws nothing: the element shows it instead of the map, and tells the page', async () => {
      await open(page, 'blog.html');
      const seen = await page.evaluate(async () => {
        const element = /** @type {any} */ (document.querySelector('glass-heatmap'));
        const kept = element.matrix;
        const title = () => element.shadowRoot.querySelector('b').textContent;
        const seen = [];
        for (const name of ['matrix', 'data', 'rows', 'labels', 'scale', 'mask', 'cursor'])
          for (const mistake of [
            5,
            'x',
            [[1, 2], [3]],
            { data: [[1, 2], [3]] },
            { dta: [1] },
            { row: -1, column: 0 },
          ]) {
            element.matrix = kept;
            element[name] = mistake;
            await null;
            const reported = Reflect.get(self, 'problems').splice(0);
            const shown = element.shadowRoot.querySelector('.map-scroll').hasAttribute('hidden') && title();
            if (reported.length !== 1) seen.push(`${name} = ${JSON.stringify(mistake)}: ${reported}`);
            if (name !== 'cursor' && reported[0] && !reported[0].endsWith(shown))
              seen.push(`${name}: ${shown}, ${reported}`);
          }
        element.matrix = kept;
        return seen;
      });
      assert.deepEqual(seen, []);
      assert.deepEqual(await readout(page), ['row the, column the', formatValue(0.7)]);
      page.messages.length = 0;
      await page.evaluate(() => Object.assign(document.querySelector('glass-heatmap') ?? {}, { rowLabels: ['one'] }));
      const shown = await until(page, () => {
        const root = document.querySelector('glass-heatmap')?.shadowRoot;
        return root?.querySelector('.map-scroll')?.hasAttribute('hidden') && root.querySelector('b')?.textContent;
      });
      assert.equal(shown, 'rowLabels: 3 needed, got an array of 1');
      assert.deepEqual(
        await page.evaluate(() => Reflect.get(self, 'problems').splice(0).length),
        1,
        'and it is reported to the page',
      );
      page.messages.length = 0;
    });

    test('no mistake blanks a page of React, and null clears', async () => {
      await open(page, 'react.html');
      const seen = await page.evaluate(async (right) => {
        const show = Reflect.get(self, 'show');
        const mistakes = [
          0,
          5,
          'x',
          [],
          [[]],
          [[1, 2], [3]],
          [['a']],
          { dta: [1] },
          { data: null },
          () => {},
          Symbol('x'),
        ];
        const broken = {
          get data() {
            throw new Error('freed');
          },
        };
        const seen = [];
        for (const name of ['matrix', 'data', 'rows', 'shape', 'labels', 'scale', 'mask', 'cursor', 'value', 'label'])
          for (const mistake of [...mistakes, broken, null, undefined]) {
            try {
              show({ matrix: right, [name]: mistake });
              const there = document.querySelector('h1 + glass-heatmap');
              if (!there) seen.push(`${name} = ${mistake === broken ? 'broken' : String(mistake)}: blank`);
              await new Promise(requestAnimationFrame);
              show({ matrix: right, [name]: undefined });
              show({ matrix: right });
            } catch (error) {
              seen.push(`${name}: ${error}`);
            }
          }
        const map = /** @type {any} */ (document.querySelector('glass-heatmap'));
        const reported = Reflect.get(self, 'problems').splice(0).length;
        for (const nothing of [null, undefined, { data: null, labels: null }]) {
          show({ matrix: [...right] }); // the same array is nothing new to React
          seen.push(map.value);
          show({ matrix: nothing });
          await new Promise(requestAnimationFrame);
          seen.push(String(map.value), map.shadowRoot.querySelector('b').textContent);
        }
        return { seen, reported, problems: Reflect.get(self, 'problems') };
      }, DATA);
      assert.deepEqual(
        seen.seen,
        Array(3)
          .fill([Math.fround(0.7), 'undefined', ''])
          .flat(),
      );
      assert.deepEqual(seen.problems, []);
      assert.ok(seen.reported > 50, `${seen.reported} mistakes were reported`);
      page.messages.length = 0;
    });

    test('many on a page, each its own; one that leaves goes quietly, and comes back as it was', async () => {
      await open(page, 'empty.html');
      const values = await page.evaluate(async () => {
        const all = Array.from({ length: 20 }, (_, i) => {
          const element = /** @type {any} */ (document.createElement('glass-heatmap'));
          document.querySelector('main')?.append(element);
          element.matrix = {
            data: [
              [i / 20, 0],
              [0, 1],
            ],
            label: `Map ${i}`,
          };
          return element;
        });
        await new Promise((resolve) => setTimeout(resolve));
        all[3].cursor = { row: 1, column: 1 };
        const [sheet] = all[0].shadowRoot.adoptedStyleSheets;
        for (const element of all) element.remove();
        const left = all.map((element) => element.shadowRoot.childElementCount);
        all[0].matrix = { data: [[0.5]] };
        document.querySelector('main')?.append(all[3], all[0]);
        return {
          left,
          same: all.every((element) => element.shadowRoot.adoptedStyleSheets[0] === sheet),
          back: [all[3], all[0]].map((element) => element.shadowRoot.querySelector('.map-readout strong').textContent),
        };
      });
      assert.deepEqual(values, { left: Array(20).fill(0), same: true, back: [formatValue(1), formatValue(0.5)] });
      await quiet(page);
    });

    test('the scheme is that of the page around it', async () => {
      await open(page, 'blog.html');
      await until(page, () => Boolean(document.querySelector('glass-heatmap')?.shadowRoot?.querySelector('strong')));
      await page.evaluate(() => document.documentElement.style.setProperty('color-scheme', 'dark'));
      const dark = css(probabilityScale('dark').table[Math.round(0.6 * 255)]);
      for (let tries = 0; tries < 50 && (await pixel(page, 1, 1)) !== dark; tries++)
        await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 20)));
      assert.equal(await pixel(page, 1, 1), dark);
      await quiet(page);
    });

    test('axe finds nothing, light and dark, with the table open', async () => {
      for (const scheme of ['light', 'dark']) {
        await open(page, 'blog.html');
        const violations = await page.evaluate(async (scheme) => {
          document.documentElement.style.setProperty('color-scheme', scheme);
          Object.assign(document.querySelector('glass-heatmap')?.shadowRoot?.querySelector('details') ?? {}, {
            open: true,
          });
          await new Promise((resolve) => setTimeout(resolve, 300));
          await import(new URL('axe.js', location.href).href);
          const found = await Reflect.get(self, 'axe').run('glass-heatmap', { resultTypes: ['violations'] });
          return found.violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(' | ')}`,
          );
        }, scheme);
        assert.deepEqual(violations, [], scheme);
      }
      await quiet(page);
    });
  });
}

test('what a matrix may be: shapes, labels, scales', () => {
  const shapeOf = (input) => (({ rows, columns }) => [rows, columns])(checkMatrix(input));
  for (const [input, shape] of /** @type {const} */ ([
    [{ data: FLAT, rows: 2 }, [2, 3]],
    [{ data: FLAT, columns: 2 }, [3, 2]],
    [{ data: FLAT }, [1, 6]],
    [{ data: [FLAT, FLAT] }, [2, 6]],
    [{ data: Float32Array.from(FLAT), rowLabels: ['a', 'b', 'c'] }, [3, 2]],
    [{ data: FLAT, columnLabels: ['a', 'b'] }, [3, 2]],
    [{ data: [Float32Array.from(FLAT)] }, [1, 6]],
    [{ data: FLAT, shape: [3, 2] }, [3, 2]],
    [{ data: FLAT, shape: [6] }, [1, 6]],
    [{ data: [7], shape: [] }, [1, 1]],
    [{ data: Int32Array.from(FLAT), shape: [1, 3, 1, 2] }, [1, 2]],
  ]))
    assert.deepEqual(shapeOf(input), shape);
  const { rowLabels, columnLabels } = checkMatrix({
    data: [
      [1, 2],
      [3, 4],
    ],
    labels: ['a', 'b'],
    rowLabels: ['c', 'd'],
  });
  assert.deepEqual(
    [rowLabels, columnLabels],
    [
      ['c', 'd'],
      ['a', 'b'],
    ],
  );
  assert.equal(checkMatrix({ label: 'no data' }), null);
  const scaleOf = (data, scale) => checkMatrix({ data, rows: 1, scale }).scale;
  assert.deepEqual(scaleOf([0, 1, NaN], undefined), { low: 0, high: 1 });
  assert.deepEqual(scaleOf([0, -1], undefined), { low: 0, high: 0 }, 'signed, by the data');
  assert.deepEqual(scaleOf([0, 1], { low: -3, high: 3 }), { low: -3, high: 3 });
  const data = Float32Array.of(1, 2);
  const checked = checkMatrix({ data, rows: 1 });
  data[0] = 9;
  assert.equal(checked.data[0], 1, 'a copy');
  assert.deepEqual([...checkMatrix({ data: FLAT, shape: [3, 1, 2] }).data], [1, 2], 'the first of three');
});

test('what it may not be: an error that names the property and the value', () => {
  for (const [input, message] of /** @type {[any, RegExp][]} */ ([
    [{ data: 5 }, /data: an array needed, got 5$/],
    [{ data: null }, /data: an array needed, got null$/],
    [
      {
        data: [
          [1, 2],
          [3, 'x'],
        ],
      },
      /data\[3\]: a number needed, got "x"/,
    ],
    [{ data: [1, 2, 3], rows: 2 }, /data: 2 × 1\.5 needed|columns/],
    [{ data: [1, 2], rows: 0 }, /rows: 1 to 16384 needed, got 0/],
    [{ data: [1, 2], columns: ['a', 'b'] }, /columns: 1 to 16384, and columnLabels for names, needed, got/],
    [{ data: [1, 2], rows: 1, columns: 3 }, /data: 1 × 3 needed, got \[1, 2\]/],
    [{ data: [[1], [2]], rows: 1, columns: 2 }, /data: 1 × 2/],
    [{ data: [1, 2], rows: 1, columnLabels: ['a'] }, /columnLabels|data: 1 × 1/],
    [{ data: [[1]], rowLabels: 'a' }, /rowLabels: strings needed, got "a"/],
    [{ data: [[1]], rowLabels: [1] }, /rowLabels: strings needed, got \[1\]/],
    [{ data: [[1]], scale: 'log' }, /scale: .* got "log"/],
    [{ data: [[1]], scale: { low: 1, high: 1 } }, /scale: .* needed/],
    [{ data: [[1]], mask: [1, 0] }, /mask: 1 needed, got \[1, 0\]/],
    [{ data: FLAT, shape: [4, 2] }, /data: 4 × 2 needed, got/],
    [{ data: FLAT, shape: [6, 1.5] }, /shape: an array of sizes needed, got \[6, 1.5\]/],
    [{ data: [[1]], names: ['a'] }, /names: one of data,rows.* needed/],
    [{ data: [[1, 2]], labels: ['a', 'b'] }, /labels: 1 needed, got an array of 2/],
    [{ data: [[1]], label: 3 }, /label: text needed, got 3/],
  ]))
    assert.throws(
      () => checkMatrix(input),
      (error) => error instanceof GlassformerError && message.test(error.message),
      JSON.stringify(input),
    );
});

test('it is small, needs nothing, and may be imported where there is no DOM', async (t) => {
  const module = text('dist/elements.js');
  const bytes = (/** @type {string} */ script) =>
    gzipSync(script.replace(/\n\/\/# sourceMappingURL.*/, ''), { level: 9 }).length;
  t.diagnostic(`${bytes(module)} bytes`);
  assert(bytes(module) <= MOST_BYTES['glassformer/elements'], `${bytes(module)}`);
  for (const name of readdirSync(new URL('dist/elements', root)).filter((each) =>
    /^(?!base|paint|tasks).*js$/.test(each),
  )) {
    const files = new Set([name]);
    for (const file of files)
      for (const [, other] of text(`dist/elements/${file}`).matchAll(/(?:from|import)"\.\/([^"]+)"/g)) files.add(other);
    const size = [...files].reduce((sum, file) => sum + bytes(text(`dist/elements/${file}`)), 0);
    t.diagnostic(`${name}: ${size} bytes in ${files.size} files`);
    assert(size <= MOST_BYTES['a part of a model'], `${name}: ${size}`);
  }
  assert.doesNotMatch(
    module.replace(/"\.\/js\/(index|chunk-\w+)\.js"|"\.\/elements\/\w+\.js"/g, ''),
    /\bimport\b[^"]*"\./,
  );
  assert.equal(typeof (await import(`${root}dist/elements.js`)).GlassHeatmap, 'function');
});
