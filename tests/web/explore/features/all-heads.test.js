// All parts in one window, and what each adds to the answer, or what is left without it: the module's numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatShare } from '../../../../web/draw/numbers.js';
import { pooledTo } from '../../../../web/draw/pooled.js';
import { assertPrinted, numberOf } from '../../checks.js';
import { shipped } from '../../in-node.js';
import { gf, given, open } from '../table.js';

const { allHeads, says } = await import('../../../../web/explore/features/all-heads.js');

const LINK = 'model=creek&part=heads&row=12&head=3.2';

test('every head of every layer is a button that opens it; an FFN opens its view', async () => {
  const page = await open(allHeads, LINK);
  const names = () => [...page.root.querySelectorAll('button')].map((each) => String(each.getAttribute('aria-label')));
  assert.equal(names().length, 3 * 3);
  assert.match(names()[0], /^Encoder self-attention, layer 1, head 1: [+−]\d+\.\d\d$/);
  assert.match(names()[8], /^FFN, layer 3: [+−]\d+\.\d\d$/);
  const stops = [...page.root.querySelectorAll('button')].filter(({ tabIndex }) => tabIndex === 0);
  assert.deepEqual(
    stops.map((each) => each.dataset.at),
    ['2 1'],
  );
  await page.press('[data-at="2 1"]', 'ArrowUp');
  assert.equal(/** @type {HTMLElement} */ (document.activeElement).dataset.at, '1 1');
  await page.click('[data-at="1 0"]');
  assert.deepEqual(page.state().selection, { kind: 'encoder', layer: 1, head: 0 });
  assert.equal(page.state().graph.node, 'attention');
  const other = await open(allHeads, LINK);
  await other.click('[data-at="0 2"]');
  assert.deepEqual([other.state().graph.node, other.state().selection.layer], ['ffn', 0]);
});

test('an encoder-decoder has a grid for each attention; without an answer there are maps alone', async () => {
  const page = await open(allHeads, 'model=translate&part=heads');
  const grids = [...page.root.querySelectorAll('.all-heads')].map((each) => each.getAttribute('aria-label'));
  assert.deepEqual(grids, ['Encoder self-attention', 'Decoder self-attention', 'Cross-attention']);
  assert.deepEqual(page.all('.all-heads-tabs button'), ['All', 'Encoder', 'Decoder', 'Cross']);
  await page.click('.all-heads-tabs button:last-child');
  const alone = [...page.root.querySelectorAll('.all-heads')].map((each) => each.getAttribute('aria-label'));
  assert.deepEqual(alone, ['Cross-attention']);
  const bare = await open(allHeads, 'part=heads');
  assert.equal(bare.root.querySelectorAll('button').length, 2 * 5, 'one kind needs no tabs');
  assert.equal(bare.root.querySelectorAll('.added').length, 0);
  assert.equal((await open(says, 'part=heads')).text(), '');
});

test('what says the word: signed, and together the lead or the logit of the pass', async () => {
  for (const model of ['creek&row=12', 'translate&row=1', 'continue&row=3'])
    for (const alone of [false, true]) {
      /** @param {any} query */
      const needs = (query) => [...(says.needs?.(query) ?? []), 'logits'];
      const page = await open({ ...says, needs }, `model=${model}&part=heads${alone ? '&alone=1' : ''}`);
      const { tensors } = page.result();
      const { data, shape } = /** @type {any} */ (tensors.get('logits'));
      const row = [...data.subarray(page.state().cursor.row * shape[2], (page.state().cursor.row + 1) * shape[2])];
      const [first, second] = row.toSorted((a, b) => b - a);
      const wanted = alone ? first : first - second;
      const texts = page.all('.says-list .number').map((text) => text.replace('+', ''));
      const numbers = texts.map(numberOf);
      const total = Number(numbers.pop());
      assertPrinted(String(texts.at(-1)), wanted, model);
      const places = new Set(texts.map((text) => text.split('.')[1].length));
      assert.equal(places.size, 1, 'the same decimals');
      const sum = numbers.reduce((a, b) => a + b, 0);
      assert(Math.abs(sum - total) < 1e-9, `${model}: ${numbers} make ${sum}, not ${total}`);
      const word = page.modelInfo.outputVocabulary[row.indexOf(first)];
      assert(page.text().includes(`What says ${word}?`), page.text());
    }
  const page = await open(says, LINK);
  assert.match(page.text(), /add up to the lead in logits, to rounding\. Each norm keeps the scale/);
  await page.click('[aria-label="Asked how"] button:nth-child(2)');
  assert.equal(page.state().alone, true);
  assert.match(page.text(), /add up to the logit, to rounding/);
  await page.click('.says-list button');
  assert.notEqual(page.state().graph.node, 'heads');
});

