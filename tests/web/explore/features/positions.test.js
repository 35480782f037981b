// Positional encoding: the map, the formula with its numbers, and the dot products with every position.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allShown, numberOf } from '../../checks.js';
import { ignoreSizes, open } from '../table.js';

ignoreSizes();
Object.defineProperty(document.defaultView?.HTMLElement.prototype, 'clientWidth', { get: () => 700 });
const { positions } = await import('../../../../web/explore/features/positions.js');

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
    for (const shown of live) allShown([numberOf(shown)], [vectorOf(row)[dimension]], link);
    const [own, next] = page.all('#position-similarity .number').map(numberOf);
    allShown([own, next], [dots?.[row], dots?.[row + 1]], link);
    assert.match(page.text(), about);
    for (const other of others) assert.doesNotMatch(page.text(), other);
    assert.equal(page.all('.explain math').length, about === SINUSOIDAL ? 3 : 0);
    assert.equal(page.root.querySelectorAll('.curve circle').length, dots?.length);

    const table = /** @type {HTMLDetailsElement} */ (page.root.querySelector('details'));
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
