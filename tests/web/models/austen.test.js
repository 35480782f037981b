// austen: its text, tokenizer and training, on a text of the repository in place of the novels, and its file.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { load } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';
import { encoderOf, piecesOf, trainTokenizer } from '../../../src/models/austen/bpe.mjs';
import { inductionOf } from '../../../src/models/austen/measure.mjs';
import { Ngrams } from '../../../src/models/austen/rivals.mjs';
import { Rows } from '../../../src/models/austen/recipe.mjs';
import { chaptersOf } from '../../../src/models/austen/text.mjs';

/** Of web/models/austen.safetensors: what `npm run train -- austen` gives with its novels. */
const SHIPPED = '7d9548a24ab7b57a65477a03f781093f31e6c2c8ea1bd33436876e5b788d1219';
const LINES = 30; // of the licence in a chapter
const licence = readFileSync('tests/tasks/gpl.txt', 'utf8').split('\n');
const chapters = Array.from({ length: Math.floor(licence.length / LINES) }, (_, i) =>
  licence.slice(i * LINES, (i + 1) * LINES).join('\n'),
);
const text = `A TITLE\n\n${chapters.map((each, i) => `CHAPTER ${i + 1}\n\n${each}`).join('\n\n')}`;

test('chapters: without title and headings, a paragraph in a line, one in twenty held out', () => {
  const { learned, heldOut } = chaptersOf(
    `PRIDE\n\nby\n\nChapter I.\n\nOne _two_\nthree.\n\n"Four."\n\nTHE END\n\nno\n${text}`,
  );
  assert.equal(learned[0], 'One two three.\n"Four."');
  assert.equal(learned.length + heldOut.length, chapters.length + 1);
  assert.equal(heldOut.length, Math.ceil((chapters.length + 1 - 10) / 20));
  assert.equal(heldOut[0], chaptersOf(text).learned[9]);
});

test('the tokenizer of a text cuts any text as loadTokenizer does with its file, and gives it back', async () => {
  const { learned } = chaptersOf(text);
  const json = trainTokenizer(learned, 400);
  assert.deepEqual(json.model.merges.slice(0, 3), ['Ġ t', 'Ġ a', 'Ġt h']);
  assert.throws(() => trainTokenizer(['ab ab'], 300), /no more than 25\d tokens, asked are 300/);
  const [tokenizer, encode] = [await loadTokenizer(json), encoderOf(json)];
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ unit: 'grapheme', minLength: 1 }), fc.constantFrom(...learned.filter(Boolean))),
      (each) => {
        const ids = piecesOf(each).flatMap((piece) => [...encode(piece)]);
        assert.deepEqual([...tokenizer.encode(each).ids], ids);
        assert.equal(tokenizer.decode(ids), each.toWellFormed?.() ?? each);
      },
    ),
  );
});

test('a row begins with a sentence, without the space before it', async () => {
  const json = trainTokenizer(
    ['Mr. A saw it. "No!" she said.\nSo it was. Then all went home again, and no more was said of it.'],
    260,
  );
  const tokenizer = await loadTokenizer(json);
  const rows = new Rows(
    ['Mr. A saw it. "No!" she said.\nSo it was. Then all went home again, and no more was said of it.'],
    json,
    8,
  );
  const begins = Array.from({ length: rows.count }, (_, i) => tokenizer.decode(rows.row(i)).trimEnd());
  assert.deepEqual(
    begins.map((each) => each.slice(0, 4)),
    ['Mr. ', '"No!', 'she ', 'So i', 'Then'],
  );
  assert.ok(Array.from({ length: rows.count }, (_, i) => rows.row(i)).every(({ length }) => length === 9));
});

test('counting: probabilities of every order add to 1, and what was seen is likelier', () => {
  const model = new Ngrams([[0, 1, 2, 0, 1, 3, 0, 1, 2]], 3, 5);
  for (const context of [[], [4], [0, 1], [3, 3]]) {
    const all = [0, 1, 2, 3, 4].map((id) => model.probability([...context, id], context.length));
    assert.ok(Math.abs(all.reduce((sum, each) => sum + each, 0) - 1) < 1e-12, String(context));
  }
  assert.ok(model.probability([0, 1, 2], 2) > model.probability([0, 1, 3], 2));
});

test('the shipped file: its tokenizer, size, scores; what it says of induction is so', async () => {
  const path = 'web/models/austen.safetensors';
  const file = readFileSync(path);
  assert.ok(file.length <= 8e6, `${file.length} bytes`);
  const gf = await load({ variant: 'simd' });
  const { model, metadata } = await gf.loadModel(file);
  const tokenizer = await loadTokenizer(JSON.parse(String(metadata.get('tokenizer'))));
  assert.equal(tokenizer.size, model.config.vocabulary);
  const scores = JSON.parse(String(metadata.get('scores')));
  const valueOf = (/** @type {RegExp} */ name) => scores.find((/** @type {any} */ row) => name.test(row.name)).value;
  assert.ok(valueOf(/held-out bits/) < valueOf(/gzip/) && valueOf(/held-out bits/) < valueOf(/5-gram/));
  const { heads, repeated } = inductionOf(model);
  assert.ok(Math.abs(Math.max(...heads) - valueOf(/behind the earlier occurrence/)) < 1e-4);
  assert.ok(Math.abs(repeated.second - valueOf(/where they are repeated/)) < 1e-3);
  assert.equal(createHash('sha256').update(file).digest('hex'), SHIPPED);
  model.free();
});
