// Attention as lines: which are drawn, of which heads, and what is said of those left out.
import { formatValue } from '../../../../web/draw/numbers.js';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';
import { hueOf } from '../../../../web/draw/color.js';

const { lines } = await import('../../../../web/explore/features/lines.js');
const { attentionTabs } = await import('../../../../web/explore/features/heatmap.js');

/** @typedef {Awaited<ReturnType<typeof open>>} Page */

/**
 * The weights that the engine gave, by head, row and key.
 * @param {Page} page @param {string} [name]
 * @returns {(head: number, row: number, key: number) => number}
 */
function weightsOf(page, name = 'encoder.layers.0.self_attn.weights') {
  const { data, shape } = /** @type {any} */ (page.result().tensors.get(name));
  const [rows, keys] = shape.slice(-2);
  return (head, row, key) => data[(head * rows + row) * keys + key];
}
/** The titles of the lines, in parts. @param {Page} page */
const edges = (page) =>
  page.all('.edge title').map((text) => {
    const [, from, to, weight, head] = /^(.*) → (.*): ([\d.]+)(?:, head (\d+))?$/.exec(text) ?? [];
    return { from, to, weight, head: head && Number(head) - 1 };
  });
/** @param {Page} page @param {string} selector @param {string} type */
async function point(page, selector, type = 'pointerenter') {
  const event = new /** @type {any} */ (document.defaultView).MouseEvent(type);
  page.root.querySelector(selector)?.dispatchEvent(event);
  await new Promise(setImmediate);
}
const token = (/** @type {'queries' | 'keys'} */ side, /** @type {number} */ index) =>
  `.${side} .line-token:nth-child(${index + 1})`;

test('a token under the pointer shows its lines alone, with their sum; a click selects it', async () => {
  const page = await open(lines, 'model=untrained');
  assert.deepEqual(page.needs(), ['encoder.layers.0.self_attn.weights']);
  const at = weightsOf(page);
  const words = page.all('.queries bdi');
  assert.equal(edges(page).length, 14 * 5);
  assert.match(page.text(), /The 5 strongest lines of each query; the rest sum to [\d.]+ % of the weight/);
  await point(page, token('queries', 7));
  const row = words.map((_, key) => at(0, 7, key)).toSorted((a, b) => b - a);
  assert.deepEqual(
    edges(page).map(({ from, weight }) => [from, weight]),
    row.map((w) => ['dog', formatValue(w)]),
  );
  assert.match(page.all('.lines-note')[0], new RegExp(`^dog attends to .* ${formatValue(row[0])}, `));
  await point(page, token('queries', 7), 'pointerleave');
  await point(page, token('keys', 1));
  assert.deepEqual(
    edges(page).map(({ weight }) => weight),
    words.map((_, i) => formatValue(at(0, i, 1))),
  );
  const sum = words.reduce((so, _, i) => so + at(0, i, 1), 0);
  assert(page.all('.lines-note')[0].startsWith(`creek receives ${formatValue(sum)} in total, from `));
  await page.click(token('keys', 4));
  await page.click(token('queries', 7));
  assert.deepEqual([page.state().cursor.row, page.state().cursor.key], [7, 4], 'the key that the reader chose stays');
  assert.deepEqual(page.all('.line-token[aria-selected=true]'), ['dog', page.all('.keys bdi')[4]]);
});

