// Texts as people see them: cut between letters, with signs for what is not seen, bytes joined to letters, and where a
// line of words begins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GlassformerError } from '../../src/js/errors.js';
import { indexByKey } from '../../web/draw/keys.js';
import { directionOf, sentenceOf } from '../../web/draw/sentence.js';
import { kept } from '../../web/engine/tokens.js';
import { fileName } from '../../web/export/file.js';
import { joinedLetters } from '../../web/app/own/tokenizer.js';
import { beginning, lettersOf, shortened, visible } from '../../web/kit/letters.js';

const FAMILY = '👨‍👩‍👧‍👦';

test('a cut leaves every letter whole: joined emoji, flags, skin tones, marks, Devanagari, Hangul', () => {
  for (const [text, most, cut] of /** @type {[string, number, string][]} */ ([
    [`ab${FAMILY}c`, 5, 'ab'],
    [`ab${FAMILY}c`, 13, `ab${FAMILY}`],
    [`${FAMILY}c`, 4, FAMILY], // the first one stays, or there would be nothing
    ['🇩🇪🇫🇷', 6, '🇩🇪'],
    ['👋🏽👋🏽', 5, '👋🏽'],
    ['cafe\u0301s', 4, 'caf'],
    ['क्षत्रिय', 4, 'क्ष'.length <= 4 ? 'क्ष' : ''],
    ['한국', 1, '한'],
    ['\ud83d\ude00', 1, '😀'],
    ['abc', 3, 'abc'],
    ['', 3, ''],
  ]))
    assert.equal(beginning(text, most), cut, `${text}, ${most}`);
  const pile = `Z${'\u0351'.repeat(500)}`;
  assert.equal(beginning(pile, 60).length, 64, 'marks that have no end are cut');
  assert.equal(shortened(`${'a'.repeat(8)}${FAMILY}`, 12), `${'a'.repeat(8)}…`);
  assert.equal(shortened(FAMILY, 11), FAMILY);
  assert.equal(kept(`${'a'.repeat(19_999)}${FAMILY}`), 'a'.repeat(19_999));
  assert.equal(fileName(`${'a'.repeat(79)}e\u0302x`), `${'a'.repeat(79)}ê`);
  assert.equal(fileName(`${'a'.repeat(79)}q\u0302x`), 'a'.repeat(79));
});

test('any text is cut at a border of its letters, and only there', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), fc.nat({ max: 40 }), (text, most) => {
      const cut = beginning(text, Math.max(1, most));
      assert(text.startsWith(cut) && cut);
      const borders = [...lettersOf(text)].map(({ index, segment }) => index + segment.length);
      assert(borders.includes(cut.length) || cut.length > 64);
    }),
  );
});

test('messages of the package end at a letter, too', () => {
  const { message } = new GlassformerError('type', 'text', `${'a'.repeat(58)}${FAMILY}`, 'must be short');
  assert.equal(message, `text: must be short, got "${'a'.repeat(58)}"`);
});

test('characters that print nothing have a sign, alone and inside a word; those that join letters have none', () => {
  for (const [word, shown] of [
    ['\n', '↵'],
    ['\r\n', '⏎↵'],
    ['a\tb', 'a⇥b'],
    [' ', '␣'],
    ['\u200b', 'U+200B'],
    ['\ud800', 'U+D800'],
    ['\u202eabc', '‹U+202E›abc'],
    ['\u2067def', '‹U+2067›def'],
    ['ghi\u2069', 'ghi‹U+2069›'],
    ['שלום\u200f', 'שלום‹U+200F›'],
    ['so\u00adft', 'so‹U+00AD›ft'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    [FAMILY, FAMILY],
    ['❤\ufe0f', '❤\ufe0f'],
    ['cafe\u0301', 'cafe\u0301'],
    ['New York', 'New York'],
  ])
    assert.equal(visible(word), shown);
});

test('a letter whose bytes tokens share stands on the first of them', () => {
  for (const [labels, shown] of [
    [
      ['<D7>', '<A9>', '<D7>', '<9C>'],
      ['ש', '⋯', 'ל', '⋯'],
    ],
    [
      ['a', '␣<D7>', '<A9>', 'b'],
      ['a', '␣ש', '⋯', 'b'],
    ],
    [
      ['<F0><9F>', '<98>', '<80>'],
      ['😀', '⋯', '⋯'],
    ],
    [
      ['<E2><82>', '<AC>'],
      ['€', '⋯'],
    ],
    [
      ['<D7>', '<A9><D7>', '<9C>'],
      ['ש', '⋯ל', '⋯'],
    ],
    [
      ['<D7>', '<A9>x'],
      ['ש', '⋯x'],
    ],
    [['<D7>'], ['<D7>']], // a letter that is not yet whole
    [
      ['<D7>', 'a'],
      ['<D7>', 'a'],
    ],
    [
      ['<C0>', '<80>'],
      ['<C0>', '<80>'],
    ], // no letter
    [
      ['<A9>', '<D7>'],
      ['<A9>', '<D7>'],
    ],
    [
      ['the', '␣dog'],
      ['the', '␣dog'],
    ],
  ])
    assert.deepEqual(joinedLetters(labels), shown);
  const bytes = (/** @type {string} */ text) =>
    [...new TextEncoder().encode(text)].map((byte) =>
      byte < 128 ? String.fromCharCode(byte) : `<${byte.toString(16).toUpperCase()}>`,
    );
  const plain = fc.string({ unit: 'binary' }).filter((text) => !/[<>⋯]|\p{Surrogate}/u.test(text));
  fc.assert(fc.property(plain, (text) => assert.equal(joinedLetters(bytes(text)).join('').replaceAll('⋯', ''), text)));
});

test('a line of words begins at the side of its first letter', () => {
  for (const [text, direction] of [
    ['The dog', 'ltr'],
    ['הכלב לא קפץ', 'rtl'],
    ['الكلب لم', 'rtl'],
    ['The word שלום means', 'ltr'],
    ['שלום means peace', 'rtl'],
    ['12 . שלום', 'rtl'],
    ['[CLS] הכלב [SEP]', 'rtl'],
    ['<|endoftext|> הכלב', 'rtl'],
    ['‹U+202E›שלום', 'rtl'],
    ['␣הכלב', 'rtl'],
    ['今天 天气', 'ltr'],
    ['1 2 3', 'ltr'],
    ['', 'ltr'],
  ])
    assert.equal(directionOf(text.split(' ')), direction, text);
  assert.equal(sentenceOf(['هل', 'هذا', '؟']), 'هل هذا؟');
});

test('arrow keys go where they point', () => {
  const to = (/** @type {string} */ key, /** @type {boolean} */ isMirrored) =>
    indexByKey(/** @type {any} */ ({ key }), 3, 9, isMirrored);
  const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'];
  assert.deepEqual(keys.map((key) => to(key, false)), [2, 4, 2, 4, 0, 9]); // prettier-ignore
  assert.deepEqual(keys.map((key) => to(key, true)), [4, 2, 2, 4, 0, 9]); // prettier-ignore
});
