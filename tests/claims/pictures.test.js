// The pictures of the claims as data: each claim has one, of the numbers of its run and of nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { seedsOf } from '../../src/claims/shared/picture.js';
import { claims } from './kept.js';

const gf = await load({ variant: 'simd' });
const seeds = 2;
const modules = /** @type {readonly import('../../web/claims/worker.js').WholeClaim[]} */ (claims);

/**
 * The numbers that a figure adds to a run's own: each combines two of them.
 * @type {Record<number, (numbers: any) => number[]>}
 */
const MADE = {
  7: ({ x, best, learnt }) => [
    ...[best, ...learnt].flatMap((y) => y.map((/** @type {number} */ one, /** @type {number} */ i) => one - x[i] ** 2)),
    ...x.map((/** @type {number} */ one) => one ** 2),
    0,
  ],
  8: ({ wholeX }) => wholeX.map((/** @type {number} */ x) => x ** 2),
  22: ({ width, widening }) => [width * widening],
};

/** @param {import('../../src/claims/shared/picture.js').Panel} panel @returns {number[]} */
const drawn = (panel) =>
  panel.kind === 'curves'
    ? panel.lines.flatMap(({ points }) => points.map(([, y]) => y))
    : panel.kind === 'rows'
      ? panel.rows.flatMap(({ marks }) => marks.map(({ value }) => value))
      : panel.maps.flatMap(({ values }) => [...values]);

for (const { claim, run, picture } of modules) {
  test(`${claim.number}. ${claim.name}: the picture is made of the run’s numbers`, async () => {
    for (const given of [{}, claim.contrast]) {
      const params = {
        ...given,
        ...(claim.seeded ? { seeds: claim.long || given === claim.contrast ? 1 : seeds } : {}),
      };
      const numbers = await run(gf, params);
      const own = new Set([...Object.values(numbers).flat(3), ...(MADE[claim.number]?.(numbers) ?? [])]);
      const panels = picture(numbers, params);
      assert.ok(panels.length > 0 && panels.length <= 3);
      for (const panel of panels) {
        const values = drawn(panel);
        assert.ok(values.length > 0, panel.title);
        for (const value of values) assert.ok(own.has(value), `${panel.title}: ${value}`);
        if (panel.kind === 'maps') {
          for (const { values: cells } of panel.maps) {
            assert.equal(cells.length, panel.maps[0].values.length);
            const rows = cells.length / panel.columns;
            const [down = { length: rows }, across = { length: panel.columns }] = [panel.rowAxis, panel.columnAxis].map(
              ({ labels }) => labels,
            );
            assert.deepEqual([rows, panel.columns], [down.length, across.length], `${panel.title}: as the axes`);
          }
          continue;
        }
        const names = seedsOf(params);
        const labels = panel.kind === 'curves' ? panel.lines : panel.rows.flatMap(({ marks }) => marks);
        for (const { series, label } of labels) {
          assert.ok(!panel.series || panel.series[series], panel.title);
          assert.ok(label === '' || names.includes(label) || /^row \d+$/.test(label), `${panel.title}: ${label}`);
        }
        if (panel.kind === 'curves')
          assert.deepEqual(new Set(panel.lines.map(({ series }) => series)), new Set(panel.series.keys()));
      }
      if (claim.number === 22 || claim.long) break; // the switch does not change what is drawn
    }
  });
}

test('every seed of a run is drawn, none alone', async () => {
  const { run, picture } = modules.find((one) => one.claim.number === 9) ?? assert.fail();
  const params = { seed: 7, seeds: 3 };
  const [curves, rows] = picture(await run(gf, params), params);
  assert.ok(curves.kind === 'curves' && rows.kind === 'rows');
  assert.deepEqual(
    curves.lines.map(({ label }) => label),
    ['seed 7', 'seed 8', 'seed 9'],
  );
  assert.deepEqual(
    rows.rows.map(({ label, marks }) => [label, marks.length]),
    [
      ['seed 7', 64],
      ['seed 8', 64],
      ['seed 9', 64],
    ],
  );
});