test('the keyboard walks the tokens and reads them', async () => {
  const page = await open(lines, 'model=untrained&row=12&key=1');
  const at = weightsOf(page);
  const words = page.all('.queries bdi');
  const focused = () => document.activeElement?.getAttribute('aria-label') ?? '';
  const press = async (/** @type {string} */ key) => {
    const event = new /** @type {any} */ (document.defaultView).KeyboardEvent('keydown', { key, bubbles: true });
    document.activeElement?.dispatchEvent(event);
    await page.show();
  };
  /** @type {HTMLElement | null} */ (page.root.querySelector(token('queries', 12)))?.focus();
  await press('ArrowUp');
  const row = (/** @type {number} */ query) => words.map((_, key) => at(0, query, key));
  assert.match(focused(), /^over, index 11, attends most to /);
  assert.equal(focused().split(', ').at(-1), formatValue(Math.max(...row(11))));
  assert(edges(page).every(({ from }) => from === 'over'), 'its lines alone'); // prettier-ignore
  await press('Home');
  await press('ArrowRight');
  const most = row(0).indexOf(Math.max(...row(0))); // the key that came with the query
  const sum = words.reduce((so, _, query) => so + at(0, query, most), 0);
  assert(focused().startsWith(`${words[most]}, index ${most}, receives ${formatValue(sum)}`), focused());
  await press('End');
  await press('ArrowLeft');
  assert.match(focused(), /^The, index 0/);
  assert.deepEqual([page.state().cursor.row, page.state().cursor.key], [0, 13]);
});

test('two token lists, the mean of the heads, masked cells, a table', async () => {
  const page = await open(lines, 'model=untrained&kind=encoder-decoder&attention=cross&mean=1');
  assert.deepEqual([page.all('.queries bdi')[0], page.all('.keys bdi')[0]], ['Der', 'The']);
  const at = weightsOf(page, 'decoder.layers.0.multihead_attn.weights');
  const keys = page.all('.keys bdi');
  await point(page, token('queries', 1));
  const mean = keys.map((_, key) => [0, 1, 2, 3].reduce((sum, head) => sum + at(head, 1, key), 0) / 4);
  assert.deepEqual(
    edges(page).map(({ weight }) => weight),
    mean.toSorted((a, b) => b - a).map(formatValue),
  );
  const masked = await open(lines, 'model=untrained&kind=encoder-decoder&causal=1&attention=decoder');
  await point(masked, token('queries', 1));
  assert.equal(edges(masked).length, 2, 'a hidden cell has no line');
  await point(masked, token('keys', 2));
  assert.equal(edges(masked).length, masked.all('.queries bdi').length - 2, 'nor from the words before');
  await point(masked, token('queries', 1));
  assert.equal(masked.all('tbody tr').length, 0, 'until it is opened');
  const details = /** @type {HTMLDetailsElement} */ (masked.root.querySelector('#lines > details'));
  details.open = true;
  details.dispatchEvent(new /** @type {any} */ (document.defaultView).Event('toggle'));
  await new Promise(setImmediate);
  assert.equal(masked.all('tbody tr').length, 2);
});

test('several heads in hues: chosen by a click, each line with its head’s weight', async () => {
  const page = await open(lines, 'model=untrained');
  const pressed = () => page.all('.lines-head[aria-pressed=true]');
  assert.deepEqual(pressed(), ['1']);
  for (const [head, now] of /** @type {[number, number[]][]} */ ([
    [2, [0, 2]],
    [3, [0, 2, 3]],
    [0, [2, 3]],
  ])) {
    await page.click(`.lines-head:nth-child(${head + 1})`);
    assert.deepEqual(page.state().lineHeads, now);
  }
  assert.deepEqual(pressed(), ['3', '4']);
  const at = weightsOf(page);
  const drawn = edges(page);
  assert.equal(drawn.length, 2 * 14 * 5);
  const best = [2, 3].flatMap((head) =>
    Array.from({ length: 14 }, (_, row) =>
      Array.from({ length: 14 }, (__, key) => at(head, row, key))
        .sort((a, b) => b - a)
        .slice(0, 5)
        .map((weight) => ({ head, weight: formatValue(weight) })),
    ).flat(),
  );
  assert.deepEqual(
    drawn.map(({ head, weight }) => ({ head, weight })),
    best,
  );
  const paths = [...page.root.querySelectorAll('.edge')];
  paths.forEach((path, i) => assert.equal(path.getAttribute('color'), hueOf('light', Number(drawn[i].head)).color));
  assert.equal(new Set(paths.map((path) => path.getAttribute('d'))).size, paths.length, 'none lies on another');
  await point(page, token('keys', 1));
  const sums = [2, 3].map((head) =>
    formatValue(Array.from({ length: 14 }, (_, i) => at(head, i, 1)).reduce((a, b) => a + b)),
  );
  assert.deepEqual(page.all('.lines-note > .number').slice(0, 2), sums);
  await page.change({ interventions: [{ what: 'head', kind: 'encoder', layer: 0, head: 3, to: 0 }] });
  assert(edges(page).every(({ head }) => head === 2));
  assert.match(page.text(), /Head 4 is off: it passes nothing on, so its lines are left out\./);
  await page.click('.lines-head:nth-child(3)');
  await page.click('.lines-head:nth-child(4)');
  await page.click('.lines-head:nth-child(1)');
  assert.deepEqual(page.state().lineHeads, [], 'the one of the map');
});

