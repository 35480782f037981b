// Saving: pictures, numbers, the model, and code that computes them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSafetensors } from 'glassformer';
import { probabilityScale, signedScale } from '../../../web/draw/color.js';
import { fileName } from '../../../web/export/file.js';
import { tableOfTensor, csvOf, jsonOf } from '../../../web/export/table.js';
import { escaped, svgOf } from '../../../web/export/svg.js';
import { compare } from '../../onnx/compare.js';
import { readout, ready, update, useBrowser } from '../browser.js';
import { assertShown, shipped } from '../in-node.js';

const tools = useBrowser();
/** @typedef {import('playwright-core').Page} Page */
const fold = (/** @type {Page} */ page, /** @type {string} */ view, /** @type {string} */ name) =>
  page.locator(`${view} summary`, { hasText: name });

const MENU = '#share-figure';

/** Uses a figure, and opens the menu that saves the one last used. @param {Page} page @param {string} view */
async function use(page, view) {
  await page.locator(view).dispatchEvent('click');
  const details = page.locator(`${MENU} details`);
  if (!(await details.evaluate((each) => /** @type {HTMLDetailsElement} */ (each).open)))
    await details.locator('summary').click();
}

/** The file that an action lets the reader save. @param {Page} page @param {() => Promise<unknown>} action */
async function saved(page, action) {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

test('a map saves as SVG and PNG, each a picture that stands alone', async () => {
  const page = await tools.open({ model: '' });
  await ready(page);
  await page.waitForFunction(() => document.querySelector('#heatmap .map-readout')?.textContent?.includes('row it'));
  const bare = await page.context().newPage(); // without the page's policy
  for (const view of ['#heatmap', '#positions']) {
    await use(page, view);
    const svg = (
      await saved(page, () => page.locator(MENU).getByRole('button', { name: 'SVG' }).click())
    ).bytes.toString();
    const picture = await bare.evaluate((text) => {
      const { documentElement: root } = new DOMParser().parseFromString(text, 'image/svg+xml');
      return {
        name: root.nodeName,
        texts: [...root.querySelectorAll('text')].map((e) => e.textContent),
        cells: [...root.querySelectorAll('g:last-of-type rect')].map((e) => e.getAttribute('fill')),
      };
    }, svg);
    assert.equal(picture.name, 'svg');
    const shown = await readout(page, view);
    assert(picture.texts.includes(`${shown.place}: ${shown.value}`), String(picture.texts));
    if (view === '#heatmap') {
      for (const text of [
        'creek',
        'query ↓',
        'key →',
        'Attention weight',
        'Encoder self-attention, layer 3, head 2 of 2, weights',
      ])
        assert(picture.texts.includes(text), text);
      const colour = await page
        .locator('#heatmap canvas')
        .last()
        .evaluate((canvas) => {
          const copy = new OffscreenCanvas(14, 14).getContext('2d');
          copy?.drawImage(/** @type {HTMLCanvasElement} */ (canvas), 0, 0);
          const [red, green, blue] = /** @type {any} */ (copy).getImageData(1, 12, 1, 1).data;
          return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
        });
      assert.equal(picture.cells[12 * 14 + 1], colour);
    }
    const png = (await saved(page, () => page.locator(MENU).getByRole('button', { name: 'PNG' }).click())).bytes;
    assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
    const decoded = await bare.evaluate(
      async (bytes) => {
        const image = await createImageBitmap(new Blob([Uint8Array.from(bytes)]));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context?.drawImage(image, 0, 0);
        const colours = new Set(
          new Uint32Array(/** @type {any} */ (context).getImageData(0, 0, image.width, image.height).data.buffer),
        );
        return { width: image.width, colours: colours.size };
      },
      [...png],
    );
    assert.equal(decoded.width, 2 * Number(/width="(\d+)"/.exec(svg)?.[1]));
    assert(decoded.colours > 40, 'it is drawn');
  }
  await tools.close(page);
});

test('the model as it is now saves as ONNX, and onnxruntime computes its numbers', async () => {
  const edit = { what: 'weight', name: 'encoder.layers.0.linear1.weight', row: 7, column: 11, value: -3 };
  const page = await tools.open({ model: `creek&changes=${encodeURIComponent(JSON.stringify([edit]))}` });
  await ready(page);
  await fold(page, '#share', 'For experts').click();
  const { name, bytes } = await saved(page, () => page.getByRole('button', { name: 'Save as ONNX' }).click());
  assert.equal(name, 'creek-edited.onnx');
  const { model, ids } = shipped(tools.gf, 'creek');
  const data = ids('the creek was cold and the dog wanted to jump .');
  const passes = [{ ids: { data, shape: [1, data.length] } }];
  await assert.rejects(compare(model, new Uint8Array(bytes), passes), /is off by/, 'the edit is seen');
  model.view(edit.name)[edit.row * model.config.d_model + edit.column] = edit.value;
  await compare(model, new Uint8Array(bytes), passes);
  await update(page, () => page.locator('#text').fill('the cat sat on the mat .'));
  assert.equal(await page.locator('#notices').innerText(), '', 'and the page goes on');
  await tools.close(page);
});

test('the model with edited weights saves, and in Node gives the numbers that the page shows', async () => {
  const edits = [
    { what: 'weight', name: 'encoder.layers.2.self_attn.in_proj_weight', row: 30, column: 5, value: 2.5 },
    { what: 'weight', name: 'encoder.layers.0.linear1.weight', row: 7, column: 11, value: -3 },
  ];
  const page = await tools.open({
    model: `creek&head=3.2&row=12&key=1&changes=${encodeURIComponent(JSON.stringify(edits))}`,
  });
  await ready(page);
  const { name, bytes } = await saved(page, () => page.getByRole('button', { name: 'Save the model' }).click());
  assert.equal(name, 'creek-edited.safetensors');
  const { tensors } = readSafetensors(new Uint8Array(bytes));
  for (const { name: tensor, row, column, value } of edits) {
    const { data, shape } = /** @type {any} */ (tensors.get(tensor));
    assert.equal(data[row * shape[1] + column], value);
  }
  const { model, ids, at, probabilities, vocabulary } = shipped(tools.gf, 'creek');
  const sentence = { ids: ids('the creek was cold and the spunky dog wanted to jump over it .'), capture: true };
  const weights = 'encoder.layers.2.self_attn.weights';
  model.forward(sentence);
  const before = at(weights, 0, 1, 12, 1);
  model.loadWeights(tensors, { strict: false });
  model.forward(sentence);
  const shown = await readout(page);
  assertShown(shown.number, at(weights, 0, 1, 12, 1));
  assert(Math.abs(shown.number - before) > 1e-3, 'the edit is seen');
  const words = await page
    .locator('#logits tbody tr')
    .evaluateAll((rows) => rows.map((row) => [...row.children].slice(0, 3).map((cell) => String(cell.textContent))));
  for (const [word, logit, probability] of words) {
    assertShown(Number(logit.replace('−', '-')), at('logits', 0, 12, vocabulary.indexOf(word)), word);
    assertShown(Number(probability), probabilities().data[12 * vocabulary.length + vocabulary.indexOf(word)], word);
  }
  await tools.close(page);
});

test('CSV, JSON, names and SVG take any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.double({ noDefaultInfinity: false }), (text, value) => {
      const sheet = { name: text, shape: [1, 1], data: Float32Array.of(value), rows: [text], columns: ['0'] };
      assert.deepEqual(JSON.parse(jsonOf(sheet)).rows, [text]);
      const csv = csvOf(sheet);
      const plain = /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
      assert.equal(csv, `,0\r\n${plain},${Math.fround(value)}\r\n`);
      assert.doesNotMatch(escaped(text), /[<>"']|&(?!#\d+;)/);
      assert.match(fileName(text), /^[^/\\:*?"<>|\s.][^/\\:*?"<>|\s]*$/);
    }),
  );
  assert.equal(
    JSON.parse(
      jsonOf({ name: '', shape: [2], data: Float32Array.of(-Infinity, NaN), rows: [''], columns: ['0', '1'] }),
    ).data.join(),
    '-Infinity,NaN',
  );
  assert.deepEqual(tableOfTensor('x', { data: new Float32Array(12), shape: [1, 2, 2, 3] }, ['a', 'b']).rows, [
    '[0, 0, 0] a',
    '[0, 0, 1] b',
    '[0, 1, 0] a',
    '[0, 1, 1] b',
  ]);
});

