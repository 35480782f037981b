// LayerNorm: its lines, the formula with its numbers, mean and variance of each token, which norm is shown.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { given, open, openFolder } from '../table.js';

const { norms } = await import('../../../../web/explore/features/layer-norm.js');

test('what it needs, says and shows', async () => {
  const states = [
    ['model=creek&row=3', '@norm/encoder/0/1', 'Layer 1, after attention'],
    ['model=creek&row=3&head=2.1&sublayer=2', '@norm/encoder/1/2', 'Layer 2, after FFN'],
    ['model=untrained&norm=pre', '@norm/encoder/0/1', 'Layer 1, before attention'],
    ['model=translate&attention=cross&head=1.1', '@norm/decoder/0/1', 'Layer 1, after attention'],
  ];
  for (const [link, need, title] of states) {
    const page = await open(norms, link);
    assert.deepEqual(page.needs(), [need], link);
    assert.equal(page.all('select option:checked')[0], title, link);
    const { before, after, mean, variance, weight, bias, epsilon, width } = page.result().derived.get(need);
    const row = Number(page.root.querySelector('tr.here')?.getAttribute('data-row'));
    const x = before.subarray(row * width, (row + 1) * width);
    const y = ((x[0] - mean[row]) / Math.sqrt(variance[row] + epsilon)) * (weight?.[0] ?? 1) + (bias?.[0] ?? 0);
    assert(Math.abs(y - after[row * width]) < 1e-5, link);
    const average = x.reduce((/** @type {number} */ sum, /** @type {number} */ value) => sum + value / width, 0);
    assert(Math.abs(average - mean[row]) < 1e-6);
    assert.match(page.root.querySelector('[role=application]')?.ariaLabel ?? '', new RegExp(`^${title}, at .*: 4 ×`));
  }
});

test('another norm of the layer is chosen; the map moves the dimension and remembers its line', async () => {
  const page = await open(norms, 'model=creek&row=3');
  await page.choose('select', '2');
  assert.equal(page.state().graph.sublayer, 2);
  assert.equal(page.all('select option:checked')[0], 'Layer 1, after FFN');
  await page.press('[role=application]', 'ArrowRight');
  await page.press('[role=application]', 'ArrowDown');
  assert.equal(page.state().cursor.dimension, 1);
  assert.match(page.all('.map-readout')[0], /γ, gain/);
});

test('without norms or without text it says that there are none', async () => {
  for (const link of ['model=untrained&norm=none', 'model=untrained&text='])
    assert.match((await open(norms, link)).text(), /No LayerNorm to show: no tokens, or LayerNorm is switched off/);
});

/** A norm of 4 dimensions with round numbers at row 3 and dimension 2. @param {number} rows @param {object} [more] */
const fixed = (rows, more) =>
  given(norms, {
    title: 'Layer 1, after FFN',
    place: 2,
    choices: [1, 2].map((place) => ({ place, title: `Norm ${place}` })),
    before: Float32Array.from({ length: 4 * rows }, (_, i) => (i === 14 ? 2.5 : i / 8)),
    after: Float32Array.from({ length: 4 * rows }, (_, i) => (i === 14 ? 2 : -i / 4)),
    mean: Float32Array.from({ length: rows }, (_, i) => (i === 3 ? 0.5 : i)),
    variance: Float32Array.from({ length: rows }, (_, i) => (i === 3 ? 4 : i / 10)),
    meanSquare: null,
    weight: Float32Array.of(1, 2, 3, 5),
    bias: Float32Array.of(1, 2, -1, 3),
    epsilon: 1e-5,
    width: 4,
    ...more,
  });
/** @param {Awaited<ReturnType<typeof open>>} page */
const formulas = (page) => [...page.root.querySelectorAll('math')].map((each) => each.textContent?.replace(/\s/g, ''));