test('with scores in the map, the lines say what they show; the tabs choose between the two', async () => {
  for (const [quantity, says] of /** @type {[string, boolean][]} */ ([
    ['weights', false],
    ['scores', true],
  ]))
    assert.equal(
      (await open(lines, `model=creek&quantity=${quantity}`)).text().includes('Lines show the attention weights.'),
      says,
    );
  const tabs = await open(attentionTabs, 'model=creek');
  assert.deepEqual(tabs.all('[aria-pressed=true]'), ['Map']);
  await tabs.click('button:last-child');
  assert.deepEqual([tabs.state().lines, tabs.all('[aria-pressed=true]')], [true, ['Lines']]);
});

/**
 * Sends an event with what it holds.
 * @param {Page} page @param {string} selector @param {string} type @param {object} [more]
 */
async function send(page, selector, type, more = {}) {
  const { Event } = /** @type {any} */ (document.defaultView);
  const event = new Event(type, { bubbles: /^(click|keydown)$/.test(type), cancelable: true });
  page.root.querySelector(selector)?.dispatchEvent(Object.assign(event, more));
  await page.show();
  return event;
}
const close = (/** @type {number} */ a, /** @type {number} */ b) => assert(Math.abs(a - b) < 1e-9, `${a}, ${b}`);

test('each line lies between its tokens, in its head’s lane, as wide and dark as its weight', async () => {
  for (const [heads, widest, apart] of /** @type {[number[], number, number][]} */ ([
    [[], 6, 0],
    [[0, 1, 3], 6, 0.275], // a line and a tenth, of the 24 pixels of a token
    [[0, 1, 2, 3], 5.1, 0.2125], // all of 85 % of a token
  ])) {
    const page = await open(lines, 'model=untrained&row=12&key=1');
    await page.change({ lineHeads: heads });
    const at = weightsOf(page);
    const paths = [...page.root.querySelectorAll('.edge')];
    const shown = heads.length ? heads : [0];
    const most = { 1: 5, 3: 5, 4: 5 }[shown.length] ?? assert.fail();
    assert.equal(paths.length, shown.length * 14 * most);
    for (const path of paths) {
      const [row, key] = ['data-row', 'data-key'].map((name) => Number(path.getAttribute(name)));
      const [, head] = /^encoder 0 (\d)$/.exec(path.getAttribute('data-head') ?? '') ?? [];
      const weight = at(Number(head), row, key);
      const lane = 0.5 + (shown.indexOf(Number(head)) - (shown.length - 1) / 2) * apart;
      const [x0, from, x1, from1, x2, to1, x3, to] = (path.getAttribute('d') ?? '').match(/[\d.]+/g)?.map(Number) ?? [];
      assert.deepEqual([x0, x1, x2, x3, from1, to1], [0, 45, 55, 100, from, to]);
      close(from, row + lane);
      close(to, key + lane);
      assert.equal(path.getAttribute('stroke-width'), (0.75 + (widest - 0.75) * weight).toFixed(2));
      assert.equal(path.getAttribute('stroke-opacity'), (0.12 + 0.88 * weight).toFixed(3));
      assert.equal(path.classList.contains('pinned'), row === 12 && key === 1);
    }
    assert.equal(page.root.querySelector('.lines-edges')?.getAttribute('viewBox'), '0 0 100 14');
    assert.equal(page.root.querySelectorAll('.lines-edges.hued').length, Number(heads.length > 0));
    await send(page, '.edge[data-row="3"]', 'click');
    assert.equal(page.state().cursor.row, 3);
    assert.equal(
      String(page.state().cursor.key),
      page.root.querySelector('.edge[data-row="3"]')?.getAttribute('data-key'),
    );
  }
  const mean = await open(lines, 'model=untrained&mean=1');
  assert.equal(mean.root.querySelectorAll('.edge[data-head]').length, 0, 'the mean is no head’s');
});

