// All heads in one window, and what each adds to the answer: the module's numbers, which add up to the logits'.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertPrinted, numberOf } from '../../checks.js';
import { open } from '../table.js';

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
  const bare = await open(allHeads, 'part=heads');
  assert.equal(bare.root.querySelectorAll('button').length, 2 * 5);
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
  await page.click('[aria-label="Compared with"] button:last-child');
  assert.equal(page.state().alone, true);
  assert.match(page.text(), /add up to the logit, to rounding/);
  await page.click('.says-list button');
  assert.notEqual(page.state().graph.node, 'heads');
});