test('the lines, the formula with its numbers and the statistics of every token', async () => {
  const layer = 'y=γx−μσ2+ε+β';
  const at14 = (/** @type {number} */ value) => Float32Array.from({ length: 56 }, (_, i) => (i === 14 ? value : 0.5));
  const square = {
    mean: null,
    variance: null,
    bias: null,
    meanSquare: Float32Array.from({ length: 14 }, (_, i) => i + 1),
  };
  for (const [more, lines, ...expected] of /** @type {[object, string, ...string[]][]} */ ([
    [{}, 'xγβy', layer, '2.0000=3.0000·', '2.5000−0.50004.0000+0.00001', '+(−1.0000)'],
    [{ after: at14(3), bias: null }, 'xγy', layer, '3.0000=3.0000·', '2.5000−0.50004.0000+0.00001', '+0'],
    [{ after: at14(0), weight: null }, 'xβy', layer, '0.0000=1·', '2.5000−0.50004.0000+0.00001', '+(−1.0000)'],
    [
      { after: at14(1), weight: null, bias: null, epsilon: 1e-12 },
      ...['xy', layer, '1.0000=1·', '2.5000−0.50004.0000+10⁻¹²', '+0'],
    ],
    [
      { mean: Float32Array.from({ length: 14 }, () => -1.5), after: at14(5), epsilon: 1.5e-7 },
      ...['xγβy', layer, '5.0000=3.0000·', '2.5000−(−1.5000)4.0000+1.5·10⁻⁷', '+(−1.0000)'],
    ],
    [{ ...square, after: at14(3.75) }, 'xγy', 'y=γx1d∑jxj2+ε', '3.7500=3.0000·2.50004.0000+0.00001'],
    [{ ...square, after: at14(1.25), weight: null }, 'xy', 'y=γx1d∑jxj2+ε', '1.2500=1·2.50004.0000+0.00001'],
  ])) {
    /** @type {any} */
    let map;
    document.addEventListener('mapchange', (event) => (map = /** @type {CustomEvent} */ (event).detail ?? map));
    const page = await open(fixed(14, more), 'model=creek&row=3&dimension=2');
    assert.deepEqual(formulas(page), expected);
    const names = { x: 'x, input', γ: 'γ, gain', β: 'β, bias', y: 'y, output' };
    const { matrix, rowAxis } = map;
    const rows = [...lines].map((line) => /** @type {any} */ (names)[line]);
    assert.deepEqual([matrix.rows, matrix.columns, rows.map((_, i) => rowAxis.label(i))], [lines.length, 4, rows]);
    /** @type {Record<string, number[]>} */
    const own = { x: [1.5, 1.625, 2.5, 1.875], γ: [1, 2, 3, 5], β: [1, 2, -1, 3] };
    assert.deepEqual(
      [...matrix.data].slice(0, -4),
      [...lines.slice(0, -1)].flatMap((line) => own[line]),
    );
    assert.equal(`${matrix.data.at(-2).toFixed(4)}`, expected[1].split('=')[0], 'y at dimension 2');
    const isSquare = 'meanSquare' in more;
    assert.deepEqual(
      page.all('.moments th[scope=col]'),
      isSquare ? ['token', 'mean square'] : ['token', 'mean μ', 'variance σ²'],
    );
    const title = isSquare ? 'Mean square of each token' : 'Mean and variance of each token';
    assert.deepEqual([page.all('caption'), page.all(`[aria-label="${title}"] .here`).length], [[title], 1]);
    const mean = 'mean' in more ? '-1.5000'.replace('-', '−') : '5.0000';
    assert.deepEqual(page.all('.moments tr[data-row="5"] td'), isSquare ? ['6.0000'] : [mean, '0.5000']);
    assert.deepEqual(
      [...page.root.querySelectorAll('tr.here')].map((tr) => tr.getAttribute('data-row')),
      ['3'],
    );
    assert.deepEqual(page.all('select option:checked'), ['Norm 2']);
    assert.equal(page.all('.view-title')[0], 'at cold');
  }
});

test('a dimension and a line that this norm lacks are its last ones', async () => {
  const page = await open(fixed(14, { bias: null }), 'model=creek&row=3&dimension=9');
  assert.match(page.all('.map-readout')[0], /^line x, input, dimension 3 1\.8750/);
  assert.match(String(formulas(page)[1]), /=5\.0000·$/);
  for (const line of ['γ, gain', 'y, output', 'y, output']) {
    await page.press('[role=application]', 'ArrowDown');
    assert.match(page.all('.map-readout')[0], new RegExp(`^line ${line}`));
  }
  assert.equal(page.state().cursor.dimension, 3);
  const real = await open(norms, 'model=creek&row=3');
  for (let line = 0; line < 3; line++) await real.press('[role=application]', 'ArrowDown');
  assert.match(real.all('.map-readout')[0], /^line y, output/);
});

test('a long text has the statistics of 64 tokens around the selected one', async () => {
  await openFolder('smollm-2l-bf16');
  for (const [length, row, first, more] of /** @type {const} */ ([
    [64, 40, 0, ''],
    [70, 37, 5, ': 64 of 70'],
  ])) {
    const text = Array.from({ length }, (_, i) => 5 + i).join('+');
    const page = await open(fixed(length), `model=smollm-2l-bf16&row=${row}&text=${text}`);
    assert.equal(page.all('caption')[0], `Mean and variance of each token${more}`);
    const rows = page.all('.moments tbody td:nth-of-type(1)');
    assert.deepEqual(
      rows,
      Array.from({ length: 64 }, (_, i) => (first + i === 3 ? '0.5000' : `${first + i}.0000`)),
    );
    assert.equal(page.root.querySelector('tr.here')?.getAttribute('data-row'), String(row));
    assert.match(page.text(), /^RMSNorm .* RMSNorm divides each token’s vector by its root mean square/);
  }
  const none = await open(given(norms, { absent: true }), 'model=smollm-2l-bf16');
  assert.match(none.text(), /No RMSNorm to show: no tokens, or RMSNorm is switched off\. RMSNorm divides/);
  assert.equal(
    norms.render(/** @type {any} */ ({ ...none, result: none.result(), state: none.state() }), /** @type {any} */ ({})),
    undefined,
  );
});