test('the note: how many lines of how many queries, what the rest is, which heads are off', async () => {
  const off = (/** @type {number[]} */ ...heads) => ({
    interventions: heads.map((head) => ({ what: 'head', kind: 'encoder', layer: 0, head, to: 0 })),
  });
  const words = (/** @type {number} */ count) => `&text=${Array(count).fill('dog').join('+')}`;
  const point = ' Point at a token to see all its lines.';
  for (const [link, change, most, who, end] of /** @type {[string, any, number, string, string][]} */ ([
    ['', {}, 5, 'query', point],
    ['', { brush: [3, 5, 40] }, 5, 'selected query', point],
    ['', { lineHeads: [1, 2] }, 5, 'query and head', point],
    ['', { lineHeads: [1, 2], brush: [4] }, 5, 'selected query and head', point],
    ['', { lineHeads: [-1, 4, 1.5] }, 5, 'query', point],
    [words(100), {}, 4, 'query', point],
    [words(100), { lineHeads: [0, 1, 2, 3] }, 1, 'query and head', point],
    ['', off(0), 0, '', 'Head 1 is off: it passes nothing on, so its lines are left out.'],
    [
      '',
      { ...off(0, 2), lineHeads: [0, 1, 2] },
      5,
      'query and head',
      `${point} Heads 1, 3 are off: they pass nothing on, so their lines are left out.`,
    ],
  ])) {
    const page = await open(lines, `model=untrained${link}`);
    await page.change(change);
    const at = weightsOf(page);
    const count = page.all('.queries bdi').length;
    const rows = (change.brush ?? Array.from({ length: count }, (_, row) => row)).filter(
      (/** @type {number} */ row) => row < count,
    );
    const isHued = who.endsWith('head');
    const heads = (isHued ? change.lineHeads : [0]).filter(
      (/** @type {number} */ head) => !change.interventions?.some((/** @type {any} */ each) => each.head === head),
    );
    let left = 1;
    for (const head of heads)
      for (const row of rows) {
        const best = Array.from({ length: count }, (_, key) => at(head, row, key)).sort((a, b) => b - a);
        left -= best.slice(0, most).reduce((sum, weight) => sum + weight, 0) / rows.length / heads.length;
      }
    const kind = most === 1 ? 'strongest line' : `${most} strongest lines`;
    const rest = `The ${kind} of each ${who}; the rest sum to ${(100 * left).toFixed(1)} % of the weight.`;
    const what = JSON.stringify([link.length, change]);
    assert.equal(page.all('.lines-note')[0], most ? rest + end : end, what);
    assert.equal(page.root.querySelectorAll('.edge').length, most * rows.length * heads.length, what);
    assert.equal(
      page.root.querySelectorAll('.edge[data-row="4"]').length,
      rows.includes(4) ? most * heads.length : 0,
      what,
    );
    assert.equal(page.root.querySelector('#lines')?.className, count > 64 ? 'long' : '');
  }
  const short = await open(lines, `model=untrained${words(5)}`);
  assert.equal(short.all('.lines-note')[0], 'All lines of each query.');
  assert.match((await open(lines, `model=untrained${words(6)}`)).all('.lines-note')[0], /^The 5 strongest lines/);
  const both = await open(lines, `model=untrained${words(64)}`);
  assert.equal(both.root.querySelector('#lines')?.className, '');
});

