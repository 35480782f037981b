// One head's attention: lines beside the map, several queries selected, one weight opened step by step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertShown, compute } from '../in-node.js';
import { allShown, cells, checkStory, numberOf, texts } from '../checks.js';
import {
  ROW,
  click,
  eventually,
  fill,
  gone,
  headShown,
  open,
  ownOf,
  point,
  pointAt,
  quiet,
  there,
  unfold,
} from './steps.js';

const FAINT = 0.0005; // no line is drawn

/** @param {import('./steps.js').Tour} tour */
export default function attention(tour) {
  /** The weights of the head that creek opens on, as rows. */
  async function weights() {
    const own = ownOf(tour, 'creek');
    const { prefix, head } = await headShown(tour.page);
    return Array.from({ length: 14 }, (_, row) =>
      Array.from({ length: 14 }, (__, key) => own.at(`${prefix}.weights`, 0, head, row, key)),
    );
  }
  /** The weights of the lines that are drawn. */
  const drawn = async () =>
    (await texts(tour.page, '.lines-edges title')).map((text) => numberOf(text.split(': ').at(-1)));
  const strongest = (/** @type {number[]} */ row, most = Infinity) =>
    row
      .filter((each) => each >= FAINT)
      .sort((a, b) => b - a)
      .slice(0, most);

  test('lines: the strongest of each query, of a query alone, of a key alone', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    const rows = await weights();
    await page.point(1, 1);
    await eventually(async () =>
      allShown(
        await drawn(),
        rows.flatMap((row) => strongest(row, 5)),
        'lines',
      ),
    );
    await unfold(page, '#lines details');
    await there(page, '#lines tbody tr');
    assert.deepEqual(
      (await cells(page, '#lines tbody tr')).map((row) => numberOf(row[2])),
      await drawn(),
    );
    await pointAt(page, '.queries .line-token', 7);
    await eventually(async () => allShown(await drawn(), strongest(rows[7]), 'of dog'));
    await pointAt(page, '.keys .line-token', 1);
    await eventually(async () =>
      allShown(
        await drawn(),
        rows.map((row) => row[1]).filter((each) => each >= FAINT),
        'to creek',
      ),
    );
    assertShown(
      numberOf((await texts(page, '.lines-note .number'))[0]),
      rows.reduce((sum, row) => sum + row[1], 0),
      'in all',
    );
    await click(page, '.queries .line-token', 7);
    await click(page, '.keys .line-token', 3);
    await eventually(async () => assert.match((await texts(page, '#heatmap .map-note'))[0], /^\[7, 3\]/));
    await quiet(page);
  });

  test('several queries, by keys, are described together', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    const rows = await weights();
    /** @param {number[]} brushed */
    const means = (brushed) =>
      eventually(async () => {
        const most =
          Math.max(...rows.map((_, key) => brushed.reduce((sum, row) => sum + rows[row][key], 0))) / brushed.length;
        const [caption] = await texts(page, '#heatmap .caption');
        assert.equal(Number(/with (\d+)/.exec(caption)?.[1]), Math.round(100 * most), caption);
      });
    await click(page, '.queries .line-token', 3);
    await page.press('Shift+ArrowDown');
    await page.press('Shift+ArrowDown');
    await means([3, 4, 5]);
    await page.press('Shift+ArrowUp');
    await means([3, 4]);
    await click(page, '#tokens-encoder .token', ROW);
    await gone(page, '#tokens-encoder .brushed');
    await quiet(page);
  });
}

/** One engine shows this for all. @param {import('./steps.js').Tour} tour */
export function story(tour) {
  test('one weight opened: all four rows, of a pinned cell, another one, and one behind the mask', async () => {
    const { page } = tour;
    await open(tour, 'creek');
    const creek = ownOf(tour, 'creek');
    const place = await headShown(page);
    await there(page, '#computation .why-steps');
    await eventually(() => checkStory(page, creek, { ...place, row: ROW, key: 1 }));
    await point(page, '#heatmap', 7, 5, true);
    await eventually(() => checkStory(page, creek, { ...place, row: 7, key: 5 }));
    await click(page, '.keys .line-token', 8);
    await eventually(() => checkStory(page, creek, { ...place, row: 7, key: 8 }));
    await fill(page, '#try .temperature', '0.3');
    creek.model.forward({ ids: creek.model.tensor('encoder.ids').data, temperature: 2, capture: true });
    await eventually(() =>
      checkStory(page, creek, {
        ...place,
        row: 7,
        key: 8,
        scale: 2 * Math.sqrt(creek.config.d_model / creek.config.heads),
      }),
    );
    await open(tour, 'untrained&causal=1&scoreScale=0&head=2.3&row=3&key=9');
    await there(page, '#computation .why-steps');
    await eventually(() =>
      checkStory(page, compute(tour.gf, { causal: true, scoreScale: false }), {
        prefix: 'encoder.layers.1.self_attn',
        head: 2,
        row: 3,
        key: 9,
        scale: 1,
      }),
    );
    await quiet(page);
  });
}
