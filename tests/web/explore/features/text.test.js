// The text boxes: what they are called, what typing sets, and what is said of a text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { text } = await import('../../../../web/explore/features/text.js');

/** @typedef {Awaited<ReturnType<typeof open>>} Page */
/** @param {Page} page @param {string} [id] */
const box = (page, id = 'text') => /** @type {HTMLTextAreaElement} */ (page.root.querySelector(`#${id}`));
/** @param {Page} page */
const note = (page) => page.all('#text-note')[0];
/** Types with the caret at the end. @param {Page} page @param {string} words @param {string} [id] */
async function type(page, words, id) {
  box(page, id).value = words;
  box(page, id).setSelectionRange(words.length, words.length);
  await page.type(`#${id ?? 'text'}`, words);
}

test('the box is called by what the model reads; menus have none, an untrained target its own', async () => {
  for (const [link, label, boxes] of /** @type {[string, string, number]} */ ([
    ['model=creek', 'Sentence', 1],
    ['model=continue', 'Beginning of the story', 1],
    ['model=untrained', 'Sentence', 1],
    ['model=untrained&kind=encoder-decoder', 'Source sentence', 2],
  ])) {
    const page = await open(text, link);
    assert.deepEqual(page.all('label').slice(0, boxes), [label, 'Target sentence (for the decoder)'].slice(0, boxes));
    assert.equal(page.root.querySelectorAll('.text-field:not([hidden])').length, boxes, link);
    assert.equal(box(page).value, page.state().text);
    assert.deepEqual(page.needs(), []);
  }
  assert.equal((await open(text, 'model=translate')).text(), '');
});

test('typing sets the text and lets the model stop; the other box sets the target', async () => {
  const page = await open(text, 'model=continue&text=the+fox&written=5.6');
  await type(page, 'the dog');
  assert.deepEqual(page.set, [{ stop: true }, { text: 'the dog', written: [] }]);
  const two = await open(text, 'model=untrained&kind=encoder-decoder');
  await type(two, 'ein Hund', 'target-text');
  assert.deepEqual(two.set, [{ targetText: 'ein Hund' }]);
  await two.change({ text: 'a cat', targetText: 'eine Katze' });
  assert.deepEqual([box(two).value, box(two, 'target-text').value], ['a cat', 'eine Katze']);
});

test('an unknown word is named once it is finished, and replaced by the nearest known one', async (t) => {
  const page = await open(text, 'model=creek');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  await type(page, 'the creeek');
  assert.deepEqual([note(page), page.all('.suggestion')], ['', []], 'not while it is typed');
  t.mock.timers.tick(900);
  t.mock.timers.reset();
  const size = page.modelInfo.vocabulary.length.toLocaleString('en');
  assert.equal(note(page), `“creeek” is not in this model’s vocabulary (${size} tokens) and left out.`);
  assert.deepEqual(page.all('.suggestion'), ['creeek → creek?']);
  assert.equal(page.root.querySelector('.suggestion')?.getAttribute('aria-label'), 'Replace creeek by creek');
  await page.click('.suggestion');
  assert.equal(page.state().text, 'the creek');
  assert.deepEqual([note(page), page.all('.suggestion'), box(page).value], ['', [], 'the creek']);
  await type(page, 'the creeek ');
  assert.deepEqual(page.all('.suggestion'), ['creeek → creek?'], 'a space finishes it, too');
  const any = await open(text, 'model=untrained');
  await type(any, 'my creeek ');
  assert.deepEqual([note(any), any.all('.suggestion')], ['', []], 'an untrained model reads any word');
});

test('a text that is too long is cut where the page says it is', async () => {
  const page = await open(text, 'model=untrained');
  await type(page, 'on it '.repeat(5000));
  assert.equal(page.state().text.length, 20_000);
  assert.equal(box(page).value.length, 20_000);
  assert.match(
    note(page),
    /^The first 20,000 of 30,000 characters are kept; the rest is left out\. Only the first 512 /,
  );
  await type(page, 'on it ');
  assert.equal(note(page), '');
  const paste = new /** @type {any} */ (document.defaultView).Event('paste', { bubbles: true, cancelable: true });
  paste.clipboardData = { getData: () => 'goes and '.repeat(2 ** 20).slice(0, 2 ** 20) };
  box(page).dispatchEvent(paste);
  await page.show();
  assert(paste.defaultPrevented);
  assert.match(box(page).value, /^on it goes and goes/);
  assert.match(note(page), /^The first 20,000 of 1,048,582 characters are kept; the rest is left out\./);
});

test('Enter and Escape leave the box; what was typed before the code came is typed once it is there', async () => {
  const page = await open(text, 'model=creek&row=7&key=1');
  const { document: doc } = globalThis;
  doc.body.insertAdjacentHTML(
    'beforeend',
    '<div class="tokens-line"><button class="token" tabindex="0"></button></div>',
  );
  for (const key of ['Enter', 'Escape']) {
    box(page).focus();
    await page.press('#text', key);
    assert.equal(doc.activeElement?.className, 'token');
  }
  box(page).focus();
  const event = new /** @type {any} */ (doc.defaultView).Event('input', { bubbles: true });
  box(page).value = page.state().text.replace('creek', 'clever creek');
  box(page).dispatchEvent(event);
  for (let i = 0; i < 100 && page.state().cursor.row === 7; i++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual([page.state().cursor.row, page.state().cursor.key], [8, 2], 'the chosen words stay chosen');
  await type(page, `the ${page.state().text}`);
  assert.equal(page.state().cursor.row, 9);
});