test('heads: the arrow keys, one tab stop, labels; from the mean the first choice is a head of its own', async () => {
  const page = await open(lines, 'model=untrained');
  const head = (/** @type {number} */ at) => `.lines-head:nth-of-type(${at})`;
  const stops = () =>
    page.all('.lines-head').filter((_, i) => page.root.querySelectorAll('.lines-head')[i].tabIndex === 0);
  assert.deepEqual(stops(), ['1']);
  for (const [from, key, to, more] of /** @type {[number, string, number, object?][]} */ ([
    [1, 'ArrowRight', 2],
    [2, 'ArrowRight', 3],
    [3, 'ArrowLeft', 2],
    [2, 'End', 4],
    [4, 'ArrowRight', 4],
    [4, 'Home', 1],
    [1, 'ArrowLeft', 1],
    [1, 'a', 1],
    ...['ctrlKey', 'altKey', 'metaKey'].map((held) => /** @type {any} */ ([1, 'End', 1, { [held]: true }])),
  ])) {
    /** @type {HTMLElement} */ (page.root.querySelector(head(from))).focus();
    const { defaultPrevented } = await send(page, head(from), 'keydown', { key, ...more });
    assert.equal(document.activeElement?.textContent?.trim(), String(to), key);
    assert.equal(defaultPrevented, from !== to);
  }
  await page.click(head(4));
  await page.click(head(2));
  assert.deepEqual(page.state().lineHeads, [0, 1, 3], 'in their order');
  await page.change({ interventions: [{ what: 'head', kind: 'encoder', layer: 0, head: 1, to: 0 }] });
  const labels = [...page.root.querySelectorAll('.lines-head')].map((each) => each.ariaLabel);
  assert.deepEqual(labels, ['Head 1', 'Head 2, off', 'Head 3', 'Head 4']);
  assert.deepEqual(page.all('.lines-head.off'), ['2']);
  const mean = await open(lines, 'model=untrained&mean=1');
  assert.deepEqual(mean.all('.lines-head[aria-pressed=true]'), []);
  await mean.click(head(1));
  assert.deepEqual(mean.state().lineHeads, [0]);
  const table = /** @type {HTMLDetailsElement} */ (mean.root.querySelector('#lines > details'));
  table.open = true;
  await send(mean, '#lines > details', 'toggle');
  assert.deepEqual(mean.all('thead th'), ['query', 'key', 'head', 'weight']);
  assert.match(mean.all('tbody tr')[0], /^The[A-Za-z.]+1[\d.]+$/);
  assert.match(mean.all('caption')[0], /, layer 1, head 1: the lines that are drawn\.$/);
  await mean.change({ lineHeads: [1, 3] });
  assert.match(mean.all('caption')[0], /, layer 1, heads 2, 4: /);
  await mean.change({ lineHeads: [] });
  assert.match(mean.all('caption')[0], /, layer 1, mean of its heads: /);
  assert.deepEqual(mean.all('thead th'), ['query', 'key', 'weight']);
  assert.equal((await open(lines, 'model=untrained&heads=1')).all('.lines-heads').length, 0, 'no choice');
});