const MAPS =
  'A row is a layer: a map for each head, and of its FFN the neurons (columns) at each token (rows). ' +
  'Select one to open it.';
const PART = { kind: 'encoder', layer: 0, head: 0, value: 0 };
/** Contributions that are easy to check, in no order. */
const ADDED = {
  ...{ id: 7, against: 9, logit: 6, embedding: 0.5, biases: -0.25, patches: 0 },
  parts: [
    { ...PART, value: 0.75 },
    { ...PART, head: 1, value: -4 },
    { ...PART, head: null, value: 2 },
    { ...PART, layer: 1, value: 1 },
    { ...PART, layer: 1, head: 1, value: -0.5 },
    { ...PART, layer: 1, head: null, value: 3 },
    { ...PART, layer: 2, value: 1.5 },
    { ...PART, layer: 2, head: 1, value: 1.25 },
    { ...PART, layer: 2, head: null, value: 0.75 },
  ],
};

test('what says the word, by size, the rest together, with bars to both sides; each part opens', async () => {
  const page = await open(given(says, ADDED), LINK);
  const [word, rival] = [7, 9].map((id) => page.modelInfo.outputVocabulary[id]);
  const sorted = [
    ['layer 1, head 2', -4],
    ['layer 2, FFN', 3],
    ['layer 1, FFN', 2],
    ['layer 3, head 1', 1.5],
    ['layer 3, head 2', 1.25],
    ['layer 2, head 1', 1],
    ['layer 1, head 1', 0.75],
    ['layer 3, FFN', 0.75],
  ].map(([name, value]) => /** @type {[string, number]} */ ([String(name), Number(value)]));
  const spans = (/** @type {Awaited<ReturnType<typeof open>>} */ of) =>
    [...of.root.querySelectorAll('.says-list li')].map((li) => [
      li.querySelector('span')?.textContent?.replace(/\s+/g, ' '),
      numberOf(li.querySelector('.number')?.textContent?.replace('+', '')),
    ]);
  const lead = [`lead over ${rival}`, 6];
  assert.deepEqual(spans(page), [...sorted, ['1 other part', -0.5], ['embedding', 0.5], ['biases', -0.25], lead]);
  assert(page.all('.number')[1].startsWith('+3') && page.all('.number')[0].startsWith('−4'));
  const bars = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('.added > span')]);
  assert.deepEqual(
    bars.map(({ style }) => [style.right, style.left, Number.parseFloat(style.width)]),
    [-4, 3, 2, 1.5, 1.25, 1, 0.75, 0.75, -0.5, 0.5, -0.25].map((value) => [
      ...(value < 0 ? ['50%', ''] : ['', '50%']),
      (50 * Math.abs(value)) / 4,
    ]),
  );
  assert.equal(new Set(bars.map(({ style }) => style.background)).size, 2, 'a colour for each sign');
  assert.deepEqual(page.all('.tabs button'), [`rather than ${rival}`, 'by itself', 'switched off']);
  assert.deepEqual(
    [...page.root.querySelectorAll('.tabs button')].map((each) => each.ariaPressed),
    ['true', 'false', 'false'],
  );
  assert.equal(page.all('h2')[0], `What says ${word}?`);
  await page.click('.says-list li:nth-child(2) button');
  assert.deepEqual([page.state().graph.node, page.state().selection.layer], ['ffn', 1]);
  await page.click('.says-list li:nth-child(1) button');
  assert.deepEqual(
    [page.state().graph.node, page.state().selection],
    ['attention', { kind: 'encoder', layer: 0, head: 1 }],
  );
  await page.click('.tabs button:nth-child(2)');
  assert.deepEqual(page.set.pop(), { parts: 'adds', alone: true });
  await page.click('.tabs button:last-child');
  assert.deepEqual(page.set.pop(), { parts: 'off' });

  const some = await open(
    given(says, { ...ADDED, against: null, patches: 0.25, parts: ADDED.parts.slice(0, 8) }),
    LINK,
  );
  assert.deepEqual(spans(some).slice(8), [
    ['embedding', 0.5],
    ['biases', -0.25],
    ['your changes', 0.25],
    ['logit', 6],
  ]);
  assert.deepEqual(some.all('.tabs button'), ['rather than the runner-up', 'by itself', 'switched off']);
  assert.match(some.all('.hint')[0], /add up to the logit, to rounding\. Each norm keeps/);
  const eleven = [...ADDED.parts, { ...PART, kind: 'cross', layer: 1, value: 5 }, { ...PART, value: 0.25 }];
  const many = await open(given(says, { ...ADDED, parts: eleven }), LINK);
  assert.deepEqual(spans(many)[0], ['cross-attention, layer 2, head 1', 5]);
  assert.deepEqual(spans(many)[8], ['3 other parts', 0.5]);
  for (const nothing of [{ absent: true }, undefined])
    assert.equal((await open(given(says, nothing), LINK)).text(), '');
});

