// spanish: verses without their markup, its tokens and batches, and the scores against sacreBLEU's published values.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { load } from 'glassformer';
import { loadTokenizer } from 'glassformer/tokenizers';
import { dictionaryOf, wordByWord } from '../../../src/models/spanish/dictionary.mjs';
import { EDITION, Pairs, tokenizerOf } from '../../../src/models/spanish/recipe.mjs';
import { bleu, chrf, tokens13a } from '../../../src/models/spanish/scores.mjs';
import { spanish } from '../../../src/models/spanish/train.mjs';
import { numberedIn, plain, versesOf } from '../../../src/models/spanish/verses.mjs';

const near = (/** @type {number} */ value, /** @type {number} */ expected, tolerance = 1e-6) =>
  assert(Math.abs(value - expected) < tolerance, `${value}, not ${expected}`);

test('BLEU is sacreBLEU’s: its own examples and their published scores', () => {
  const written = ['The dog bit the man.', "It wasn't surprising.", 'The man had just bitten him.'];
  const references = [
    ['The dog bit the man.', 'The dog had bit the man.'],
    ['It was not unexpected.', 'No one was surprised.'],
    ['The man bit him first.', 'The man had bitten the dog.'],
  ];
  near(bleu(written, references), 48.530827);
  assert.equal(bleu(['', '', ''], references), 0);
  near(bleu(['this is a test'], [['this is a test']]), 100);
  assert.deepEqual(tokens13a('“A 1,000-fold, no.” &amp; 3.5'), [
    '“A',
    '1,000',
    '-',
    'fold',
    ',',
    'no',
    '.',
    '”',
    '&',
    '3.5',
  ]);
});

test('chrF is sacreBLEU’s: its own examples and their published scores, with its β of 3', () => {
  const scored = (/** @type {string[]} */ own, /** @type {string[]} */ other) => chrf(own, other, { beta: 3 });
  near(scored(['a'], ['a']), 100);
  near(scored([''], ['reference']), 0);
  near(scored(['a b c'], ['abc']), 100);
  near(scored(['a', 'b'], ['a', 'c']), 50);
  near(scored(['aa'], ['ab']), 25);
  near(
    scored(
      [' Die    Beziehung zwischen  Obama und Netanjahu ist nicht gerade  freundlich. '],
      ['Das Verhältnis zwischen Obama und Netanyahu ist nicht gerade freundschaftlich.'],
    ),
    64.1302698,
  );
  near(
    scored(
      [
        ' risk assessment must be made of those who are qualified and expertise in the sector - ' +
          'these are the scientists .',
      ],
      [
        'risk assessment has to be undertaken by those who are qualified and expert in that area - ' +
          'that is the scientists .',
      ],
    ),
    63.36173,
  );
});

const entry = (/** @type {string} */ at, /** @type {string} */ text) => `$$$${at}\n${text}\n`;
const english = [
  entry('[ Module Heading ]', ''),
  entry('Genesis 1:0', '<chapter n="1"/>'),
  entry(
    'Genesis 1:1',
    '<w lemma="strong:H0430">In</w> the beginning, <w lemma="strong:H0430">God</w><note placement="foot">1:1 ' +
      '<b>Elohim</b>.</note><w lemma="strong:H1254">created</w> “God’s” earth .<div eID="a"/>',
  ),
  entry('Genesis 1:2', '<title>A title</title><l>The earth<l/> was empty.'),
  entry('Genesis 1:3', 'Only here'),
  entry('Ruth 1:1', 'It <w lemma="strong:H1">was</w> <w lemma="strong:H2">held out</w>.'),
  entry('Titus 1:1', 'It was watched.'),
].join('');
const other = [
  entry('Genesis 1:1', '<w lemma="strong:H1254">En el principio crió</w> <w lemma="strong:H0430">Dios</w> la tierra.'),
  entry('Genesis 1:2', 'Y la tierra estaba vacía.'),
  entry('Genesis 1:4', 'Falta'),
  entry('Ruth 1:1', '<w lemma="strong:H1">Fué</w> lo <w lemma="strong:H1">que</w> <w lemma="strong:H2">apartado</w>.'),
  entry('Titus 1:1', 'Fué mirado todo.'),
].join('');

test('verses: paired by their place, without notes, titles and marks, whole books held out', () => {
  const { learned, test: held, watched } = versesOf(english, other);
  assert.deepEqual(learned, [
    {
      at: 'Genesis 1:1',
      english: "In the beginning, God created God's earth.",
      spanish: 'En el principio crió Dios la tierra.',
    },
    { at: 'Genesis 1:2', english: 'The earth was empty.', spanish: 'Y la tierra estaba vacía.' },
  ]);
  assert.deepEqual(
    [...held, ...watched].map(({ at }) => at),
    ['Ruth 1:1', 'Titus 1:1'],
  );
  assert.deepEqual(held[0].links, [['held out', 'apartado']]);
  assert.equal(plain('a (<i>b</i> ) ¶ c'), 'a ( b ) c');
  assert.deepEqual(numberedIn('<w lemma="strong:H1254">En el principio crió</w> <w lemma="strong:H0430">Dios</w>'), [
    { number: 'H1254', text: 'En el principio crió' },
    { number: 'H0430', text: 'Dios' },
  ]);
});

