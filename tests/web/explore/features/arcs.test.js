// The arcs over the sentence: which words they join, and what the selected one says.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { open } from '../table.js';
import { formatShare } from '../../../../web/draw/numbers.js';

const { arcs } = await import('../../../../web/explore/features/arcs.js');
const WIDTH = 100; // px of a word

/** Each size that is watched is new. */
class Observer {
  /** @param {() => void} call */
  constructor(call) {
    this.observe = () => queueMicrotask(call);
  }
  disconnect() {}
}
const { ResizeObserver } = globalThis;
before(() => void Object.assign(globalThis, { ResizeObserver: Observer }));
after(() => void Object.assign(globalThis, { ResizeObserver }));

const [HEIGHT, PITCH] = [30, 60]; // px: of a line, and from line to line

/**
 * Opens the arcs with the words of the encoder in lines of so many, and below them those of the decoder.
 * @param {string} link @param {number} [most]
 * @param {{dir?: 'rtl', bottom?: number}} [strip] its direction, and how far it is in sight
 */
async function over(link, most = Infinity, { dir, bottom = 1e4 } = {}) {
  const page = await open(arcs, link);
  const { tokens } = page.result()?.plan ?? { tokens: {} };
  let top = 100;
  for (const stack of /** @type {const} */ (['encoder', 'decoder'])) {
    const words = tokens[stack]?.words ?? [];
    if (!words.length) continue;
    const name = stack === 'encoder' && tokens.decoder ? 'data-key' : 'data-row'; // the keys stand above their queries
    const strip = document.createElement('div');
    strip.id = `tokens-${stack}`;
    strip.innerHTML = `<div class="tokens"${dir ? ` dir="${dir}"` : ''}>${words
      .map((_, i) => `<button class="token" style="--band: 44px" ${name}="${i}"><bdi></bdi></button>`)
      .join('')}</div>`;
    document.body.insertBefore(strip, page.root);
    strip.querySelectorAll('button').forEach((button, i) => {
      const [line, place] = most === Infinity ? [0, i] : [Math.floor(i / most), i % most];
      const [x, y] = [(dir ? -1 : 1) * place * WIDTH, top + line * PITCH];
      const box = { left: x - 30, right: x + 30, top: y, bottom: y + HEIGHT };
      /** @type {any} */ (button.firstElementChild).getBoundingClientRect = () => box;
    });
    const box = { top: 0, bottom };
    /** @type {any} */ (strip.firstElementChild).getBoundingClientRect = () => box;
    top += PITCH * Math.ceil(words.length / most) + (most === Infinity ? PITCH : 0);
  }
  return { ...page, show: () => shown(page) };
}

/** Shows it, and waits for the frame that draws. @param {Awaited<ReturnType<typeof open>>} page */
async function shown(page) {
  await page.show();
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return [...page.root.querySelectorAll('.arc')].map((arc) => {
    const numbers = (arc.getAttribute('d') ?? '').match(/-?[\d.]+/g)?.map(Number) ?? [];
    return [arc.getAttribute('class')?.slice('arc '.length), numbers[0] / WIDTH, Number(numbers.at(-2)) / WIDTH];
  });
}

test('the selected cell with its share, the others of its row, the strongest of other rows', async () => {
  const page = await over('model=creek&head=3.2&row=12&key=1');
  assert.deepEqual(page.needs(), ['encoder.layers.2.self_attn.weights']);
  const count = 14;
  const { data } = /** @type {any} */ (page.result().tensors.get('encoder.layers.2.self_attn.weights'));
  /** @param {number} row */
  const weights = (row) => [...data.subarray((count + row) * count, (count + row + 1) * count)];
  const others = Array.from({ length: count }, (_, row) => {
    if (row === 12)
      return weights(row).flatMap((w, key) => (key !== 1 && key !== row && w >= 0.1 ? [['row', row, key]] : []));
    const most = Math.max(...weights(row));
    const key = weights(row).indexOf(most);
    return most >= 0.25 && key !== row ? [['other', row, key]] : [];
  }).flat();
  assert(others.length > 3);
  assert.deepEqual(await page.show(), [...others, ['selected', 12, 1]]);
  assert.deepEqual(page.all('.arc-weight'), [formatShare(weights(12)[1]).replace(/\s/, ' ')]);
  page.put({ interventions: [{ what: 'head', kind: 'encoder', layer: 2, head: 1, to: 0 }] });
  assert.deepEqual((await page.show()).at(-1), ['selected off', 12, 1]);
  assert.deepEqual(page.all('.arc-weight'), ['head off']);
});

