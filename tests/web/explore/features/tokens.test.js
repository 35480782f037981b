// The sentence as a line of words: what each is called and marked as, and what a click or key selects.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOTHING, entryOf, setModel } from '../../../../web/models/catalogue.js';
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

/** Dispatches an event at a token. @param {Page} page @param {number} at @param {any} event */
async function happen(page, at, event) {
  tokens(page)[at].dispatchEvent(event);
  await page.show();
}
/** @param {string} type @param {object} [more] */
const mouse = (type, more) =>
  new /** @type {any} */ (document.defaultView).MouseEvent(type, { bubbles: true, cancelable: true, ...more });
/** @param {string} key @param {object} [more] */
const keydown = (key, more) =>
  new /** @type {any} */ (document.defaultView).KeyboardEvent('keydown', {
    key,
    bubbles: true,
    cancelable: true,
    ...more,
  });

test('each key: where it leads, what it selects; the others are the browser’s', async () => {
  for (const [at, key, more, row, brushed] of /** @type {[number, string, object, number, number[]][]} */ ([
    [5, 'ArrowLeft', {}, 4, []],
    [5, 'ArrowDown', {}, 6, []],
    [0, 'ArrowLeft', {}, 0, []],
    [13, 'ArrowRight', {}, 13, []],
    [5, 'End', {}, 13, []],
    [5, 'ArrowRight', { shiftKey: true }, 6, [5, 6]],
    [5, 'Home', { shiftKey: true }, 0, [0, 1, 2, 3, 4, 5]],
    [5, 'a', {}, -1, []],
    [5, 'ArrowLeft', { ctrlKey: true }, -1, []],
  ])) {
    const page = await open(encoderTokens, `model=creek&row=${at}&key=1`);
    const event = keydown(key, more);
    await happen(page, at, event);
    assert.equal(event.defaultPrevented, row >= 0, key);
    assert.equal(page.set.length, Number(row >= 0), key);
    assert.deepEqual([page.state().cursor.row, brush(page)], [row < 0 ? at : row, brushed], key);
    if (row >= 0) assert(document.activeElement === tokens(page)[row], key);
  }
  const page = await open(encoderTokens, 'model=creek&row=2&text=the+zebra+dog+was');
  await happen(page, 2, keydown('ArrowLeft'));
  assert.equal(page.state().cursor.row, 0, 'a word that is left out is no step');
  await page.press('.tokens', 'ArrowRight');
  assert.equal(page.state().cursor.row, 1, 'from the selected word, where none has the focus');
  const mirrored = await open(encoderTokens, `model=untrained&row=1&text=${encodeURIComponent('הכלב היה עייף')}`);
  assert.equal(mirrored.root.querySelector('.tokens')?.getAttribute('dir'), 'rtl');
  await happen(mirrored, 1, keydown('ArrowLeft'));
  assert.equal(mirrored.state().cursor.row, 2);
});

test('a drag starts with the first button alone, on a word that the model reads', async () => {
  let over = 6;
  /** @type {Page} */
  let page;
  Reflect.set(document, 'elementFromPoint', () => tokens(page)[over] ?? null);
  for (const [more, isDrag] of /** @type {[object, boolean][]} */ ([
    [{}, true],
    ...['shiftKey', 'ctrlKey', 'metaKey'].map((held) => [{ [held]: true }, false]),
    [{ button: 2 }, false],
  ])) {
    page = await open(encoderTokens, 'model=creek&row=12&key=1');
    over = 6;
    await happen(page, 5, mouse('pointerdown', more));
    await happen(page, 5, mouse('pointermove', { buttons: 1 }));
    assert.deepEqual(brush(page), isDrag ? [5, 6] : [], JSON.stringify(more));
    const { length } = page.set;
    await happen(page, 5, mouse('pointermove', { buttons: 1 }));
    over = 99;
    await happen(page, 5, mouse('pointermove', { buttons: 1 }));
    over = 8;
    await happen(page, 5, mouse('pointermove', { buttons: 2 }));
    assert.equal(page.set.length, length, 'the same word, none, another button');
  }
  page = await open(encoderTokens, 'model=creek&row=2&text=the+zebra+dog+was');
  over = 3;
  await happen(page, 1, mouse('pointerdown'));
  await happen(page, 1, mouse('pointermove', { buttons: 1 }));
  assert.deepEqual(page.set, [], 'from a word that is left out');
  await happen(page, 3, mouse('pointerdown'));
  over = 2;
  await happen(page, 3, mouse('pointermove', { buttons: 1 }));
  assert.deepEqual(brush(page), [1, 2], 'rows of the map, not places in the line');
  assert.deepEqual(marked(page, 'brushed'), ['dog', 'was']);
});

