// Positional encoding: the map, the formula with its numbers, and the dot products with every position.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { allShown, assertPrinted, numberOf } from '../../checks.js';
import { open } from '../table.js';

Object.defineProperty(document.defaultView?.HTMLElement.prototype, 'clientWidth', {
  get: () => 700,
  configurable: true,
});
const { positions } = await import('../../../../web/explore/features/positions.js');
const { positionsWhy } = await import('../../../../web/explore/features/stream-why.js');
const { printedWave, waveOf } = await import('../../../../web/explore/shared/wave.js');

const SINUSOIDAL = /first dimensions change quickly/;
const LEARNED = /not trained with them, they are random, and each/;
const NONE = /Nothing is added to the embeddings here/;

test('each number is the module’s own, and the text is of the kind of positions', async () => {
  for (const [link, stack, row, about, others] of /** @type {[string, string, number, RegExp, RegExp[]][]} */ ([
    ['model=creek&row=7&dimension=2', 'encoder', 7, SINUSOIDAL, [LEARNED, NONE]],
    ['model=creek&positions=learned&row=3&dimension=5', 'encoder', 3, LEARNED, [SINUSOIDAL, NONE]],
    ['model=continue&row=2&dimension=3', 'decoder', 2, SINUSOIDAL, [LEARNED, NONE]],
    ['model=translate&attention=cross&row=4', 'decoder', 4, SINUSOIDAL, [LEARNED, NONE]],
  ])) {
    const page = await open(positions, link);
    assert.deepEqual(page.needs(), [`${stack}.positions`, `@position-dots/${stack}`], link);
    const { data, shape } = /** @type {any} */ (page.result().tensors.get(`${stack}.positions`));
    const width = shape.at(-1);
    const vectorOf = (/** @type {number} */ at) => [...data.subarray(at * width, (at + 1) * width)];
    const dots = page
      .result()
      .plan.tokens[/** @type {'encoder'} */ (stack)]?.words.map((_, other) =>
        vectorOf(other).reduce((sum, x, d) => sum + x * vectorOf(row)[d], 0),
      );
    const { dimension } = page.state().cursor;
    const live = page.all('.formula.live .value');
    assert.equal(live.length, Number(about === SINUSOIDAL), link);
    for (const shown of live) assertPrinted(shown, vectorOf(row)[dimension], link);
    const [own, next] = page.all('#position-similarity .number').map(numberOf);
    allShown([own, next], [dots?.[row], dots?.[row + 1]], link);
    assert.match(page.text(), about);
    for (const other of others) assert.doesNotMatch(page.text(), other);
    assert.equal(page.all('.explain math').length, about === SINUSOIDAL ? 3 : 0);
    assert.equal(page.root.querySelectorAll('.curve circle').length, dots?.length);

    const table = /** @type {HTMLDetailsElement} */ (page.root.querySelector('#position-similarity > details'));
    assert.equal(table.querySelector('table'), null);
    table.open = true;
    while (!table.querySelector('table')) await new Promise((resolve) => setTimeout(resolve, 5));
    allShown(page.all('#position-similarity td:last-child').map(numberOf), dots, link);
  }
});

test('no positions, and no text: nothing to show, and the text says what holds', async () => {
  for (const [link, about] of /** @type {[string, RegExp][]} */ ([
    ['model=untrained&positions=none', NONE],
    ['model=creek&text=', SINUSOIDAL],
    ['model=creek&positions=learned&text=', LEARNED],
  ])) {
    const page = await open(positions, link);
    assert.match(
      page.text(),
      /^Positional encoding No positional encoding to show: no tokens, or it is switched off\./,
    );
    assert.match(page.text(), about);
    assert.equal(page.root.querySelector('#position-similarity'), null);
  }
});

test('what goes into a decoder is called by its own word, not by the one that is written there', async () => {
  const page = await open(positions, 'model=translate&attention=cross&row=1&dimension=0');
  assert.equal(page.all('.map-readout bdi')[0], 'position 1 le, dimension 0');
  assert.match(page.all('#position-similarity')[0], /“?le”?, position 1/);
});

/** A printed number, and half a unit of its last place. @param {string} text */
const read = (text) => {
  const places = text.split('.')[1]?.length ?? 0;
  return { value: numberOf(text.replaceAll(',', '')), places, half: 0.5001 * 10 ** -places };
};

/** @param {number} computed of printed numbers @param {string} text @param {string} what */
const gives = (computed, text, what) =>
  assert(Math.abs(computed - read(text).value) <= read(text).half, `${what}: ${computed} printed as ${text}`);

test('the printed angle is that of the formula, and its sine or cosine the printed one', () => {
  fc.assert(
    fc.property(fc.nat(4096), fc.nat(1023), fc.constantFrom(2, 8, 24, 64, 512, 1024), (position, at, width) => {
      const dimension = at % width;
      const { name, slow } = waveOf(dimension, width);
      const value = Math.fround(Math[name](position / slow));
      const printed = printedWave(position, dimension, width, value);
      const what = `${name}(${position} / ${slow}) = ${name} ${printed.angle}`;
      assert(read(printed.angle).places >= 4 && read(printed.angle).places === read(printed.value).places, what);
      gives(position / slow, printed.angle, what);
      gives(Math[name](read(printed.angle).value), printed.value, what);
      assert(Math.abs(read(printed.value).value - value) < 2 * read(printed.value).half, what);
    }),
    { numRuns: 3000 },
  );
});