test('between lines: from below the upper word, through the gaps of lines, to above the lower word', async () => {
  for (const [most, upper, lower] of [
    [7, 1, 12 - 7],
    [3, 1, 0],
    [5, 1, 2],
  ]) {
    const page = await over('model=creek&head=3.2&row=12&key=1', most);
    await page.show();
    const path = String(page.root.querySelector('.arc.selected')?.getAttribute('d'));
    const numbers = path.match(/-?[\d.]+/g)?.map(Number) ?? [];
    const lineOf = (/** @type {number} */ i) => Math.floor(i / most);
    assert.deepEqual(numbers.slice(0, 2), [upper * WIDTH, 100 + HEIGHT + 1], path);
    assert.deepEqual(numbers.slice(-2), [lower * WIDTH, 100 + lineOf(12) * PITCH + 2], path);
    const passed = [...path.matchAll(/ (\d+) (\d+)V(\d+)/g)].map((each) => each.slice(1).map(Number));
    assert.equal(passed.length, lineOf(12) - 1, path);
    passed.forEach(([x, top, bottom], i) => {
      assert.equal(x % WIDTH, x < 0 || x > (most - 1) * WIDTH ? x % WIDTH : WIDTH / 2, 'between two words');
      assert.deepEqual([top - 2, bottom], [100 + (i + 1) * PITCH, 100 + (i + 1) * PITCH + HEIGHT]);
    });
    const [, , y] = /translate\((\S+) (\S+)\)/.exec(String(page.root.querySelector('.arc-weight')?.outerHTML)) ?? [];
    const inLine = (Number(y) - 100) % PITCH;
    assert(inLine > HEIGHT + 6 && inLine < PITCH - 6, `the label stands between two lines: ${y}`);
  }
  const one = await over('model=creek&head=3.2&row=3&key=1', 7);
  await one.show();
  assert.match(
    String(one.root.querySelector('.arc.selected')?.getAttribute('d')),
    /^M300 102C300 \S+ 100 \S+ 100 102$/,
  );
});

test('a written target and a model without heads have no arcs; a long text has those of its row', async () => {
  for (const [link, has] of /** @type {[string, boolean][]} */ ([
    ['model=creek', true],
    ['model=translate', true],
    ['model=translate&attention=decoder', false],
    ['model=untrained&heads=0', false],
    [`model=untrained&text=${'a+'.repeat(64)}`, true],
    [`model=untrained&text=${'a+'.repeat(100)}`, true],
  ]))
    assert.equal((await over(link)).root.querySelector('#arcs') !== null, has, link);
  const long = await over(`model=creek&text=${'the+dog+'.repeat(50)}&row=9&key=1`);
  assert((await long.show()).every(([name, from]) => name !== 'other' && from === 9));
});

test('the selected arc: as high as its words are apart, as wide as its weight, in both colours', async () => {
  for (const [row, key, height] of /** @type {[number, number, number][]} */ ([
    [12, 1, 44 - 9], // the space above the line, less half a label
    [1, 12, 44 - 9],
    [5, 5, 3 * 9], // to itself: three half labels, and no growth
  ])) {
    const page = await over(`model=creek&head=3.2&row=${row}&key=${key}`);
    await page.show();
    const { data } = /** @type {any} */ (page.result().tensors.get('encoder.layers.2.self_attn.weights'));
    const arc = page.root.querySelector('.arc.selected') ?? assert.fail();
    const loop = row === key ? 16 : 0;
    const [x, end] = [row * WIDTH, key * WIDTH];
    const top = 102 - (4 / 3) * height; // a cubic reaches three quarters of its handles
    const numbers = (arc.getAttribute('d') ?? '').match(/-?[\d.]+/g)?.map(Number) ?? [];
    [x, 102, x + loop, top, end - loop, top, end, 102].forEach((each, i) =>
      assert(Math.abs(each - numbers[i]) < 1e-9, `${numbers}`),
    );
    const label = page.root.querySelector('.arc-weight')?.getAttribute('transform');
    assert.equal(label, `translate(${(x + end) / 2} ${102 - height})`);
    const weight = data[(14 + row) * 14 + key];
    assert.equal(arc.getAttribute('stroke-width'), (1.5 + 3.5 * weight).toFixed(1));
    assert.equal(arc.getAttribute('stroke'), loop ? 'var(--query)' : 'url(#arc-colours)');
    const colours = page.root.querySelector('#arc-colours') ?? assert.fail();
    const ends = ['x1', 'y1', 'x2', 'y2'].map((name) => Number(colours.getAttribute(name)));
    assert.deepEqual(ends, [end, 102, x, 102]);
    // The arcs without a number leave it its space.
    for (const other of page.root.querySelectorAll('.arc:not(.selected)')) {
      const [from, , , handle, , , to] = (other.getAttribute('d') ?? '').match(/-?[\d.]+/g)?.map(Number) ?? [];
      const rise = Math.max(9, Math.min(44 - 18, 9 + 0.09 * Math.abs(to - from)));
      assert(Math.abs(handle - (102 - (4 / 3) * rise)) < 1e-9, `${from} to ${to}: ${handle}`);
    }
  }
});