test('a click with a key held never swaps; Meta is as Ctrl; another stack is selected alone', async () => {
  const [[, first]] = entryOf('creek')?.pair ?? assert.fail();
  const link = `model=creek&row=9&text=${encodeURIComponent(first)}`;
  for (const [held, selected] of /** @type {[string, number[]][]} */ ([
    ['shiftKey', [9, 10, 11]],
    ['ctrlKey', [11]],
    ['metaKey', [11]],
  ])) {
    const page = await open(encoderTokens, link);
    await happen(page, 11, mouse('click', { [held]: true }));
    assert.deepEqual([page.state().text, brush(page)], [first, selected], held);
  }
  const opening = await open(encoderTokens, link);
  await opening.change({ opening: 'flip' });
  assert.deepEqual(opening.all('[tabindex="0"]').length, 2, 'the word to swap is a stop of the opening');
  await opening.click('.flip');
  assert.equal(opening.state().opening, 'ask');
  const { length } = opening.set;
  await opening.click('.tokens');
  assert.equal(opening.set.length, length, 'between two words nothing is selected');
  const other = await open(encoderTokens, 'model=untrained&kind=encoder-decoder&attention=decoder&row=2&key=1');
  assert.deepEqual(
    [other.all('[aria-checked=true]'), other.all('[data-row], [data-key]'), other.all('[tabindex="0"]')],
    [[], [], ['The']],
  );
  await happen(other, 3, mouse('click', { shiftKey: true }));
  assert.deepEqual([other.state().selection.kind, other.state().cursor.row, brush(other)], ['encoder', 3, []]);
});

test('the first word is selected like any; only keys have the mark of one', async () => {
  const page = await open(encoderTokens, 'model=creek&row=3&key=1');
  await page.click('.token');
  assert.deepEqual([page.state().cursor.row, page.all('[aria-checked=true]')], [0, ['The']]);
  const link = 'model=translate&row=2&key=0&attention=';
  assert.deepEqual(marked(await open(decoderTokens, `${link}decoder`), 'key'), [], 'the start, which is no word here');
  const cross = 'model=untrained&kind=encoder-decoder&row=2&key=1&attention=cross';
  assert.deepEqual(marked(await open(decoderTokens, cross), 'key'), [], 'its rows are no keys');
  assert.equal(marked(await open(decoderTokens, cross.replace('cross', 'decoder')), 'key').length, 1);
});

test('a double click and the pencil lead to the box of these words', async () => {
  for (const [feature, link, id, count] of /** @type {[any, string, string, number][]} */ ([
    [encoderTokens, 'model=creek', 'text', 1],
    [decoderTokens, 'model=continue', 'text', 1],
    [encoderTokens, 'model=untrained&kind=encoder-decoder', 'text', 1],
    [decoderTokens, 'model=untrained&kind=encoder-decoder', 'target-text', 1],
    [decoderTokens, 'model=translate', '', 0],
    [encoderTokens, 'model=creek&text=qqq', 'text', 1],
  ])) {
    const page = await open(feature, link);
    assert.equal(page.all('.edit-sentence').length, count, link);
    if (!count) continue;
    for (const each of ['text', 'target-text']) {
      const box = document.createElement('textarea');
      box.id = each;
      document.body.append(box);
    }
    for (const act of [() => happen(page, 0, mouse('dblclick')), () => page.click('.edit-sentence')]) {
      /** @type {HTMLElement} */ (document.activeElement).blur();
      await act();
      assert.equal(document.activeElement?.id, id, link);
    }
  }
});

test('marks that close, parts of a word, special tokens, and signs of another direction', async () => {
  const page = await open(encoderTokens, 'model=untrained&text=Wait+%2C+no+%21+%29+%28+end');
  assert.deepEqual(
    page.all('.together'),
    ['Wait ,', 'no ! )'].map((each) => each.replaceAll(' ', '')),
  );
  assert.deepEqual(marked(page, 'close'), [',', '!', ')']);
  assert.deepEqual(
    tokens(page).map((token) => token.querySelector('bdi')?.getAttribute('dir')),
    ['auto', 'ltr', 'auto', 'ltr', 'ltr', 'ltr', 'auto'],
  );
  const alone = await open(encoderTokens, 'model=untrained&text=%2C+no');
  assert.deepEqual([alone.all('.together'), marked(alone, 'close')], [[], [',']]);
});

