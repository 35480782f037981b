// Marian's tokenizer: the pieces of SentencePiece, ids of vocab.json, language codes, and files that cannot be right.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { nfkcRules, writeCharsmap, writeSpm } from '../tokenizers/spm.js';

const gf = await load({ variant: 'simd' });
const folder = new URL('../checkpoints/marian-2l/', import.meta.url);
const bytesOf = (/** @type {string} */ name) => new Uint8Array(readFileSync(new URL(name, folder)));
const [config, weights, sourceSpm, targetSpm, vocab] = [
  ...['config.json', 'model.safetensors', 'source.spm', 'target.spm', 'vocab.json'],
].map(bytesOf);
const utf8 = new TextEncoder();
const jsonOf = (/** @type {unknown} */ json) => utf8.encode(JSON.stringify(json));
const open = (/** @type {object} */ files = {}) =>
  /** @type {Promise<any>} */ (gf.loadModel({ config, weights, sourceSpm, targetSpm, vocab, ...files }));

const PIECES = [
  ...[{ piece: '<unk>', score: 0, type: 2 }],
  ...['<s>', '</s>'].map((piece) => ({ piece, score: 0, type: 3 })),
  ...[{ piece: '<x>', score: 0, type: 4 }],
  ...Object.entries({ '▁': -3, a: -4, b: -4.5, c: -5, '▁a': -3.5, ab: -2, abc: -6, bc: -2.5, ca: -2.25, é: -5.5 }).map(
    ([piece, score]) => ({ piece, score }),
  ),
  ...[{ piece: 'éa', score: -1.5 }],
];
const CHARSMAP = { 'e\u0301': 'é', '\t': ' ', ﬁ: 'fi', '\u0007': '', 'ab\u0301': 'b' };
const TEXTS = ['abcab  ca', '  <x>a b<x>', 'e\u0301ab\u0301a', 'zq ab zzc🙂🙂 ', 'a\tb\u0007c', '<s> ▁a', ''];
/** Pieces of these by SentencePiece itself (@agnai/sentencepiece-js 1.1.1), spaces between. */
const CUT = /** @type {[Parameters<typeof writeSpm>[1], string[]][]} */ ([
  [{ kind: 1 }, ['▁a bc ab ▁ ca', '▁ <x> a ▁ b <x>', '▁ é b a', '▁ zq ▁ ab ▁ zz c 🙂🙂', '▁a ▁ bc', '▁ <s> ▁ ▁a', '']],
  [
    { kind: 1, addsPrefix: false },
    ['abc ab ▁ ca', '<x> a ▁ b <x>', 'é b a', 'zq ▁ ab ▁ zz c 🙂🙂', 'a ▁ bc', '<s> ▁ ▁a', ''],
  ],
  [
    { kind: 1, removesExtra: false },
    ['▁a bc ab ▁ ▁ ca', '▁ ▁ ▁ <x> a ▁ b <x>', '▁ é b a', '▁ zq ▁ ab ▁ zz c 🙂🙂 ▁', '▁a ▁ bc', '▁ <s> ▁ ▁a', ''],
  ],
  [{ kind: 2 }, ['▁ abc ab ▁ ca', '▁ <x> a ▁ b <x>', '▁ é b a', '▁ zq ▁ ab ▁ zz c 🙂🙂', '▁a ▁ bc', '▁ <s> ▁ ▁a', '']],
  [
    { kind: 2, removesExtra: false },
    ['▁ abc ab ▁ ▁ ca', '▁ ▁ ▁ <x> a ▁ b <x>', '▁ é b a', '▁ zq ▁ ab ▁ zz c 🙂🙂 ▁', '▁a ▁ bc', '▁ <s> ▁ ▁a', ''],
  ],
]);

/** A vocabulary of all that these texts are cut into. @param {string[]} cut */
const vocabOf = (cut) =>
  Object.fromEntries(['</s>', '<unk>', '<pad>', ...new Set(cut.join(' ').split(' '))].map((piece, id) => [piece, id]));

