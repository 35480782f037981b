// austen's books, and its run in sittings.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { BOOKS, chaptersOfBook, chaptersOfBooks } from '../../../src/models/austen/books.mjs';
import { EDITION } from '../../../src/models/austen/recipe.mjs';
import { trainAusten } from '../../../src/models/austen/sittings.mjs';
import { austen } from '../../../src/models/austen/train.mjs';
import { overAt } from '../../../src/models/sittings.mjs';

const licence = readFileSync('tests/tasks/gpl.txt', 'utf8').split('\n');
const LINES = 30; // of the licence in a chapter
const text = `A TITLE\n\n${Array.from(
  { length: Math.floor(licence.length / LINES) },
  (_, i) => `CHAPTER ${i + 1}\n\n${licence.slice(i * LINES, (i + 1) * LINES).join('\n')}`,
).join('\n\n')}`;

/** @param {any} t */
function folderOf(t) {
  const folder = mkdtempSync(join(tmpdir(), 'austen-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a book: its chapters alone, without the publisher’s words, a paragraph in a line', () => {
  const [whale, sawyer, holmes] = BOOKS.map(({ heading }) => heading);
  const given =
    '\uFEFFThe Project Gutenberg EBook\r\n\r\nCHAPTER 1. Loomings.\r\n\r\nCall me\r\n_Ishmael_.\r\n\r\nAha!\r\n';
  const end = '\r\nEpilogue\r\n\r\nThe end.\r\n\r\n\r\nEnd of Project Gutenberg’s Moby Dick\r\n\r\nCHAPTER 2. no\r\nno';
  assert.deepEqual(chaptersOfBook(given + end, whale), ['Call me Ishmael.\nAha!', 'The end.']);
  assert.deepEqual(chaptersOfBook('PREFACE\n\nno\n\nCHAPTER I\n\n"TOM!"\n\nCONCLUSION\n\nSO', sawyer), [
    '"TOM!"',
    'SO',
  ]);
  const two = "ADVENTURE I. A SCANDAL IN BOHEMIA\n\nI.\n\nTo him\n\nXII. THE ENGINEER'S THUMB\n\nI. said I.";
  assert.deepEqual(chaptersOfBook(two, holmes), ['To him', 'I. said I.']);
});

test('a folder of books: a missing or another file is refused, with how to get it', (t) => {
  const folder = folderOf(t);
  assert.throws(() => chaptersOfBooks(folder), /--books must be the folder with .*mobydick\.txt.*\napt-get download/s);
  const path = join(folder, BOOKS[0].path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, 'CHAPTER 1. Loomings.\n\nCall me Ahab.');
  assert.throws(() => chaptersOfBooks(folder), /mobydick\.txt must be the file of golang-\S+ \S+, its SHA-256 is/);
});

test('sittings give the bits of one sitting, and so does a decay; the stable part can go on after it', async (t) => {
  const folder = folderOf(t);
  const small = { d_model: 32, heads: 4, keyValueHeads: 2, d_ff: 48, layers: 2, vocabulary: 300, maxLength: 16 };
  const config = { ...EDITION.config, ...small };
  const trainer = { ...EDITION.trainer, learningRate: 3e-3 };
  const edition = { config, trainer, warmup: 10, rows: 4, length: 16, measureEvery: 40 };
  /** @type {string[]} */
  const lines = [];
  const shared = {
    text,
    books: ['A book. It has two sentences.'],
    log: (/** @type {string} */ line) => lines.push(line),
  };
  const go = (/** @type {any} */ given) => trainAusten(edition, { ...shared, ...given });
  const hashOf = async (/** @type {any} */ { model }) =>
    createHash('sha256')
      .update(await model.save())
      .digest('hex');
  const at = (/** @type {number} */ end) => (/** @type {number} */ step) => step === end;
  const [one, two] = ['one', 'two'].map((name) => join(folder, name));

  await assert.rejects(go({ run: one, decay: 20 }), /one is not there: a decay begins where the stable part is/);
  const whole = await go({ run: one, isOver: at(60) });
  await go({ run: two, isOver: at(25), workers: 1 });
  const resumed = await go({ run: two, isOver: at(60) });
  assert.equal(await hashOf(resumed), await hashOf(whole));
  assert.equal(await hashOf(whole), '6117b30c5385650894be7bc46981de1fcc2bf7b58c58d6ef2a00afb6d888bd53');
  assert.deepEqual(
    [whole, resumed].map(({ moments }) => moments.map(({ step }) => step)),
    [[40], [40]],
  );
  assert.match(lines[0], /^\S+ step 40: held out \d\.\d{4} bits a byte$/);
  assert.match(lines[1], /^\S+ step 60: loss \d\.\d{4} over 60 steps, \d+ tokens\/s$/);

  let isStopped = false;
  const stopped = (/** @type {number} */ step) => {
    if (step === 1) setImmediate(() => (isStopped = true)); // as a signal comes
    return isStopped || step === 60;
  };
  assert.equal((await go({ run: join(folder, 'three'), isOver: stopped })).recipe.steps, 2);

  const stable = readFileSync(two);
  const decayed = await go({ run: one, decay: 20 });
  await go({ run: two, decay: 20, isOver: at(70) });
  const other = await go({ run: two, decay: 20 });
  assert.deepEqual([other.recipe.steps, other.isWhole, whole.isWhole], [80, true, false]);
  assert.equal(await hashOf(other), await hashOf(decayed));
  assert.notEqual(await hashOf(other), await hashOf(whole));
  assert.deepEqual(readFileSync(two), stable);
  await assert.rejects(go({ run: two, decay: 30 }), /two\.decay is a run of another recipe/);
  await assert.rejects(go({ run: two, seed: 1 }), /two is a run of another recipe/);
  copyFileSync(`${two}.decay`, one);
  await assert.rejects(go({ run: one }), /one is a run of another recipe/);
  assert.equal((await go({ run: two, isOver: at(65) })).recipe.steps, 65);
});

test('without its texts it says how to get them', async () => {
  await assert.rejects(austen({ text: 'nothing.txt' }), /--text must be the file of the six novels, is 'nothing\.txt'/);
  await assert.rejects(austen({ text: 'package.json' }), /--books must be the folder of three more novels.*apt-get/s);
});

test('a sitting ends at a time of the clock, the next one that comes', () => {
  let now = new Date(2026, 0, 31, 4, 30);
  const isOver = overAt('05:50', () => new Date(now));
  const isOverTomorrow = overAt('04:30', () => new Date(now));
  const at = (/** @type {number} */ day, /** @type {number} */ hour, /** @type {number} */ minute) => {
    now = new Date(2026, 0, day, hour, minute);
    return [isOver(), isOverTomorrow()];
  };
  assert.deepEqual(at(31, 4, 31), [false, false]);
  assert.deepEqual(at(31, 5, 50), [true, false]);
  assert.deepEqual(at(32, 4, 29), [true, false]);
  assert.deepEqual(at(32, 4, 30), [true, true]);
});