test('all heads: each with its bar and number, columns and rows, keys that stay inside', async () => {
  const page = await open(given(allHeads, ADDED), LINK);
  const labels = [...page.root.querySelectorAll('button')].map((each) => each.ariaLabel);
  const head = (/** @type {number} */ layer, /** @type {number} */ at, /** @type {string} */ value) =>
    `Encoder self-attention, layer ${layer}, head ${at}: ${value}`;
  assert.deepEqual(labels, [
    ...[head(1, 1, '+0.75'), head(1, 2, '−4.00'), 'FFN, layer 1: +2.00'],
    ...[head(2, 1, '+1.00'), head(2, 2, '−0.50'), 'FFN, layer 2: +3.00'],
    ...[head(3, 1, '+1.50'), head(3, 2, '+1.25'), 'FFN, layer 3: +0.75'],
  ]);
  const widths = [...page.root.querySelectorAll('.added > span')].map((each) =>
    Number.parseFloat(/** @type {HTMLElement} */ (each).style.width),
  );
  assert.deepEqual(
    widths,
    [0.75, 4, 2, 1, 0.5, 3, 1.5, 1.25, 0.75].map((value) => (50 * value) / 4),
  );
  assert.equal(page.root.querySelectorAll('[aria-pressed=true]').length, 1);
  assert.equal(page.root.querySelector('[aria-pressed=true]')?.getAttribute('data-at'), '2 1');
  assert.deepEqual(page.all('.all-heads-columns span'), ['1', '2', 'FFN']);
  assert.deepEqual(page.all('.all-heads-layer'), ['1', '2', '3']);
  assert.deepEqual(page.all('.view-title'), [], 'one kind needs no title');
  const style = page.root.querySelector('.all-heads')?.getAttribute('style')?.match(/\d+/g);
  assert.deepEqual(style, ['3', '3', '1']);
  const word = page.modelInfo.outputVocabulary[7];
  assert.equal(page.all('.hint')[0], `${MAPS} Its bar: what it adds for ${word} (to the right) or against it.`);
  for (const [from, key, to, more] of /** @type {[string, string, string, object?][]} */ ([
    ['2 1', 'ArrowLeft', '2 0'],
    ['2 0', 'ArrowLeft', '2 0'],
    ['2 0', 'ArrowRight', '2 1'],
    ['2 1', 'ArrowRight', '2 2'],
    ['2 2', 'ArrowUp', '1 2'],
    ['1 2', 'ArrowDown', '2 2'],
    ['2 2', 'ArrowDown', '2 2'],
    ['2 2', 'Home', '2 2'],
    ...['altKey', 'ctrlKey', 'metaKey'].map((held) => /** @type {any} */ (['2 2', 'ArrowUp', '2 2', { [held]: true }])),
  ])) {
    const button = /** @type {HTMLElement} */ (page.root.querySelector(`[data-at="${from}"]`));
    button.focus();
    const { KeyboardEvent } = /** @type {any} */ (document.defaultView);
    const event = new KeyboardEvent('keydown', { key, ...more, bubbles: true, cancelable: true });
    button.dispatchEvent(event);
    assert.equal(/** @type {HTMLElement} */ (document.activeElement).dataset.at, to, key);
    assert.equal(event.defaultPrevented, key.startsWith('Arrow') && !more);
  }
  await page.click('[data-at="1 2"]');
  assert.deepEqual([page.state().graph.node, page.state().selection], ['ffn', { kind: 'encoder', layer: 1, head: 1 }]);

  const both = await open(given(allHeads, { absent: true }), 'model=translate&part=heads&attention=cross&head=2.1');
  assert.deepEqual(both.all('.view-title'), ['Encoder self-attention', 'Decoder self-attention', 'Cross-attention']);
  assert.equal(both.all('.hint')[0], MAPS);
  const { heads, layers } = /** @type {any} */ (both.session.plan().settings);
  const grids = [...both.root.querySelectorAll('.all-heads')];
  assert.deepEqual(
    grids.map((grid) => [grid.querySelectorAll('button').length, grid.querySelectorAll('.all-heads-ffn').length]),
    [
      [layers * (heads + 1), layers],
      [layers * heads, 0],
      [layers * (heads + 1), layers],
    ],
    'the decoder’s FFN stands beside the cross-attention, which it follows',
  );
  assert.deepEqual(
    grids.map((grid) =>
      [...grid.querySelectorAll('button')].flatMap((each) => (each.tabIndex ? [] : [each.dataset.at])),
    ),
    [['0 0'], ['0 0'], ['1 0']],
    'each grid has one tab stop',
  );
  assert.equal((await open(given(allHeads, undefined), LINK)).text(), '', 'not here yet');
});