test('Unigram and BPE cut as SentencePiece itself, with its spaces, its charsmap and its own symbols', async () => {
  const charsmap = writeCharsmap(new Map(Object.entries(CHARSMAP)));
  for (const [how, cut] of CUT) {
    const spm = writeSpm(PIECES, { ...how, charsmap });
    const { tokenizer } = await open({ sourceSpm: spm, vocab: jsonOf(vocabOf(cut.filter(Boolean))) });
    assert.deepEqual(
      TEXTS.map((text) => tokenizer.encode(text, { special: false }).tokens.join(' ')),
      cut,
    );
  }
});

test('a charsmap of a real size, 18,000 rules, gives each letter its NFKC', async () => {
  const rules = nfkcRules();
  const charsmap = writeCharsmap(rules);
  assert.ok(rules.size > 18_000 && charsmap.length > 200_000, `${rules.size} rules, ${charsmap.length} bytes`);
  // No spaces, which SentencePiece would join.
  const letters = [...rules].filter(([, text]) => !/[ \u2581]/.test(text)).filter((_, i) => i % 7 === 0);
  const tokens = new Set(letters.flatMap(([, text]) => Array.from(text)));
  const pieces = [{ piece: '<unk>', score: 0, type: 2 }, ...Array.from(tokens, (piece) => ({ piece, score: -1 }))];
  const sourceSpm = writeSpm(pieces, { charsmap, addsPrefix: false });
  const { tokenizer } = await open({ sourceSpm, vocab: jsonOf(vocabOf([...tokens])) });
  for (const [letter, text] of letters)
    assert.equal(tokenizer.encode(letter, { special: false }).tokens.join(''), text, letter);
});

test('the source and the target have a tokenizer each, of the same ids', async () => {
  const { model, tokenizer, targetTokenizer } = await open();
  const said = JSON.parse(String(readFileSync(new URL('case.json', folder))));
  assert.deepEqual(tokenizer.encode(said.text).ids, said.ids);
  assert.deepEqual(targetTokenizer.encode(said.target).ids.slice(0, 6), said.decoderIds.slice(1));
  assert.equal(targetTokenizer.decode(targetTokenizer.encode(said.target).ids), said.target);
  const { padding } = tokenizer.encode(['It was cold.', `${said.text} ${said.text}`]);
  assert.deepEqual([padding[0][10], padding[0][11]], [0, 1]);
  assert.equal(model.tokenizer, tokenizer);
  assert.equal(model.targetTokenizer, targetTokenizer);
  assert.equal(tokenizer.label(tokenizer.id('▁the')), '␣the');
});

test('a text that is written comes whole in any parts, special tokens only where they are asked for', async () => {
  const { targetTokenizer: words } = await open();
  const ids = ['<pad>', '▁', '▁chien', '▁', '▁était', '<unk>', '▁L', 'e', '</s>', '▁'].map((token) =>
    words.has(token) ? words.id(token) : words.id('<unk>'),
  );
  const plain = words.decode(ids);
  assert.equal(plain, 'chien  étaite');
  assert.equal(words.decode(ids, { special: true }), '<pad> chien  était<unk> <unk> e</s>');
  for (let size = 1; size < ids.length; size++) {
    const { push, end } = words.decoder();
    let text = '';
    for (let at = 0; at < ids.length; at += size) text += push(ids.slice(at, at + size));
    assert.equal(text + end(), plain, `${size} at a time`);
  }
});

test('a language code counts in front of a text alone; an unknown one is an unknown token', async () => {
  const { tokenizer } = await open({ vocab: jsonOf({ ...JSON.parse(String(Buffer.from(vocab))), '>>fra<<': 150 }) });
  const { ids } = tokenizer.encode('the creek', { special: false });
  assert.deepEqual(tokenizer.encode('>>fra<< the creek', { special: false }).ids, [150, ...ids]);
  assert.deepEqual(tokenizer.encode('the >>fra<< creek', { special: false }).ids, ids);
  assert.deepEqual(tokenizer.encode('the >>fra<< >>deu<<\n>>a<< creek', { special: false }).ids, ids);
  assert.deepEqual(tokenizer.encode('>><< the creek', { special: false }).ids.slice(-ids.length), ids);
  assert.equal(tokenizer.encode('>>'.repeat(50_000)).ids.length, 3, 'in no time of the square of its length');
  assert.deepEqual(tokenizer.encode('>>deu<<the creek', { special: false }).ids, [tokenizer.id('<unk>'), ...ids]);
});

