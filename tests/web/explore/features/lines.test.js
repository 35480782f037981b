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