test('tokens: keys and clicks with Shift and Ctrl, a finger, labels of several heads, what is in sight', async () => {
  const page = await open(lines, 'model=untrained&row=5&key=1');
  const { length } = page.all('.queries bdi');
  for (const [from, key, to, prevented] of /** @type {[number, string, number, boolean][]} */ ([
    [5, 'PageDown', 13, true],
    [13, 'ArrowDown', 13, true],
    [13, 'PageUp', 3, true],
    [3, 'PageUp', 0, true],
    [0, 'ArrowUp', 0, true],
    [0, 'ArrowDown', 1, true],
    [1, 'ArrowLeft', 1, false],
    [1, 'x', 1, false],
  ])) {
    const event = await send(page, '.queries', 'keydown', { key });
    assert.deepEqual([page.state().cursor.row, event.defaultPrevented], [to, prevented], `${from} ${key} of ${length}`);
  }
  for (const held of ['ctrlKey', 'altKey', 'metaKey'])
    assert.equal((await send(page, '.queries', 'keydown', { key: 'End', [held]: true })).defaultPrevented, false);
  await send(page, '.queries', 'keydown', { key: 'ArrowDown', shiftKey: true });
  assert.deepEqual(page.state().brush, [1, 2]);
  await send(page, token('queries', 5), 'click', { shiftKey: true });
  assert.deepEqual(page.all('.line-token.brushed').length, page.state().brush.length);
  for (const held of ['ctrlKey', 'metaKey']) {
    const { brush } = page.state();
    await send(page, token('queries', 9), 'click', { [held]: true });
    assert.notEqual(page.state().brush.includes(9), brush.includes(9), held);
  }
  await send(page, token('queries', 3), 'click');
  assert.deepEqual(page.state().brush, []);
  await send(page, '.queries', 'keydown', { key: 'End', shiftKey: true });
  assert.deepEqual(
    page.state().brush,
    Array.from({ length: 11 }, (_, i) => 3 + i),
  );

  const all = page.root.querySelectorAll('.edge').length;
  await send(page, token('queries', 7), 'pointerenter', { pointerType: 'touch' });
  assert.equal(page.root.querySelectorAll('.edge').length, all, 'a finger points at nothing');
  await page.change({ lineHeads: [0, 2], brush: [] });
  const at = weightsOf(page);
  const sums = [0, 2].map((head) => {
    const total = Array.from({ length: 14 }, (_, row) => at(head, row, 1)).reduce((sum, each) => sum + each, 0);
    return `receives ${formatValue(total)} in total with head ${head + 1}`;
  });
  assert.equal(page.root.querySelector(token('keys', 1))?.ariaLabel, `creek, index 1, ${sums.join(', ')}`);
  await point(page, token('queries', 1));
  const best = [0, 2]
    .flatMap((head) => Array.from({ length: 14 }, (_, key) => ({ head, weight: at(head, 1, key) })))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 3)
    .map(({ head, weight }) => `${formatValue(weight)} (head ${head + 1})`);
  assert.deepEqual(page.all('.lines-note')[0].match(/[\d.]+ \(head \d\)/g), best);

  // A line that is pointed at elsewhere is drawn, however weak: of one head alone.
  const lit = () => page.root.querySelector('.line-lit');
  const light = (/** @type {object} */ detail) => send(page, '.lines-scroll', 'highlight', { detail });
  await light({ row: '3', key: '2' });
  assert.deepEqual([lit()?.hasAttribute('data-lit'), lit()?.getAttribute('d')], [false, null]);
  await page.change({ lineHeads: [] });
  await light({ row: '3', key: '2' });
  assert.deepEqual([lit()?.hasAttribute('data-lit'), lit()?.getAttribute('d')], [true, 'M0 3.5C45 3.5 55 2.5 100 2.5']);
  assert.equal(lit()?.getAttribute('stroke-width'), (0.75 + 5.25 * at(0, 3, 2)).toFixed(2));
  await light({});
  assert.deepEqual([lit()?.hasAttribute('data-lit'), lit()?.getAttribute('d')], [false, null]);

  // The query of the cursor comes into sight, and no further than it must.
  const scroll = /** @type {HTMLElement} */ (page.root.querySelector('.lines-scroll'));
  const tops = /** @type {number[]} */ ([]);
  await new Promise(requestAnimationFrame); // the picture before has scrolled
  Object.assign(scroll, { scrollTo: (/** @type {{top: number}} */ { top }) => tops.push(top) });
  Object.defineProperty(scroll, 'clientHeight', { value: 100 });
  for (const each of page.root.querySelectorAll('.line-token'))
    Object.defineProperties(each, { offsetTop: { value: 300 }, offsetHeight: { value: 24 } });
  for (const [i, from] of [0, 250, 310].entries()) {
    scroll.scrollTop = from;
    await page.change({ cursor: { ...page.state().cursor, row: i + 6 } });
    await new Promise(requestAnimationFrame);
  }
  assert.deepEqual(tops, [224, 250, 300]);
});
