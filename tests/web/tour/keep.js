// The state in the address, and what is saved as a file.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readSafetensors } from 'glassformer';
import { fillPixels } from '../../../web/draw/canvas.js';
import { probabilityScale } from '../../../web/draw/color.js';
import { assertShown, compute, file } from '../in-node.js';
import { allShown, texts } from '../checks.js';
import { until } from '../engines.js';
import {
  ROW,
  catchFiles,
  chooseHead,
  click,
  eventually,
  fill,
  headShown,
  open,
  ownOf,
  quiet,
  readout,
  shown,
  there,
  unfold,
} from './steps.js';

/** @param {import('./steps.js').Tour} tour */
export default function keep(tour) {
  test('CSV, JSON, SVG, PNG, code, any tensor and the model: the same numbers and colours', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    const own = ownOf(tour, 'creek');
    const { layer, head, prefix } = await headShown(page);
    const weights = own.model.tensor(`${prefix}.weights`).data.subarray(head * 196, (head + 1) * 196);
    const saved = await catchFiles(page);
    // The card grows once it is in sight; what then moves under the pointer would be the figure to save.
    await until(page, () => {
      document.querySelector('#neuron')?.scrollIntoView();
      return document.querySelector('#neuron [data-number=active]') !== null;
    });
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector('#heatmap [role=application]')).focus(),
    );
    await unfold(page, '#share-figure details');
    await until(
      page,
      (words) => document.querySelector('#share-figure summary')?.textContent?.includes(words),
      `layer ${layer + 1}, head ${head + 1}`,
    );
    const title = `Encoder-self-attention-layer-${layer + 1}-head-${head + 1}-of-2-weights`;
    const csv = await saved('#share-figure', 'CSV');
    assert.equal(csv.name, `${title}.csv`);
    const [header, ...rows] = csv.bytes
      .toString()
      .trimEnd()
      .split('\r\n')
      .map((line) => line.split(','));
    assert.deepEqual(header.slice(0, 3), ['', 'The', 'creek']);
    allShown(
      rows.flatMap((row) => row.slice(1).map(Number)),
      [...weights],
      'CSV',
    );
    const json = JSON.parse((await saved('#share-figure', 'JSON')).bytes.toString());
    assert.deepEqual([json.name, json.shape, json.rows[1]], [`${prefix}.weights`, [14, 14], 'creek']);
    assert.deepEqual(
      json.data.map(String),
      rows.flatMap((row) => row.slice(1)),
    );

    const svg = (await saved('#share-figure', 'SVG')).bytes.toString();
    const said = await readout(page);
    assert(svg.includes(`>${said.place}: ${said.value}</text>`), 'the cursor’s cell in words');
    const pixels = new Uint32Array(196);
    fillPixels(pixels, {
      rows: 14,
      columns: 14,
      data: Float32Array.from(json.data),
      scale: probabilityScale('light', true),
      scheme: 'light',
    });
    const colours = [...pixels].map(
      (pixel) => `#${[0, 8, 16].map((shift) => ((pixel >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`,
    );
    const cells = svg
      .slice(svg.lastIndexOf('<g '), svg.lastIndexOf('</g>'))
      .match(/fill="[^"]+"/g)
      ?.map((each) => each.slice(6, -1));
    assert.deepEqual(cells, colours);
    const png = (await saved('#share-figure', 'PNG')).bytes;
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    const [width, height] = [/width="(\d+)"/, /height="(\d+)"/].map((size) => 2 * Number(size.exec(svg)?.[1]));
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [width, height]);
    const [x, y] = (/<rect x="([\d.]+)" y="([\d.]+)"/.exec(svg.slice(svg.lastIndexOf('<g '))) ?? [])
      .slice(1)
      .map(Number);
    const drawn = await page.evaluate(
      async ([x, y]) => {
        const image = await createImageBitmap(Reflect.get(self, 'files').at(-1).blob);
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d', { willReadFrequently: true });
        context?.drawImage(image, 0, 0);
        return Array.from({ length: 14 }, (_, i) => [
          .../** @type {any} */ (context)
            .getImageData(2 * (x + 28 * i + 14), 2 * (y + 28 * 12 + 14), 1, 1)
            .data.subarray(0, 3),
        ]);
      },
      [x, y],
    );
    assert.deepEqual(
      drawn.map((parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`),
      colours.slice(12 * 14, 13 * 14),
      'the row of “it”, drawn',
    );

    await click(page, '#share-figure button', 'Copy as code');
    await there(page, '#share-figure pre');
    const code = await page.evaluate(() => document.querySelector('#share-figure pre')?.textContent ?? '');
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: fileURLToPath(new URL('../../../web/models', import.meta.url)),
      encoding: 'utf8',
    });
    assertShown(said.number, Number(printed), 'the code');

    const name = 'encoder.layers.1.self_attn.query';
    await fill(page, '#share-tensor', name);
    await until(page, () => document.querySelector('#share .view-fact')?.textContent?.includes('×'));
    const tensor = own.model.tensor(name);
    assert.deepEqual(await texts(page, '#share .view-fact'), [tensor.shape.join(' × ')]);
    await unfold(page, '#share .expert details');
    const kept = JSON.parse((await saved('#share .expert', 'JSON')).bytes.toString());
    assert.deepEqual([kept.name, kept.shape], [name, [...tensor.shape]]);
    allShown(kept.data, [...tensor.data], name);
    const model = await saved('#share', 'Save the model (safetensors)');
    assert.equal(model.name, 'creek.safetensors');
    const [mine, shipped] = [new Uint8Array(model.bytes), file('creek.safetensors')].map(
      (bytes) => readSafetensors(bytes).tensors,
    );
    for (const [each, { data }] of shipped) assert.deepEqual(mine.get(each)?.data, Float32Array.from(data), each);
    await quiet(page);
  });
}

/** One engine shows this for all. @param {import('./steps.js').Tour} tour */
export function links(tour) {
  const hash = () => tour.page.evaluate(() => location.hash);

  test('a link opens on what it says; the address follows, and is followed', async () => {
    const { page } = tour;
    await open(tour, 'untrained&causal=1&head=2.3&row=5&key=2&quantity=scaled&text=one+two+three+four+five+six&temp=1');
    const own = compute(tour.gf, { causal: true }, { text: 'one two three four five six' });
    const number = (/** @type {number} */ layer, /** @type {number} */ head, /** @type {number} */ row) =>
      own.at(`encoder.layers.${layer}.self_attn.scaled`, 0, head, row, 2);
    await shown(page, '#heatmap', number(1, 2, 5));
    assert.equal((await readout(page)).place, 'row six, column three');
    assert.deepEqual(await texts(page, '#notices'), [
      'Parts of this link could not be read (“temp”) and have their default values.',
    ]);
    await until(page, () => !location.hash.includes('temp'));
    const link = await hash();
    await page.evaluate(() =>
      /** @type {HTMLElement} */ (document.querySelector('#heatmap [role=application]')).focus(),
    );
    await page.press('ArrowUp');
    await until(page, () => location.hash.includes('row=4'));
    assert.equal(await hash(), link.replace('row=5', 'row=4'));
    await page.evaluate((to) => void (location.hash = to), link.replace('head=2.3', 'head=1.2'));
    await shown(page, '#heatmap', number(0, 1, 5), 'another link in the address');
    await quiet(page);
  });

  test('changes and a pinned state come back from the link; a model that there is not is said', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    await chooseHead(page, 1);
    await click(page, '#interventions button', 'Pin this state');
    await click(page, '#change-head button', 'Switch off');
    await fill(page, '#try .temperature', '0.4');
    await there(page, '.compare-readout');
    await chooseHead(page, 4);
    await until(
      page,
      () => /changes=.*pinned|pinned.*changes=/.test(location.hash) && location.hash.includes('head=3.1'),
    );
    const options = {
      temperature: 2.51,
      patches: [{ name: 'encoder.layers.0.self_attn.head_outputs', index: [0, 1, null, null], value: 0 }],
    };
    const number = ownOf(tour, 'creek', options).at('encoder.layers.2.self_attn.weights', 0, 0, ROW, 1);
    await shown(page, '#heatmap', number);
    const [chips, compared] = [
      await texts(page, '.chips bdi'),
      await texts(page, '.compare-head .compare-readout strong'),
    ];
    await open(tour, (await hash()).replace('#/explore?model=', ''));
    await shown(page, '#heatmap', number, 'from the link');
    assert.deepEqual(await texts(page, '.chips bdi'), chips);
    await eventually(async () =>
      assert.deepEqual(await texts(page, '.compare-head .compare-readout strong'), compared),
    );
    await open(tour, 'nope');
    assert.match((await texts(page, '#notices'))[0], /link.*“model”/);
    await until(page, () => location.hash.startsWith('#/explore?model=creek'));
    await quiet(page);
  });
}