test('the formula and Why of a dimension: what is printed gives what is printed', async () => {
  const picture = await open(positions, 'model=creek');
  const why = await open(positionsWhy, 'model=creek');
  for (const row of [0, 1, 4, 7, 10, 13])
    for (const dimension of [0, 1, 3, 6, 9, 14]) {
      const link = `row ${row}, dimension ${dimension}`;
      for (const page of [picture, why]) await page.change({ cursor: { ...page.state().cursor, row, dimension } });
      const wave = dimension % 2 ? 'cos' : 'sin';
      const [angle, value] = picture.all('.formula.live :is(.angle, .value)');
      const { slow } = waveOf(dimension, Number(picture.result().plan.settings.d_model));
      gives(row / slow, angle, link);
      gives(Math[wave](read(angle).value), value, link);

      const numbers = Object.fromEntries(
        [...why.root.querySelectorAll('[data-number]')].map((each) => [
          /** @type {HTMLElement} */ (each).dataset.number,
          each.textContent ?? '',
        ]),
      );
      const by = /its angle: \d+ ÷ ([\d,.]+)/.exec(why.text())?.[1] ?? assert.fail(link);
      gives(row / read(by).value, numbers.position, link);
      gives(Math[wave](read(numbers.position).value), numbers[wave], link);
      gives(read(numbers.word).value + read(numbers[wave]).value, numbers.input, link);
    }
});

test('the curve: its points between the ticks, one of them the own position, offsets below', async () => {
  for (const [link, count, row] of /** @type {[string, number, number][]} */ ([
    ['model=creek&row=7', 14, 7],
    ['model=creek&positions=learned&row=0', 14, 0],
    [`model=untrained&row=30&text=${Array(64).fill('dog').join('+')}`, 64, 30],
    [`model=untrained&row=30&text=${Array(65).fill('dog').join('+')}`, 65, 30],
    ['model=untrained&text=dog', 1, 0],
  ])) {
    const page = await open(positions, link);
    const { data, shape } = /** @type {any} */ (page.result().tensors.get('encoder.positions'));
    const width = shape.at(-1);
    const dots = Array.from({ length: count }, (_, other) =>
      Array.from({ length: width }, (__, d) => data[other * width + d] * data[row * width + d]).reduce(
        (a, b) => a + b,
        0,
      ),
    );
    const attribute = (/** @type {Element} */ each, /** @type {string} */ name) => Number(each.getAttribute(name));
    const curve = page.root.querySelector('.curve') ?? assert.fail();
    const ticks = [...curve.querySelectorAll('.tick line')];
    const [left, right] = ['x1', 'x2'].map((name) => attribute(ticks[0], name));
    const heights = ticks.map((tick) => attribute(tick, 'y1'));
    for (const [i, tick] of ticks.entries()) {
      assert.equal(attribute(tick, 'y2'), heights[i], 'level');
      const label = tick.nextElementSibling ?? assert.fail();
      assert.deepEqual([attribute(label, 'x'), attribute(label, 'y')], [left - 6, heights[i] + 4]);
    }
    const [low, high] = [Math.min(0, ...dots), Math.max(...dots)];
    const texts = [...curve.querySelectorAll('.tick text')].map((each) =>
      numberOf(each.textContent?.replaceAll(',', '')),
    );
    for (const [i, value] of [low, (low + high) / 2, high].entries())
      assert(Math.abs(texts[i] - value) <= 0.006 * Math.max(1, Math.abs(value)), `${texts[i]}, ${value}`);
    assert(heights[0] > heights[1] && heights[1] > heights[2]);
    const points = (curve.querySelector('polyline')?.getAttribute('points') ?? '')
      .split(' ')
      .map((each) => each.split(',').map(Number));
    const places = dots.map((value, i) => [
      count > 1 ? left + ((right - left) * i) / (count - 1) : (left + right) / 2,
      heights[0] + ((heights[2] - heights[0]) * (value - low)) / (high - low),
    ]);
    points.forEach((point, i) => point.forEach((each, axis) => assert(Math.abs(each - places[i][axis]) <= 0.06, link)));
    const circles = [...curve.querySelectorAll('circle')];
    assert.equal(circles.length, count <= 64 ? count : 1, 'of many points the own one');
    const here = circles.filter((each) => each.getAttribute('class') === 'here');
    assert.deepEqual(
      here.map((each) => attribute(each, 'r')),
      [5],
    );
    const own = ['cx', 'cy'].map((name) => attribute(here[0], name));
    own.forEach((each, axis) => assert(Math.abs(each - places[row][axis]) <= 0.06, `${link}: ${own}`));
    const step = count < 20 ? 1 : 5; // as many as have 36 px each
    const below = [...curve.querySelectorAll(':scope > text')];
    const axis = below.pop() ?? assert.fail();
    assert.deepEqual([axis.textContent, attribute(axis, 'x')], ['offset k', (left + right) / 2]);
    const offsets = dots.map((_, i) => i - row).filter((offset) => offset % step === 0);
    assert.deepEqual(
      below.map((each) => each.textContent),
      offsets.map((offset) => (offset > 0 ? `+${offset}` : String(offset).replace('-', '−'))),
      link,
    );
    below.forEach((each, i) => assert(Math.abs(attribute(each, 'x') - places[offsets[i] + row][0]) < 1e-6));
    const said = curve.getAttribute('aria-label') ?? '';
    assert(said.startsWith(`Dot product against offset: ${count} points, highest `), said);
  }
});