test('the focus stays at the selected word when another part of the page selects one', async () => {
  const page = await open(encoderTokens, 'model=creek&row=3&key=1');
  tokens(page)[3].focus();
  await page.change({ cursor: { ...page.state().cursor, row: 7 } });
  assert(document.activeElement === tokens(page)[7]);
  /** @type {HTMLElement} */ (document.activeElement).blur();
  await page.change({ cursor: { ...page.state().cursor, row: 4 } });
  assert(document.activeElement === document.body, 'it is not taken from elsewhere');
  const [[, first]] = entryOf('creek')?.pair ?? assert.fail();
  await page.change({ text: first });
  const flip = tokens(page)[11];
  flip.focus();
  await page.change({ cursor: { ...page.state().cursor, row: 5 } });
  assert(document.activeElement === flip, 'the word to swap keeps it');
});

test('the strip scrolls until the selected word is in sight', async (t) => {
  /** @type {(() => void)[]} */
  const frames = [];
  t.mock.method(globalThis, 'requestAnimationFrame', (/** @type {() => void} */ call) => frames.push(call));
  const page = await open(encoderTokens, 'model=creek&row=3&key=1');
  for (const call of frames.splice(0)) call();
  const list = /** @type {HTMLElement} */ (page.root.querySelector('.tokens'));
  /** @type {any[]} */
  const scrolls = [];
  Reflect.set(list, 'scrollTo', (/** @type {any} */ where) => scrolls.push(where));
  /** @param {HTMLElement} element @param {Record<string, number>} sizes */
  const lay = (element, sizes) => {
    for (const [name, value] of Object.entries(sizes))
      Object.defineProperty(element, name, { value, configurable: true });
  };
  lay(list, { offsetTop: 10, offsetLeft: 20, clientHeight: 50, clientWidth: 100, scrollTop: 30, scrollLeft: 40 });
  let row = 3;
  for (const [top, left, expected] of /** @type {[number, number, object][]} */ ([
    [50, 70, { top: 30, left: 40 }], // in sight
    [35, 50, { top: 25, left: 30 }], // before it
    [110, 190, { top: 60, left: 78 }], // behind it: its end, 110 − 10 + 10 − 50 and 190 − 20 + 8 − 100
  ])) {
    row += 1;
    lay(tokens(page)[row], { offsetTop: top, offsetLeft: left, offsetHeight: 10, offsetWidth: 8 });
    await page.change({ cursor: { ...page.state().cursor, row } });
    for (const call of frames.splice(0)) call();
    assert.deepEqual(scrolls.splice(0), [expected]);
  }
  await page.show();
  assert.equal(frames.length, 0, 'only where another word is selected');
});

test('parts of words and special tokens, of a tokenizer whose tokens have their spaces', async () => {
  setModel('parts', { label: { label: 'Parts', does: '' }, entry: { ...NOTHING, special: new Set([106]) } });
  const words = ['␣The', 'creek', 's', '.', 'abc', '␣dog', '狗', 'ab⋯', 'cd', '⋯'];
  /** @param {string[]} own */
  const strip = (own) => ({
    ...encoderTokens,
    render: (/** @type {any} */ context, /** @type {any} */ tools) => {
      const { plan } = context.result;
      const encoder = { words: own, ids: own.map((_, i) => 100 + i) };
      const result = { ...context.result, plan: { ...plan, model: 'parts', tokens: { ...plan.tokens, encoder } } };
      return encoderTokens.render({ ...context, result }, tools);
    },
  });
  const page = await open(strip(words), 'model=creek');
  assert.deepEqual(marked(page, 'broken'), ['creek', 's', 'ab⋯', 'cd']);
  assert.deepEqual(marked(page, 'spaced'), ['␣The', '␣dog']);
  assert.deepEqual(marked(page, 'special'), ['狗']);
  const facts = tokens(page).map((token) => token.title);
  assert.equal(facts[1], 'index 1, id 101, goes on with the word before');
  assert.equal(facts[6], 'index 6, id 106, special token');
  assert.equal(facts[4], 'index 4, id 104');
  // Scripts without spaces between words: whether a word goes on cannot be seen.
  const after = ['狗', 'ひ', 'カ', 'ไ', 'ລ', 'ក', 'မ', '(', 's', 'é', '7', '\u0301x'];
  const before = ['␣a', '␣7', '␣a\u0301', '␣a⋯'];
  const pairs = [...before, '␣('].flatMap((first) => after.flatMap((word) => [first, word]));
  const parts = after.slice(8);
  assert.deepEqual(
    marked(await open(strip(pairs), 'model=creek'), 'broken'),
    before.flatMap(() => parts),
  );
  assert.deepEqual(marked(await open(strip(['a', '␣b']), 'model=creek'), 'broken'), [], 'the first has none before it');
  const plain = await open(strip(words.map((word) => word.replace('␣', ''))), 'model=creek');
  assert.deepEqual(marked(plain, 'broken'), [], 'words of a list are whole');
});
