// The texts in which a model's neurons are looked for: which are given to the worker, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { giveOnce, giveOwn } from '../../../web/app/corpus.js';
import { entryOf, setModel } from '../../../web/models/catalogue.js';
import { readModel } from '../../../src/models/measure.mjs';

/** A page that keeps all that is sent to the worker, and counts how often it is shown anew. */
function page() {
  /** @type {any[]} */
  const posted = [];
  let shown = 0;
  return {
    posted,
    shown: () => shown,
    tools: /** @type {any} */ ({
      post: async (/** @type {any} */ each) => void posted.push(each),
      refresh: () => shown++,
    }),
  };
}

const creek = readModel('creek');
const info = /** @type {any} */ ({ name: 'creek', config: creek.config, vocabulary: creek.vocabulary });
const file = (/** @type {BlobPart} */ text, name = 'notes.txt') => new File([text], name);

test('a text of the reader’s: its sentences in the model’s words, and what they are called', async () => {
  const { posted, shown, tools } = page();
  await giveOwn(
    info,
    file('The dog was tired.\nIt was deep. ' + 'The cat sat on the mat. '.repeat(5) + '\n\n  zebra'),
    tools,
  );
  const id = (/** @type {string} */ words) => words.split(' ').map((word) => creek.vocabulary.indexOf(word));
  const [{ type, model, ids }] = posted;
  assert.deepEqual([type, model, shown()], ['corpus', 'creek', 1]);
  const mat = id('the cat sat on the mat .');
  assert.equal(ids.length, 2, 'short sentences together, up to 120 letters; nothing of a word that it does not know');
  assert.deepEqual(ids[0], [...id('the dog was tired . it was deep .'), ...mat, ...mat, ...mat].slice(0, 17));
  const said = 'pieces of notes.txt, without 1 word that this model does not know';
  assert.deepEqual([entryOf('creek')?.corpus?.said, entryOf('creek')?.corpus?.turn], [said, 1]);
  await giveOwn(info, file('the dog was tired .', 'b.md'), tools);
  assert.deepEqual([entryOf('creek')?.corpus?.said, entryOf('creek')?.corpus?.turn], ['pieces of b.md', 2]);
  delete entryOf('creek')?.corpus;
});

test('a long text: pieces from all of it, within 50,000 tokens; a large model reads 3,000', async () => {
  const { posted, tools } = page();
  const sentence = (/** @type {number} */ i) =>
    `The ${i % 2 ? 'dog' : 'cat'} sat on the mat near the creek because it was tired.`;
  const text = Array.from({ length: 20_000 }, (_, i) => sentence(i)).join('\n\n'); // 1.1 MB
  await giveOwn(info, file(text), tools);
  const tokens = posted[0].ids.flat().length;
  assert(tokens > 40_000 && tokens <= 50_000, `${tokens}`);
  assert.equal(entryOf('creek')?.corpus?.said, 'pieces from all parts of notes.txt');
  const large = { layers: 12, d_model: 768, d_ff: 3072, vocabulary: 50257 };
  await giveOwn({ ...info, config: { ...creek.config, ...large } }, file(text), tools);
  const few = posted[1].ids.flat().length;
  assert(few > 2_500 && few < 3_500, `${few}`);
  assert.equal(new Set(posted[1].ids.map(String)).size, 2, 'not its beginning alone');
  delete entryOf('creek')?.corpus;
});

test('no text, or none that the model knows, is refused by its name, and the corpus stays', async () => {
  const { posted, shown, tools } = page();
  for (const [given, message] of /** @type {[File, string][]} */ ([
    [file('', 'empty.txt'), 'empty.txt has no words that this model knows.'],
    [file('qqq zzz', 'other.txt'), 'other.txt has no words that this model knows.'],
    [file('the dog\0', 'photo.jpg'), 'photo.jpg is no text.'],
  ]))
    await assert.rejects(giveOwn(info, given, tools), { message });
  assert.deepEqual([posted, shown(), entryOf('creek')?.corpus], [[], 0, undefined]);
});

test('a model’s own corpus is given once, when it is asked for; the reader’s is cut by its tokenizer', async () => {
  const { posted, shown, tools } = page();
  const entry = /** @type {any} */ ({ ...entryOf('creek'), longest: 4 });
  entry.corpus = {
    said: 'rows',
    read: async () => [[1, 2], [], [3]],
    cut: async (/** @type {string} */ text) => [...text].map(Number),
  };
  setModel('given', { label: { label: 'Given', does: '' }, entry });
  const state = giveOnce('given', entry.corpus, info, tools);
  assert.deepEqual([state(), state(), posted.length], ['coming', 'coming', 0]);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(
    [state(), posted, shown()],
    ['here', [{ type: 'corpus', model: 'given', id: -1, ids: [[1, 2], [3]] }], 1],
  );
  const none = giveOnce('given', { said: '', read: () => Promise.reject(new Error('offline')) }, info, tools);
  none();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(none(), 'none');
  await giveOwn({ ...info, name: 'given' }, file('1234567'), tools);
  assert.deepEqual(posted[1].ids, [[1, 2, 3, 4]], 'no longer than the model reads');
  assert.deepEqual([entry.corpus.said, entry.corpus.state()], ['pieces of notes.txt', 'here']);
  setModel('given', null);
});