test('saved and opened again, as a folder and in our own format, the texts are the same', async () => {
  const { model, tokenizer } = await open();
  const text = 'The dog was at the deep creek.';
  const files = await model.save({ format: 'huggingface' });
  assert.deepEqual([files['source.spm'], files['target.spm'], files['vocab.json']], [sourceSpm, targetSpm, vocab]);
  assert.equal(files['tokenizer.json'], undefined);
  const own = await gf.loadModel(await model.save());
  for (const again of /** @type {any[]} */ ([own, own.model])) {
    assert.deepEqual(again.tokenizer.encode(text), tokenizer.encode(text));
    assert.deepEqual(again.targetTokenizer.encode(text), model.targetTokenizer?.encode(text));
  }
});

test('a file that cannot be right is refused by its name, one that is not read here leaves the ids', async () => {
  const piece = (/** @type {string} */ text, score = -1, type = 1) => ({ piece: text, score, type });
  const unk = piece('<unk>', 0, 2);
  const charsmap = writeCharsmap(new Map([['a', 'b']]));
  charsmap[charsmap.lastIndexOf(128) - 3] = 99; // where the text of its leaf begins
  const damaged = writeSpm([unk], { charsmap });
  for (const [files, at, why] of /** @type {[object, string, RegExp][]} */ ([
    [{ sourceSpm: sourceSpm.slice(0, 500) }, 'source.spm', /cut short/],
    [{ targetSpm: new Uint8Array(0) }, 'target.spm', /no pieces/],
    [{ sourceSpm: utf8.encode('<!doctype html>') }, 'source.spm', /cut short/],
    [{ sourceSpm: writeSpm([piece('a')]) }, 'source.spm', /one piece for what is unknown, got 0/],
    [{ sourceSpm: writeSpm([unk, piece('a'), piece('a')]) }, 'source.spm', /two of its pieces are the same/],
    [{ sourceSpm: writeSpm([unk, piece('a', NaN)]) }, 'source.spm', /piece 1 has no text, type or score/],
    [{ sourceSpm: writeSpm([unk, piece('a', 0, 9)]) }, 'source.spm', /piece 1 has no text, type or score/],
    [{ sourceSpm: writeSpm([unk], { charsmap: new Uint8Array(9) }) }, 'tokenizer', /charsmap is damaged/],
    [{ vocab: utf8.encode('[]') }, 'vocab.json', /must be an object of JSON/],
    [{ vocab: utf8.encode('{') }, 'vocab.json', /is no JSON/],
    [{ vocab: jsonOf({ '</s>': 0, '<unk>': 1 }) }, 'vocab.json', /lacks this token.*<pad>/],
    [{ vocab: jsonOf({ '</s>': 0, '<unk>': 0 }) }, 'vocab.json: "<unk>"', /has the id of/],
    [{ vocab: jsonOf({ '</s>': 0.5 }) }, 'vocab.json: "</s>"', /integer/],
  ]))
    await assert.rejects(open(files), (/** @type {any} */ error) => {
      assert.deepEqual([error.code, error.parameter], ['format', at], error.message);
      assert.match(error.message, why);
      return true;
    });
  const { tokenizer: bad } = await open({ sourceSpm: damaged });
  assert.throws(() => bad.encode('a'), { code: 'format', parameter: 'tokenizer' });
  for (const [files, why] of /** @type {[object, RegExp][]} */ ([
    [
      { sourceSpm: writeSpm([unk], { kind: 3 }) },
      /source\.spm: is not read here: it cuts neither by Unigram nor by BPE/,
    ],
    [{ tokenizerConfig: { separate_vocabs: true } }, /separate_vocabs: a vocabulary of the target/],
  ])) {
    const { model, notes, tokenizer } = await open(files);
    assert.match(notes.join(), why);
    assert.equal(tokenizer, undefined);
    assert.throws(() => model.forward('the creek'), why);
    model.free();
  }
});

test('a folder that lacks one of the files opens without texts, and says which', async () => {
  const names = ['config.json', 'model.safetensors', 'source.spm', 'vocab.json'];
  const files = names.map((name) => new File([/** @type {any} */ (bytesOf(name))], name));
  const { notes, tokenizer } = /** @type {any} */ (await gf.loadModel(files));
  assert.equal(tokenizer, undefined);
  assert.match(notes.join(), /target\.spm/);
});