const TIRED = 'The dog did not jump over the creek because it was tired.';

test('switched off: what the module leaves of the answer without each part, the least first', async () => {
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const input = { ids: ids(TIRED.toLowerCase().replace('.', ' .')), capture: /** @type {const} */ (true) };
  const names = { head: 'self_attn.head_outputs', ffn: 'ffn.out' };
  const trace = model.trace(input);
  /** The mean over the tokens. @param {string} name @param {number} [head] */
  function meanOf(name, head = 0) {
    const { data, shape } = trace.tensor(name);
    const [T, width] = shape.slice(-2);
    return Float32Array.from({ length: width }, (_, i) => {
      const column = Array.from({ length: T }, (_, t) => data[(head * T + t) * width + i]);
      return column.reduce((sum, each) => sum + each, 0) / T;
    });
  }
  const row = 9;
  for (const by of ['off', 'mean'])
    for (const here of [false, true]) {
      const link = `model=creek&part=heads&row=${row}&head=3.2&text=${encodeURIComponent(TIRED)}`;
      const page = await open(says, `${link}&parts=${by}${here ? '&here=1' : ''}`);
      assert.deepEqual(page.all('.tabs button'), [
        ...['rather than it', 'by itself', 'switched off'],
        ...['at every token', 'at it alone', 'to 0', 'to its mean'],
      ]);
      assert.deepEqual(page.all('.tabs [aria-pressed=true]'), [
        ...['switched off', here ? 'at it alone' : 'at every token'],
        by === 'mean' ? 'to its mean' : 'to 0',
      ]);
      assert.equal(
        page.all('.hint')[0],
        `Each part is switched off by itself: its output is ${by === 'mean' ? 'its mean over the text' : '0'} ` +
          `at ${here ? 'it alone' : 'every token'}, and all that comes after it is computed again. ` +
          'So these do not add up.',
      );
      /** @type {{name: string, left: number, word: string, share: number}[]} */
      const wanted = [];
      for (let layer = 0; layer < 3; layer++)
        for (const head of [0, 1, null]) {
          const name = `encoder.layers.${layer}.${head === null ? names.ffn : names.head}`;
          const vector = by === 'mean' ? meanOf(name, head ?? 0) : new Float32Array(head === null ? 48 : 24);
          const rows = here ? [row] : input.ids.keys();
          const patches = [...rows].flatMap((t) =>
            Array.from(vector, (value, i) => ({ name, index: head === null ? [0, t, i] : [0, head, t, i], value })),
          );
          const { data } = gf.softmax(model.forward({ ...input, patches }).logits);
          const own = [...data.subarray(row * vocabulary.length, (row + 1) * vocabulary.length)];
          const share = Math.max(...own);
          wanted.push({
            name: `layer ${layer + 1}, ${head === null ? 'FFN' : `head ${head + 1}`}`,
            ...{ left: own[vocabulary.indexOf('dog')], word: vocabulary[own.indexOf(share)], share },
          });
        }
      wanted.sort((a, b) => a.left - b.left);
      const lines = wanted
        .slice(0, 8)
        .map(({ name, left, word, share }) => [
          name,
          `${formatShare(left)}${word === 'dog' ? '' : `, then ${word} ${formatShare(share)}`}`,
        ]);
      const shown = [...page.root.querySelectorAll('.says-list button')].map((each) =>
        [...each.querySelectorAll('span:first-child, .number')].map((part) => part.textContent),
      );
      assert.deepEqual(
        shown.map((each) => each.filter(Boolean)),
        lines,
        `${by} ${here}`,
      );
    }
  trace.free();
});