test('a large map is one picture in its SVG, a masked and an invalid cell are in its legend', () => {
  const axis = { title: 'x', noun: 'x', label: String };
  const map = { name: 'a < b', scaleTitle: 's', rowAxis: axis, columnAxis: axis, cursor: { row: 0, column: 0 } };
  const data = new Float32Array(100 * 100);
  const large = svgOf(
    { ...map, matrix: { rows: 100, columns: 100, data, scheme: 'dark', scale: signedScale('dark', 2) } },
    () => 'data:image/png;base64,AA',
  );
  assert.match(large.svg, /<image [^>]*href="data:image\/png;base64,AA"/);
  assert(large.svg.length < 40000);
  const matrix = {
    rows: 1,
    columns: 2,
    data: Float32Array.of(NaN, 0),
    hidden: Uint8Array.of(0, 1),
    scheme: /** @type {const} */ ('light'),
    scale: probabilityScale('light', true),
  };
  const small = svgOf({ ...map, matrix }, () => '');
  assert.match(small.svg, /masked.*not a number/s);
  assert.match(small.svg, /<title>a &#60; b<\/title>/);
  const hidden = Uint8Array.of(2, 0); // an empty cell is no square, and no cell without a number
  const empty = svgOf({ ...map, matrix: { ...matrix, hidden } }, () => '');
  assert.doesNotMatch(empty.svg, /masked|not a number/);
  const cellsIn = (/** @type {string} */ svg) =>
    Math.min(
      ...svg
        .split('crispEdges">')
        .slice(1)
        .map((each) => each.split('</g>')[0].split('<rect').length - 1),
    );
  assert.deepEqual(
    [small, empty].map(({ svg }) => cellsIn(svg)),
    [2, 1],
  );
});

for (const width of [1280, 390])
  test(`${width} px: a fold opens below its line, and no summary moves`, async () => {
    const page = await tools.open({ at: '#model=creek', viewport: { width, height: 844 } });
    await ready(page);
    for (const view of ['#heatmap']) {
      const summaries = page.locator(`${view} .map-foot summary`);
      await summaries.last().evaluate((each) => each.scrollIntoView({ block: 'center' }));
      const boxes = () =>
        summaries.evaluateAll((all) =>
          all.map((each) => {
            const { x, y } = each.getBoundingClientRect();
            return [x, y];
          }),
        );
      const before = await boxes();
      for (const i of before.keys()) {
        await summaries.nth(i).click();
        const body = page.locator(`${view} .map-foot .fold-body`).nth(i);
        await body.locator('button, table').first().waitFor();
        assert.deepEqual(await boxes(), before, `${view} ${i}`);
        const { y, width: wide } = /** @type {{y: number, width: number}} */ (await body.boundingBox());
        assert(y > before[i][1] && wide > 250, `${view}: at ${y}, ${wide} wide`);
        await summaries.nth(i).click();
        assert.deepEqual(await boxes(), before, `${view} ${i} closed`);
      }
    }
    await tools.close(page);
  });