test('its tokenizer ends each text and gives it back; a batch shifts targets and hides padding', async () => {
  const texts = ['the king saw the water', 'el rey vió el agua', 'the water', 'el agua'];
  const json = tokenizerOf(texts, 280);
  const tokenizer = await loadTokenizer(json);
  const { ids } = tokenizer.encode('the king saw el agua');
  assert.equal(ids.at(-1), 279);
  assert.equal(tokenizer.decode(ids, { special: false }), 'the king saw el agua');
  const verses = [0, 2].map((i) => ({ at: '', english: texts[i], spanish: texts[i + 1] }));
  const edition = { ...EDITION, config: { ...EDITION.config, vocabulary: 280 }, tokens: 40 };
  const pairs = new Pairs(verses, json, edition);
  assert.deepEqual(
    pairs.all.map(({ source }) => source),
    [texts[2], texts[0]].map((text) => [...tokenizer.encode(text).ids]),
  );
  const { sourceIds, sourcePadding, targetIds, targetPadding, labels } = pairs.batchOf(pairs.all);
  const rowOf = (/** @type {any} */ { data, shape }, /** @type {number} */ row) => [
    ...data.subarray(row * shape[1], (row + 1) * shape[1]),
  ];
  const [short, long] = pairs.all.map(({ target }) => target);
  assert.deepEqual(rowOf(targetIds, 1), [278, ...long.slice(0, -1)]);
  assert.deepEqual(rowOf(labels, 1), long);
  assert.deepEqual(rowOf(labels, 0), [...short, ...Array(long.length - short.length).fill(-100)]);
  assert.deepEqual(
    rowOf(targetPadding, 0),
    long.map((_, i) => Number(i >= short.length)),
  );
  assert.equal(sourceIds.shape[0], sourcePadding.shape[0]);
  assert.deepEqual(pairs.batch(3, 1), pairs.batch(3, 1));
  assert.notDeepEqual(pairs.batch(3, 1).sourceIds, pairs.batch(4, 1).sourceIds);
});

test('a dictionary learns from verses which word goes with which', () => {
  const say = (/** @type {string} */ a, /** @type {string} */ b) => ({ english: a, spanish: b });
  const verses = [say('the king', 'el rey'), say('the water', 'el agua'), say('king and water', 'rey y agua')];
  assert.equal(wordByWord(dictionaryOf(verses))('the water, and the sun.'), 'el agua, y el sun.');
});

test('without its texts it says how to get them', async () => {
  await assert.rejects(
    spanish({ english: 'nothing.imp' }),
    /--english and --spanish must be files, is 'nothing\.imp'\. To get them:\napt-get install libsword-utils/,
  );
});

/** Of web/models/spanish.safetensors: what `npm run train -- spanish` gives with its verses. */
const SHIPPED = '15abe6c6b2d2e2c4b93785822a0aebe5b98b2aa16e9bf6394559ab164c98d9cf';
/** @type {Record<string, string>} */
const WRITTEN = {
  'The men were afraid, and they cried to God.': 'Y temieron los hombres, y clamaron á Dios.',
  'The woman gave the bread to her son.': 'Y la mujer dió á su hijo pan.',
  'The king saw the water.': 'Y vió el rey el agua.',
};

test('the shipped file: its size, its start and end, what its card says, and what it writes', async () => {
  const bytes = readFileSync('web/models/spanish.safetensors');
  assert(bytes.length < 8e6, `${bytes.length}`);
  assert.equal(createHash('sha256').update(bytes).digest('hex'), SHIPPED);
  const gf = await load({ variant: 'simd' });
  const { model, tokenizer, targetTokenizer, recipe, endIds, rules, metadata } = /** @type {any} */ (
    await gf.loadModel(bytes)
  );
  assert.equal(model.targetTokenizer, tokenizer);
  assert.equal(targetTokenizer, undefined, 'one for both languages');
  assert.deepEqual([endIds, rules.start, rules.lengthPenalty], [[3999], 3998, 0.6]);
  assert.deepEqual([recipe.edition, recipe.config], [1, EDITION.config]);
  /** @type {import('../../../src/models/measure.mjs').Row[]} */
  const scores = JSON.parse(metadata.get('scores'));
  const value = (/** @type {string} */ name) => Number(scores.find((row) => row.name === name)?.value);
  assert(value('BLEU, greedy') > 1.5 * value('BLEU, word by word, a dictionary of the same verses'));
  assert(value('BLEU, beam of 4') > value('BLEU, greedy') + 1);
  assert(Math.abs(value('BLEU, beam of 16') - value('BLEU, beam of 4')) < 0.1, 'more beams give no more');
  const found = (/** @type {number} */ layer) =>
    value(`layer ${layer}: largest weight on the linked word, in the row that writes its translation`);
  assert(found(1) < 0.1 && found(2) < found(3) && found(3) > 0.6, 'words align in the last layer');
  for (const [english, spanish] of Object.entries(WRITTEN)) assert.equal((await model.generate(english)).text, spanish);
});
