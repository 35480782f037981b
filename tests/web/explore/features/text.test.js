// The text boxes: what they are called, what typing sets, and what is said of a text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadTokenizer } from 'glassformer/tokenizers';
import { gf, open, openFolder } from '../table.js';

const { text } = await import('../../../../web/explore/features/text.js');
await import('../../../../web/explore/shared/target-field.js'); // so that it is there when a box asks for it
const { nearestWord } = await import('../../../../web/explore/shared/nearest.js');
const { replaceWord } = await import('../../../../web/engine/tokens.js');

/** @typedef {Awaited<ReturnType<typeof open>>} Page */
/** @param {Page} page @param {string} [id] */
const box = (page, id = 'text') => /** @type {HTMLTextAreaElement} */ (page.root.querySelector(`#${id}`));
/** @param {Page} page */
const note = (page) => page.all('#text-note')[0];
/** Types. @param {Page} page @param {string} words @param {string} [id] @param {number} [caret] else at the end */
async function type(page, words, id, caret = words.length) {
  box(page, id).value = words;
  box(page, id).setSelectionRange(caret, caret);
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
    await import('../../../../web/explore/shared/target-field.js'); // it comes with the first target
    await page.change({});
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
  await import('../../../../web/explore/shared/nearest.js'); // it comes with the first unknown word
  await page.change({});
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

/** Focuses the box, and waits for the code that comes with that. @param {Page} page */
async function come(page) {
  box(page).focus();
  await Promise.all([
    import('../../../../web/explore/shared/typing.js'),
    import('../../../../web/explore/shared/completion.js'),
    import('../../../../web/explore/shared/own-sentence.js'),
  ]);
  await new Promise(setImmediate);
}

/** Types a text and leaves the box. @param {string} words @param {string} [link] */
async function typeAndLeave(words, link = 'model=creek') {
  const page = await open(text, link);
  const before = page.state();
  await come(page);
  await type(page, words);
  box(page).blur();
  await page.show();
  return { page, before, choices: page.set.filter((each) => 'choose' in each) };
}

const LONG = 'the dog chased the cat and '.repeat(100);
const KINDS = /** @type {[kind: string, text: string, reader: 'creek' | 'austen' | RegExp][]} */ ([
  ['known words', 'The cat sat on the mat.', 'creek'],
  ['upper case', 'THE CAT SAT ON THE MAT.', 'creek'],
  ['one known word', 'dog', 'creek'],
  ['a full stop alone', '.', 'creek'],
  ['a hidden word', 'The [MASK] sat on the mat.', 'creek'],
  ['known words, very many', LONG, 'creek'],
  ['nothing', '', /^Type a sentence: there is no text yet\.$/],
  ['spaces alone', '  \t ', /^Type a sentence: there is no text yet\.$/],
  ['own words', 'My sister bought a bike because it was cheap.', 'austen'],
  ['names', 'Anna gave Bob the ball.', 'austen'],
  ['numbers', 'The dog ate 12 bones and 3.5 cats.', 'austen'],
  ['an emoji among known words', 'The dog 🐶 sat on the mat.', 'austen'],
  ['emoji of several parts alone', '👩‍👩‍👧 🇩🇪', 'austen'],
  ['German', 'Der Hund wollte nicht über den Bach springen, weil er müde war.', 'austen'],
  ['punctuation alone', '?! … —', 'austen'],
  ['from right to left', 'הכלב היה עייף', 'austen'],
  ['Chinese', '狗没有跳过小溪，因为它累了。', 'austen'],
  ['a word with an accent in two characters', 'The cafe\u0301 was cold.', 'austen'],
  ['markup and code', '<b>the dog</b> {x: 1}; // cat', 'austen'],
  ['an address', 'https://example.org/?q=dog', 'austen'],
  ['a slip', 'The creeek was cold.', 'austen'],
  ['a word of very many letters', `The ${'x'.repeat(2000)} dog.`, 'austen'],
  ['unknown words, very many', 'zebras and lions. '.repeat(800), 'austen'],
]);

test('an own sentence of each kind: a map of all of it, by the small model or by Austen, or one line', async () => {
  const { model, metadata } = await gf.loadModel(new URL('../../../../web/models/austen.safetensors', import.meta.url));
  const tokenizer = await loadTokenizer(JSON.parse(String(/** @type {any} */ (metadata).get('tokenizer'))));
  for (const [kind, words, reader] of KINDS) {
    const { page, before, choices } = await typeAndLeave(words);
    if (reader === 'austen') {
      assert.deepEqual(choices, [{ choose: 'austen', left: before }], kind);
      const ids = [...tokenizer.encode(words).ids];
      assert.equal(tokenizer.decode(ids), words, `${kind}: its tokens are the whole sentence`);
      const read = ids.slice(0, model.config.maxLength); // of more the page says so
      model.forward({ ids: read, capture: true });
      const { shape } = /** @type {any} */ (model.tensor('decoder.layers.0.self_attn.weights'));
      assert.deepEqual(shape.slice(-2), [read.length, read.length], kind);
      continue;
    }
    assert.deepEqual(choices, [], kind);
    if (typeof reader !== 'string') {
      assert.match(note(page), reader, kind);
      continue;
    }
    const { shown, ids } = /** @type {any} */ (page.result().plan.tokens.encoder);
    assert(ids.length && !shown.ids.includes(null), kind);
    assert.deepEqual(shown.ids, ids, kind);
    assert.match(
      note(page),
      kind.includes('many') ? /^Only the first 512 tokens are used; .*unreliable\.$/ : /^$/,
      kind,
    );
  }
  model.free();
});

test('while it is typed: a finished content word goes to Austen; a slip and a beginning do not', async () => {
  for (const [words, isGone, caret] of /** @type {[string, boolean, number?][]} */ ([
    ['The zebra', false],
    ['The zebra ', true],
    ['The clcreek was', false, 6], // before a word it is part of that until the space
    ['The clcreek was', true],
    ['The creeek was', false],
    ['The cre was', false],
    ['My ', false],
    ['The dog 🐶 ', false],
    ['Wien and ', true],
  ])) {
    const page = await open(text, 'model=creek');
    await come(page);
    await type(page, words, 'text', caret);
    assert.equal(
      page.set.some((each) => 'choose' in each),
      isGone,
      words,
    );
  }
});

test('Austen says which words the other model lacks, and leads back; a puzzle and a trail stay', async () => {
  const { page } = await typeAndLeave('My sister bought a bike.');
  assert.equal(page.all('.text-moved').length, 0, 'not before Austen is here');
  page.put({ model: 'austen' });
  await page.show();
  assert.equal(
    page.all('.text-moved')[0],
    'Pronouns does not know “My”, “sister”, and 3 more: Austen, a model of real English, reads your sentence. ' +
      'Back to Pronouns',
  );
  await page.change({ text: 'The dog was cold.' });
  assert.equal(page.all('.text-moved')[0], 'Pronouns knows all of these words. Back to Pronouns');
  await page.change({ text: ' ' });
  assert.equal(page.all('.text-moved').length, 0, 'an empty text is known by nobody');
  await page.change({ text: 'the dog' });
  await page.click('.text-moved button');
  assert.deepEqual(page.set.at(-1), { choose: 'creek' });
  assert.equal(page.all('.text-moved').length, 0);
  for (const link of ['model=creek&trail=x', 'model=creek&book=101', 'model=untrained'])
    assert.deepEqual((await typeAndLeave('My sister bought a bike.', link)).choices, [], link);
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

test('the nearest word by spelling, with the unknown one’s capital; none where half of it differs', async () => {
  const { vocabulary } = (await open(text, 'model=creek')).modelInfo;
  for (const [word, near] of [
    ['dgo', 'dog'],
    ['Creeek', 'Creek'],
    ['jumping', 'jump'],
    ['tird', 'tired'],
    ['bike', 'bone'],
    ['photosynthesis', null],
    ['a', null],
    ['MASK', 'Mat'],
  ])
    assert.equal(nearestWord(String(word), vocabulary), near, String(word));
  assert.equal(replaceWord('a bike, bikes and bike', 'bike', 'kite'), 'a kite, bikes and kite');
});

test('the label of a text that is a row of tokens; a second box for two stacks alone', async () => {
  await openFolder('bert-2l');
  const page = await open(text, 'model=bert-2l');
  // Its entry takes a prompt, too: tokens come first.
  assert.equal(page.all('#text-label')[0], 'Tokens');
  assert(page.root.querySelector('#target-field[hidden]'));
  assert((await open(text, 'model=translate')).root.querySelector('#texts[hidden] #target-field[hidden]'));
});

test('the pause begins anew with each key, and leaving the box ends the word at once', async (t) => {
  const page = await open(text, 'model=creek');
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const named = async (/** @type {number} */ after) => {
    t.mock.timers.tick(after);
    await new Promise((done) => setImmediate(done)); // a redraw may wait for a turn
    return page.all('.suggestion').length;
  };
  await type(page, 'the cree');
  assert.equal(await named(800), 0);
  await type(page, 'the creeek');
  assert.equal(await named(800), 0, 'since the last key');
  assert.equal(await named(100), 1);
  await type(page, 'the creeeek');
  assert.equal(await named(0), 0);
  const { FocusEvent } = /** @type {any} */ (document.defaultView);
  box(page).dispatchEvent(new FocusEvent('blur'));
  assert.equal(await named(0), 1, 'the reader has left');
  t.mock.timers.reset();
});

test('six words at most are suggested, in their order; a press on one keeps the focus', async () => {
  const page = await open(text, 'model=creek&text=photosynthesis+creeek');
  assert.deepEqual(page.all('.suggestion'), ['creeek → creek?'], 'the first is near none');
  const slips = ['creeek', 'dogg', 'coldd', 'wass', 'jumpp', 'overr', 'tiredd', 'andd'];
  await page.change({ text: slips.join(' ') });
  assert.deepEqual(
    page.all('.suggestion'),
    slips.slice(0, 6).map((slip) => `${slip} → ${slip === 'creeek' ? 'creek' : slip.slice(0, -1)}?`),
  );
  assert(!page.root.querySelector('#suggestions[hidden]'));
  const { MouseEvent } = /** @type {any} */ (document.defaultView);
  const press = new MouseEvent('mousedown', { bubbles: true, cancelable: true });
  page.root.querySelector('.suggestion')?.dispatchEvent(press);
  assert(press.defaultPrevented);
  await page.click('.suggestion:nth-child(2)');
  assert.equal(page.state().text, slips.join(' ').replace('dogg', 'dog'));
  assert.equal(document.activeElement?.id, 'text-note');
  await page.change({ text: 'the dog' });
  assert(page.root.querySelector('#suggestions[hidden]'));
});

test('a paste is the browser’s unless the text becomes too long', async () => {
  const page = await open(text, 'model=untrained');
  for (const [before, from, to, pasted, after] of /** @type {[number, number, number, number, string | null][]} */ ([
    [10, 10, 10, 19_990, null],
    [10, 0, 10, 20_000, null],
    [10, 10, 10, 19_991, `${'a'.repeat(10)}${'b'.repeat(19_990)}`],
    [20_000, 0, 5, 6, `${'b'.repeat(5)}${'a'.repeat(19_995)}`],
    [20_000, 3, 3, 1, 'a'.repeat(20_000)],
  ])) {
    box(page).value = 'a'.repeat(before);
    box(page).setSelectionRange(from, to);
    const paste = new /** @type {any} */ (document.defaultView).Event('paste', { bubbles: true, cancelable: true });
    const asked = /** @type {string[]} */ ([]);
    paste.clipboardData = { getData: (/** @type {string} */ type) => asked.push(type) && 'b'.repeat(pasted) };
    box(page).dispatchEvent(paste);
    await page.show();
    assert.deepEqual([paste.defaultPrevented, asked], [after !== null, ['text/plain']], `${before} ${pasted}`);
    assert(box(page).value === (after ?? 'a'.repeat(before)), `${before} ${pasted}`);
    const length = before - (to - from) + pasted;
    if (after) assert.match(note(page), new RegExp(`^The first 20,000 of ${length.toLocaleString('en')} characters`));
  }
  const { length } = page.set;
  const empty = new /** @type {any} */ (document.defaultView).Event('paste', { bubbles: true, cancelable: true });
  box(page).dispatchEvent(empty);
  assert.deepEqual([empty.defaultPrevented, page.set.length], [false, length], 'nothing to paste');
});

test('only Enter and Escape leave, each box for its own words, unless the list or a composition has them', async () => {
  const page = await open(text, 'model=untrained&kind=encoder-decoder');
  const lines = document.createElement('div');
  document.body.append(lines);
  const strips = [
    ['<div class="tokens-line" hidden><b class="token" tabindex="0">hidden</b></div>'],
    ['<div class="tokens-line"><b class="token" tabindex="-1">no</b><b class="token" tabindex="0">source</b></div>'],
    ['<div class="tokens-line" id="tokens-decoder"><b class="token" tabindex="0">target</b></div>'],
  ];
  const { KeyboardEvent } = /** @type {any} */ (document.defaultView);
  for (const [id, key, more, html, to] of /** @type {[string, string, object, string, string][]} */ ([
    ['text', 'Enter', {}, strips.join(''), 'source'],
    ['target-text', 'Escape', {}, strips.join(''), 'target'],
    ['text', 'a', {}, strips.join(''), ''],
    ['text', 'Enter', { isComposing: true }, strips.join(''), ''],
    ['text', 'Enter', { taken: true }, strips.join(''), ''],
    ['text', 'Enter', {}, '', 'none'],
  ])) {
    lines.innerHTML = html;
    box(page, id).focus();
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
    if ('taken' in more) event.preventDefault();
    box(page, id).dispatchEvent(event);
    assert.equal(event.defaultPrevented, Boolean(to) || 'taken' in more, `${id} ${key}`);
    const { activeElement } = document;
    if (to === 'none') assert(activeElement === document.body);
    else if (to) assert.equal(activeElement?.textContent, to);
    else assert(activeElement === box(page, id), `${key} ${JSON.stringify(more)}`);
  }
});
