// The sentence as a line of words: what each is called and marked as, and what a click or key selects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf } from '../../../../web/models/catalogue.js';
import { open } from '../table.js';

const { decoderTokens, encoderTokens } = await import('../../../../web/explore/features/tokens.js');

/** @typedef {Awaited<ReturnType<typeof open>>} Page */
/** @param {Page} page */
const tokens = (page) => /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll('.token')]);
/** The words with a class. @param {Page} page @param {string} name */
const marked = (page, name) => page.all(`.token.${name}`);
/** @param {Page} page */
const brush = (page) => page.state().brush;

test('each word has its index and id; one is selected, one is its key', async () => {
  const page = await open(encoderTokens, 'model=creek&row=12&key=1');
  const { ids } = /** @type {any} */ (page.result().plan.tokens.encoder);
  const words = 'The creek was cold and the spunky dog wanted to jump over it .'.split(' ');
  assert.deepEqual(page.all('.token'), words);
  assert.deepEqual(
    tokens(page).map((token) => token.ariaLabel ?? token.getAttribute('aria-label')),
    words.map((word, i) => `${word === '.' ? 'full stop' : word}, index ${i}, id ${ids[i]}`),
  );
  assert.deepEqual(
    [page.all('[aria-checked=true]'), marked(page, 'query'), marked(page, 'key')],
    [['it'], ['it'], ['creek']],
  );
  assert.deepEqual(page.all('[tabindex="0"]'), ['it']);
  assert.deepEqual(marked(page, 'close'), ['.']);
  assert.deepEqual(
    [...Object.entries(tokens(page)[3].dataset)],
    [
      ['row', '3'],
      ['asKey', '3'],
    ],
  );
  assert.equal(page.all('.tokens-title').length, 0, 'a single text speaks for itself');
  assert.deepEqual((await open(decoderTokens, 'model=creek')).text(), '');
});

test('a word that the model does not know has no row; the others count without it', async () => {
  const page = await open(encoderTokens, 'model=creek&text=the+zebra+was+cold&row=2&key=0');
  assert.deepEqual(marked(page, 'unknown'), ['zebra']);
  assert.equal(tokens(page)[1].getAttribute('aria-label'), 'zebra, index 1, unknown word, left out');
  assert.deepEqual(
    tokens(page).map((token) => token.dataset.row),
    ['0', undefined, '1', '2'],
  );
  assert.deepEqual(page.all('[aria-checked=true]'), ['cold']);
  const before = page.set.length;
  await page.click('.unknown');
  assert.equal(page.set.length, before, 'it cannot be selected');
  await page.click('.token:nth-child(3)');
  assert.equal(page.state().cursor.row, 1);
  const lost = await open(encoderTokens, 'model=creek&text=qqq');
  assert.deepEqual(marked(lost, 'unknown'), ['qqq'], 'it stays in sight though there is nothing to compute');
  assert.equal((await open(encoderTokens, 'model=creek&text=')).text(), '');
});

test('two texts have titles; what the model wrote is said at its row, and a key is the word before', async () => {
  const link = 'model=translate&attention=decoder&row=2&key=1';
  assert.match((await open(encoderTokens, link)).text(), /^Source tokens /);
  const target = await open(decoderTokens, link);
  assert.match(target.text(), /^Target tokens /);
  assert.deepEqual([marked(target, 'query'), marked(target, 'key')].flat(), [
    target.all('.token')[2],
    target.all('.token')[0],
  ]);
  assert.equal(target.all('.edit-sentence').length, 0, 'it is built from menus');
  const cross = await open(encoderTokens, 'model=untrained&kind=encoder-decoder&attention=cross&row=2&key=1');
  assert.deepEqual([marked(cross, 'query'), marked(cross, 'key')], [[], ['creek']]);
  await cross.click('.token:nth-child(4)');
  assert.deepEqual([cross.state().cursor.key, cross.state().cursor.row], [3, 2]);
  assert.equal(cross.all('.edit-sentence').length, 1);
  const written = await open(decoderTokens, 'model=continue&text=the+fox&written=5.6');
  assert.deepEqual(marked(written, 'fresh').length, 2);
  assert.match(String(tokens(written).at(-1)?.getAttribute('aria-label')), /, written by the model$/);
});

test('a click on the word of a pair changes it, and back; keys and a click with Shift select it', async () => {
  const [[one, first], [two, second]] = entryOf('creek')?.pair ?? assert.fail();
  const page = await open(encoderTokens, `model=creek&row=9&text=${encodeURIComponent(first)}`);
  assert.deepEqual(marked(page, 'flip'), [one]);
  assert.match(String(tokens(page)[11].getAttribute('aria-label')), /^tired, click to change it to “deep”, index 11,/);
  await page.click('.flip');
  assert.deepEqual([page.state().text, page.state().cursor.row, marked(page, 'flip')], [second, 9, [two]]);
  assert.deepEqual(page.set.at(-1), { text: second, written: [], follow: true, brush: [], opening: '' });
  await page.click('.flip');
  assert.deepEqual([page.state().text, marked(page, 'flip')], [first, [one]]);
  await page.press('.token:nth-child(11)', 'ArrowRight');
  assert.deepEqual([page.state().text, page.state().cursor.row], [first, 11]);
  await page.change({ text: 'the dog was tired .' });
  assert.deepEqual(marked(page, 'flip'), [], 'no pair has this sentence');
});

test('keys step from word to word; Shift, Ctrl and a drag select several', async () => {
  const page = await open(encoderTokens, 'model=creek&row=12&key=1');
  await page.press('.tokens', 'Home');
  assert.deepEqual([page.state().cursor.row, brush(page)], [0, []]);
  await page.press('.tokens', 'ArrowRight');
  assert.equal(page.state().cursor.row, 1);
  /** @param {number} at @param {string} type @param {object} [more] */
  const event = async (at, type, more = {}) => {
    const made = new /** @type {any} */ (document.defaultView).MouseEvent(type, { bubbles: true, ...more });
    tokens(page)[at].dispatchEvent(made);
    await page.show();
  };
  await event(3, 'click', { shiftKey: true });
  assert.deepEqual(brush(page), [1, 2, 3]);
  await event(2, 'click', { ctrlKey: true });
  assert.deepEqual(brush(page), [1, 3]);
  assert.deepEqual(marked(page, 'brushed'), ['creek', 'cold']);
  assert.equal(tokens(page)[1].getAttribute('aria-description'), 'selected with others');
  let over = 5;
  Reflect.set(document, 'elementFromPoint', () => tokens(page)[over]);
  await event(5, 'pointerdown', { buttons: 1 });
  for (over of [6, 9, 7]) await event(over, 'pointermove', { buttons: 1 });
  assert.deepEqual(brush(page), [5, 6, 7]);
  await event(over, 'pointermove', { buttons: 0 });
  await event(1, 'click');
  assert.deepEqual([brush(page), page.state().cursor.row], [[], 1]);
});
