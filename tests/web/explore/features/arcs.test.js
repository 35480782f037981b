// The arcs over the sentence: which words they join, and what the selected one says.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';
import { formatShare } from '../../../../web/draw/share.js';

const { arcs } = await import('../../../../web/explore/features/arcs.js');
const WIDTH = 100; // px of a word

Reflect.set(
  globalThis,
  'ResizeObserver',
  class {
    /** @param {() => void} call */
    constructor(call) {
      this.observe = () => queueMicrotask(call);
    }
    disconnect() {}
  },
);

/**
 * Opens the arcs with the words of the encoder in one line, or each in a line of its own.
 * @param {string} link @param {boolean} [isLine]
 */
async function over(link, isLine = true) {
  const page = await open(arcs, link);
  const words = page.result()?.plan.tokens.encoder?.words ?? [];
  document.body.insertAdjacentHTML(
    'afterbegin',
    `<div id="tokens-encoder"><div class="tokens">${words
      .map((_, i) => `<button data-row="${i}" data-as-key="${i}"><bdi></bdi></button>`)
      .join('')}</div></div>`,
  );
  document.querySelectorAll('#tokens-encoder button').forEach((button, i) => {
    Object.defineProperty(button, 'offsetTop', { value: isLine ? 0 : i });
    const box = { left: i * WIDTH, width: 0, top: 100, bottom: 130 };
    /** @type {any} */ (button.firstElementChild).getBoundingClientRect = () => box;
  });
  return { ...page, show: () => shown(page) };
}

/** Shows it, and waits for the frame that draws. @param {Awaited<ReturnType<typeof open>>} page */
async function shown(page) {
  await page.show();
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return [...page.root.querySelectorAll('.arc')].map((arc) => {
    const [from, , , , , , to] = (arc.getAttribute('d') ?? '').match(/-?[\d.]+/g)?.map(Number) ?? [];
    return [arc.getAttribute('class')?.slice('arc '.length), from / WIDTH, to / WIDTH];
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

test('words on several lines, a written target and a model without heads have no arcs', async () => {
  const lines = await over('model=creek', false);
  await lines.show();
  assert.equal(/** @type {HTMLElement} */ (lines.root.querySelector('#arcs')).hidden, true);
  for (const [link, has] of /** @type {[string, boolean][]} */ ([
    ['model=creek', true],
    ['model=translate', true],
    ['model=translate&attention=decoder', false],
    ['model=untrained&heads=0', false],
    [`model=untrained&text=${'a+'.repeat(64)}`, true],
    [`model=untrained&text=${'a+'.repeat(65)}`, false],
  ]))
    assert.equal((await over(link)).root.querySelector('#arcs') !== null, has, link);
});