test('the opening sentence: two FFNs decide more than the best head, and a part that is picked opens', async () => {
  const page = await open(says, `model=creek&part=heads&row=9&head=3.2&text=${encodeURIComponent(TIRED)}&parts=off`);
  const lines = page.all('.says-list li');
  assert.match(lines[0], /^layer 1, FFN0\.36\s%, then creek 76\s%$/);
  assert.match(lines[1], /^layer 2, FFN10\s%/);
  assert.match(lines[2], /^layer 3, head 225\s%/);
  assert.match(String(lines.at(-1)), /^all parts93\s%$/);
  await page.click('[aria-label="Its output"] button:last-child');
  const byMean = page.all('.says-list li');
  assert.match(byMean[0], /^layer 1, FFN0\.74\s%, then creek 60\s%$/);
  assert.match(byMean[1], /^layer 2, FFN46\s%/);
  assert.match(byMean[2], /^layer 3, head 258\s%/);
  await page.click('.says-list button');
  assert.deepEqual([page.state().graph.node, page.state().selection.layer], ['ffn', 0]);
});

test('the tiles say what each part loses, and the FFN has a picture of its own', async () => {
  const page = await open(allHeads, `${LINK}&parts=off`);
  const names = [...page.root.querySelectorAll('button')].map((each) => String(each.getAttribute('aria-label')));
  assert.match(names[8], /^FFN, layer 3: off loses \d+\.\d points$/);
  assert.equal(page.root.querySelectorAll('canvas.all-heads-neurons').length, 3);
  const data = Float32Array.from([0, -3, 1, 2, 5, 0, 0, 0, -1, 2]);
  assert.deepEqual(pooledTo(5, data, 5).data, data);
  assert.deepEqual([...pooledTo(2, data, 5).data], [-3, 5, 0, 2]);
});
