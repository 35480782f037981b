// The pictures of the claims as data: each claim has one, of the numbers of its run and of nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from 'glassformer';
import { claims } from '../../claims/kept.js';
import { seedsOf } from '../../../src/claims/shared/picture.js';
import { scaleOf } from '../../../web/claims/pictures/scale.js';

const gf = await load({ variant: 'simd' });
const seeds = 2;
const modules = /** @type {readonly import('../../../web/claims/worker.js').WholeClaim[]} */ (claims);

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

/** @param {import('../../../src/claims/shared/picture.js').Panel} panel @returns {number[]} */
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

test('axes: round numbers and powers of ten, as many as fit; 0 at the low end of a logarithmic one', () => {
  const texts = (/** @type {Parameters<typeof scaleOf>} */ ...given) => scaleOf(...given).ticks.map(({ text }) => text);
  assert.deepEqual(texts({ title: '', low: 0 }, [2, 10], 60), ['0', '2', '4', '6', '8', '10']);
  assert.deepEqual(texts({ title: '', percent: true, low: 0, high: 1 }, [0.3], 6, true), ['0 %', '50 %', '100 %']);
  assert.deepEqual(texts({ title: '', log: true }, [2e-5, 30], 60), [
    '10⁻⁵',
    '10⁻⁴',
    '0.001',
    '0.01',
    '0.1',
    '1',
    '10',
    '100',
  ]);
  // the same step from each to the next, where long numbers have little space
  assert.deepEqual(texts({ title: '', low: 0 }, [2_099_712], 40), ['0', '1,000,000', '2,000,000']);
  assert.deepEqual(texts({ title: '', low: 0 }, [2048], 40), ['0', '500', '1,000', '1,500', '2,000']);
  const scale = scaleOf({ title: '', log: true, low: 1e-8, high: 1 }, [0, 1e-4], 40);
  assert.equal(scale.ticks[0].text, '0');
  assert.deepEqual([0, 1e-8, 1e-4, 1, Infinity].map(scale.share), [0, 0, 0.5, 1, 1]);
  assert.deepEqual(texts({ title: '', log: true, ticks: [16, 64, 256, 1024, 8192] }, [16], 40), [
    '16',
    '64',
    '256',
    '1,024',
    '8,192',
  ]);
  // numbers that are all the same have space around them, and none is lost
  const same = scaleOf({ title: '' }, [3, 3], 40);
  assert.equal(same.share(3), 0.5);
  assert.equal(scaleOf({ title: '', high: 1 }, [0, 2], 40).share(2), 1);
});