test('a label between lines stands in the middle of its arc, or beside one that is steep', async () => {
  for (const [row, key, most, x, y] of /** @type {[number, number, number, number, number][]} */ ([
    [12, 1, 7, (100 + 500) / 2, (131 + 160) / 2],
    [1, 12, 7, (100 + 500) / 2, (131 + 160) / 2],
    [8, 1, 7, 100 + 30, (131 + 160) / 2], // straight down
  ])) {
    const page = await over(`model=creek&head=3.2&row=${row}&key=${key}`, most);
    await page.show();
    assert.equal(page.root.querySelector('.arc-weight')?.getAttribute('transform'), `translate(${x} ${y})`);
    const colours = page.root.querySelector('#arc-colours') ?? assert.fail();
    const [y1, y2] = ['y1', 'y2'].map((name) => Number(colours.getAttribute(name)));
    assert.deepEqual([y1, y2], key > row ? [162, 131] : [131, 162], 'from the key');
    const numbers = (page.root.querySelector('.arc.selected')?.getAttribute('d') ?? '').match(/-?[\d.]+/g)?.map(Number);
    const [upper, lower] = [Math.min(row, key) * WIDTH, (Math.max(row, key) - most) * WIDTH];
    assert.deepEqual(numbers, [upper, 131, upper, y, lower, y, lower, 162]);
  }
});

test('two strips: from the word that the decoder writes to the word of the source above it', async () => {
  const page = await over('model=translate&attention=cross&head=1.1&row=4&key=3');
  const arcsShown = await page.show();
  assert.deepEqual(arcsShown.at(-1), ['selected', 3, 4], 'from above to below');
  const { data } = /** @type {any} */ (page.result().tensors.get('decoder.layers.0.multihead_attn.weights'));
  const rows = page.result().plan.tokens.decoder?.words.length ?? 0;
  /** The mean of the four heads, with which a translation opens. @param {number} row @param {number} key */
  const at = (row, key) => [0, 1, 2, 3].reduce((sum, head) => sum + data[(head * rows + row) * 14 + key] / 4, 0);
  const others = Array.from({ length: rows }, (_, row) => {
    const weights = Array.from({ length: 14 }, (__, key) => at(row, key));
    if (row === 4) return weights.flatMap((w, key) => (key !== 3 && w >= 0.1 ? [['row', key, row]] : []));
    const most = Math.max(...weights);
    return most >= 0.25 ? [['other', weights.indexOf(most), row]] : [];
  }).flat();
  assert.deepEqual(arcsShown.slice(0, -1), others);
  assert(
    others.some(([, key, row]) => key === row),
    'a word and the one above it are two',
  );
  assert.deepEqual(
    [...page.root.querySelectorAll('.arc:not(.selected)')].map((arc) => arc.getAttribute('opacity')),
    others.map(([, key, row]) => (0.15 + 0.6 * at(Number(row), Number(key))).toFixed(2)),
  );
  const path = String(page.root.querySelector('.arc.selected')?.getAttribute('d'));
  assert.match(path, /^M300 131C300 \S+ 400 \S+ 400 \d+$/);
  const off = { what: 'head', kind: 'cross', layer: 0, head: 0, to: 0 };
  page.put({ interventions: [off] });
  assert.equal((await page.show()).at(-1)?.[0], 'selected', 'one head of the mean');
  page.put({ selection: { kind: 'cross', layer: 0, head: 0 } });
  assert.equal((await page.show()).at(-1)?.[0], 'selected off');
  for (const change of [{ head: 1 }, { layer: 1 }, { kind: 'decoder' }, { to: 'mean' }]) {
    page.put({ interventions: [{ ...off, ...change }] });
    assert.equal((await page.show()).at(-1)?.[0], 'selected', JSON.stringify(change));
  }
});

test('a scrolled strip: no arcs to words out of sight, and the selected one ends at its edge', async () => {
  const bottom = 100 + 2 * PITCH; // two lines of seven
  const page = await over('model=creek&head=3.2&row=12&key=1', 5, { bottom: bottom - 1 });
  const seen = await page.show();
  assert(seen.length > 1);
  assert.deepEqual(
    seen.filter(([name, , to]) => name === 'row' || Number.isNaN(to)),
    [],
    'the row is out of sight',
  );
  const path = String(page.root.querySelector('.arc.selected')?.getAttribute('d'));
  assert.equal(Number(path.match(/[\d.]+/g)?.at(-1)), bottom - 1 + 2);
  // A strip that is not there: no arcs.
  document.querySelector('#tokens-encoder')?.remove();
  await page.show();
  assert.equal(/** @type {HTMLElement} */ (page.root.querySelector('#arcs')).hidden, true);
});

test('from right to left: gaps are found from the left, and a steep label stands where the text goes on', async () => {
  for (const [row, key, most, x] of /** @type {[number, number, number, number][]} */ ([
    [8, 1, 7, -100 - 30],
    [12, 1, 7, (-100 - 500) / 2],
  ])) {
    const page = await over(`model=creek&head=3.2&row=${row}&key=${key}`, most, { dir: 'rtl' });
    await page.show();
    const label = page.root.querySelector('.arc-weight')?.getAttribute('transform');
    assert.equal(label, `translate(${x} ${(131 + 160) / 2})`);
  }
  const page = await over('model=creek&head=3.2&row=12&key=1', 5, { dir: 'rtl' });
  await page.show();
  const path = String(page.root.querySelector('.arc.selected')?.getAttribute('d'));
  const [, x] = /C\S+ \S+ \S+ \S+ (\S+) 162V190/.exec(path) ?? assert.fail(path);
  assert.equal(Number(x), -150, 'between two words of the line');
});
