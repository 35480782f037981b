// The button of the lessons and what fetches them: where it works, what it says, what a bare link begins.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lessons as all } from '../../../../web/lessons/index.js';
import { open } from '../table.js';

const place = { hash: '' };
const before = Object.getOwnPropertyDescriptor(globalThis, 'location');
Object.defineProperty(globalThis, 'location', { value: place, configurable: true });
/** As a new page has it: the book that it fetched is kept beside it. */
const NEW = '../../../../web/explore/features/lessons.js?new';
const { bookButton, lessons } = await import(NEW);
const root = document.documentElement;
const button = root.appendChild(document.createElement('button')); // the body is each page's
button.id = 'book-button';
after(() => {
  button.remove();
  delete root.dataset.place;
  if (before) Object.defineProperty(globalThis, 'location', before);
  else Reflect.deleteProperty(globalThis, 'location');
});
const pressed = () => button.getAttribute('aria-expanded');
const soon = () => new Promise(setImmediate);

test('the button opens the lessons in Explore, from Claims too, and leaves Train to its own', async () => {
  /** @type {any} */
  let state = { book: null };
  /** @type {object[]} */
  const set = [];
  const tools = /** @type {any} */ ({ get: () => state, set: (/** @type {object} */ patch) => set.push(patch) });
  bookButton.begin?.(tools);
  for (const [where, book, patches, hash] of /** @type {[string, number | null, object[], string][]} */ ([
    ['train', null, [], ''],
    ['train', 3, [], ''],
    ['explore', null, [{ book: 0 }], ''],
    ['explore', 3, [], ''],
    ['claims', null, [{ book: 0 }], '#/explore'],
    ['claims', 3, [{ book: 3 }], '#/explore'],
  ])) {
    [state, place.hash] = [{ book }, ''];
    set.length = 0;
    root.dataset.place = where;
    button.click();
    assert.deepEqual([set, place.hash], [patches, hash], `${where} ${book}`);
  }
  for (const [where, book, says] of /** @type {[string, number | null, string][]} */ ([
    ['explore', 0, 'true'],
    ['explore', null, 'false'],
    ['explore', 3, 'true'],
    ['claims', 3, 'false'],
    ['explore', 3, 'true'],
    ['train', null, 'true'],
  ])) {
    state = { book };
    root.dataset.place = 'left';
    await soon();
    if (where !== 'train') root.dataset.place = where;
    else {
      button.setAttribute('aria-expanded', 'true');
      root.dataset.place = where;
    }
    await soon();
    assert.equal(pressed(), says, `${where} ${book}`);
  }
  root.dataset.place = 'explore';
  await soon();
  assert.equal(pressed(), 'false', 'the reader comes back');
  assert.equal(bookButton.render?.(/** @type {any} */ ({ state: { book: null } }), tools), null);
  assert.deepEqual(lessons.needs?.(/** @type {any} */ ({})), []);
  assert.equal(lessons.blank?.(/** @type {any} */ ({}), tools), null);
  await soon();
});

/** Both, as on the page. @type {any} */
const both = {
  ...lessons,
  render(/** @type {any} */ context, /** @type {any} */ tools) {
    const history = { ...tools.history, swap: () => ({ past: [], future: [] }) };
    bookButton.render?.(context, { ...tools, history });
    return lessons.render(context, tools);
  },
};

test('a lesson of the address is fetched; a link with nothing else in it sets its state', async () => {
  place.hash = '#/explore?model=creek&book=101&row=3';
  const page = await open(both, 'model=creek&row=3');
  assert.deepEqual(page.set, []);
  const title = (/** @type {number} */ number) => all.find((each) => each.number === number)?.title;
  const begun = () => page.set.filter((patch) => 'text' in patch).length;
  let count = 0;
  for (const [number, link, begins] of /** @type {[number, string, boolean][]} */ ([
    [1, 'model=creek&book=1&row=3', false],
    [2, 'model=creek&book=2', true],
    [3, 'book=3&layout=page', true],
    [2, 'model=creek&book=2&text=a', false],
    [1, 'book=1', true],
    [2, 'book=', false],
  ])) {
    place.hash = `#/explore?${link}`;
    await page.change({ book: number });
    for (let i = 0; i < 100 && page.all('#book-title')[0] !== title(number); i++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await page.change({ cursor: { ...page.state().cursor } });
    }
    await soon();
    assert.equal(page.all('#book-title')[0], title(number));
    assert.equal(begun() > count, begins, link);
    count = begun();
  }
  assert.equal(pressed(), 'true');
  await page.change({ book: null });
  await soon();
  assert.equal(page.root.querySelector('#book:not([hidden])'), null);
  assert.equal(pressed(), 'false');
});
