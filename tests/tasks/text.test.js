// A text of one's own: vocabulary, split, batches, scores, and the losses that its recipes reach. gpl.txt is the GNU
// GPL 3, verbatim, as it permits in its head. manual.txt is a chapter of Node's manual; its license stands beside it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { load } from 'glassformer';
import { makeText } from '../../src/tasks/index.js';
import { hashOf, rowsOf, take } from './helpers.js';

const GPL = readFileSync(new URL('gpl.txt', import.meta.url), 'utf8');
const MANUAL = readFileSync(new URL('manual.txt', import.meta.url), 'utf8');
const gf = await load({ variant: 'simd' });

/** A text of numbered words, each of them once. @param {number} count */
const numbered = (count) => Array.from({ length: count }, (_, i) => `w${i}`).join(' ');

describe('the vocabulary', () => {
  test('words written small and punctuation, the most frequent first; what has no place is [UNK]', () => {
    const text = 'The creek, the river. The Creek! '.repeat(20);
    const task = makeText(text, { length: 4 });
    assert.deepEqual(task.vocabulary.words, ['the', 'creek', ',', 'river', '.', '!']);
    const small = makeText(text, { length: 4, maxWords: 3 });
    assert.deepEqual(small.vocabulary.words, ['the', 'creek', '[UNK]']);
    assert.deepEqual([...small.encode('The deep creek')], [0, 2, 1]);
    assert.equal(small.decode([0, 2, 1]), 'the [UNK] creek');
    assert.throws(() => task.encode('deep'), { code: 'unknown', parameter: 'token', value: 'deep' });
    const odd = makeText('[UNK] a [UNK] b c '.repeat(20), { length: 4, maxWords: 3 });
    assert.deepEqual(odd.vocabulary.words, ['[unk]', 'a', '[UNK]']);
  });

  test('characters as they are, white space but for line ends as one space', () => {
    const task = makeText('Aä\t \u{1f98a}.  \r\n\n'.repeat(20), { level: 'characters', length: 4 });
    assert.deepEqual(task.vocabulary.words, ['A', 'ä', ' ', '\u{1f98a}', '.', '\n']);
    assert.equal(task.decode(task.encode('ä  \u{1f98a}\n')), 'ä \u{1f98a}\n');
  });
});

describe('split and batches', () => {
  test('no place of the text is both trained on and tested, and none but the ends is left out', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 90, max: 400 }),
        fc.integer({ min: 1, max: 8 }),
        fc.nat(9),
        (count, length, seed) => {
          const task = makeText(numbered(count), { length, maxWords: 500, batchSize: 64 });
          assert.equal(task.split.train + task.split.test, count);
          const place = (/** @type {number} */ id) => Number(task.vocabulary.token(id).slice(1));
          const placesIn = (batches) =>
            new Set(batches.flatMap(({ ids, labels }) => [...ids.data, ...labels.data].map(place)));
          const trained = placesIn(take(task.batches(seed), 100));
          const tested = placesIn(task.heldOut().map(({ batch }) => batch));
          assert.ok([...trained].every((at) => at < task.split.train));
          assert.ok([...tested].every((at) => at >= task.split.train));
          assert.ok(tested.size > task.split.test - length);
          assert.ok(trained.has(0) && trained.has(task.split.train - 1));
          assert.ok([...placesIn(task.seen().map(({ batch }) => batch))].every((at) => at < task.split.train));
        },
      ),
      { numRuns: 30, seed: 1 },
    );
  });

  for (const [name, text] of Object.entries({ manual: MANUAL, GPL })) {
    for (const [level, phrase] of /** @type {['words' | 'characters', number][]} */ ([
      ['words', 5],
      ['characters', 20],
    ])) {
      test(`${name} by ${level}: no ${phrase} of them held out as unseen are in a row that is trained on`, () => {
        const task = makeText(text, { level, heldOut: 'unseen' });
        const whole = task.encode(text).length;
        assert.equal(task.split.phrase, phrase);
        assert.equal(task.split.repeated, 0);
        assert.ok(task.split.test > 0.08 * whole && task.split.test < 0.11 * whole, `${task.split.test} of ${whole}`);
        assert.ok(task.split.train > 0.8 * whole && task.split.train < 0.92 * whole, `${task.split.train} of ${whole}`);
        const phrases = (/** @type {any[]} */ batches) =>
          batches.flatMap(({ ids, labels }) => {
            const last = rowsOf(labels).map((row) => row[row.length - 1]);
            return rowsOf(ids).flatMap((row, i) => {
              const all = [...row, last[i]];
              return Array.from({ length: all.length + 1 - phrase }, (_, at) => all.slice(at, at + phrase).join());
            });
          });
        const held = new Set(phrases(task.heldOut(0, { count: 1e5 }).map(({ batch }) => batch)));
        const trained = phrases([
          ...take(task.batches(1), 400),
          ...task.seen({ count: 1e5 }).map(({ batch }) => batch),
        ]);
        assert.equal(trained.filter((each) => held.has(each)).length, 0);
        const end = makeText(text, { level });
        assert.ok(end.split.repeated > 0.02 && end.split.repeated < 0.2, `${end.split.repeated}`);
      });
    }
  }

  test('a text that repeats itself is held out at its end, and says how much of that is trained on', () => {
    const song = 'The creek was cold and the dog was tired. '.repeat(60);
    const [unseen, end] = ['unseen', 'end'].map((heldOut) => makeText(song, /** @type {any} */ ({ heldOut })));
    assert.deepEqual(unseen.split, { train: 540, test: 60, phrase: 5, repeated: 1 });
    assert.deepEqual(unseen.split, end.split);
    assert.equal(hashOf(take(unseen.batches(1), 3)), hashOf(take(end.batches(1), 3)));
  });

  test('the end, held out by default, gives the batches of before', () => {
    assert.equal(hashOf(take(makeText(GPL).batches(1), 20)), '380484be5fd03eb6');
  });

  test('labels are the next tokens, the same for a seed, by step too', () => {
    const task = makeText(numbered(200), { length: 5, batchSize: 3, maxWords: 500 });
    const [batch] = take(task.batches(1), 1);
    assert.deepEqual(batch.ids.shape, [3, 5]);
    const labels = rowsOf(batch.labels);
    for (const [i, row] of rowsOf(batch.ids).entries())
      assert.deepEqual(
        labels[i],
        row.map((id) => id + 1),
      );
    assert.equal(hashOf([task.batch(0, 1)]), hashOf([batch]));
    assert.notEqual(hashOf([task.batch(0, 2)]), hashOf([batch]));
    assert.equal(
      task.heldOut(0, { count: 2 }).reduce((sum, { batch: { ids } }) => sum + ids.shape[0], 0),
      2,
    );
    assert.deepEqual(
      task.show(batch, 1).labels,
      labels[1].map((id) => `w${id}`),
    );
  });

  test('a row that a reader typed is asked of each next token', () => {
    const task = makeText(GPL, { length: 6, maxWords: 500 });
    const { batch, questions } = task.ask('You may copy [it] .');
    assert.deepEqual(task.show(batch, 0).words, ['you', 'may', 'copy', '[UNK]']);
    assert.deepEqual(task.show(batch, 0).labels, ['may', 'copy', '[UNK]', '.']);
    assert.deepEqual(
      questions.map(({ at, accepts, keys }) => [at, task.vocabulary.token(accepts[0]), keys]),
      ['may', 'copy', '[UNK]', '.'].map((word, at) => [at, word, at + 1]),
    );
    for (const text of ['', 'you', 'you '.repeat(8)]) {
      assert.throws(() => task.ask(text), { code: 'range', parameter: 'text', value: text, message: /2 to 7 words/ });
    }
    assert.throws(() => task.ask(/** @type {any} */ (7)), { code: 'type', parameter: 'text' });
  });

  test('bad texts and options are refused by name', () => {
    assert.throws(() => makeText(/** @type {any} */ (7)), { code: 'type', parameter: 'text', value: 7 });
    assert.throws(() => makeText('too short'), {
      code: 'range',
      parameter: 'text',
      value: 2,
      message: /at least 330 words/,
    });
    assert.throws(() => makeText('a '.repeat(500)), { code: 'range', parameter: 'text', value: 1 });
    assert.throws(() => makeText(GPL, { level: /** @type {any} */ ('lines') }), {
      code: 'unknown',
      parameter: 'level',
    });
    assert.throws(() => makeText(GPL, { heldOut: /** @type {any} */ ('none') }), {
      code: 'unknown',
      parameter: 'heldOut',
    });
    for (const [name, value] of Object.entries({ maxWords: 1, length: 0, batchSize: 0 })) {
      assert.throws(() => makeText(GPL, { [name]: value }), { code: 'range', parameter: name, value });
    }
    assert.throws(() => makeText(GPL).batches(-1), { code: 'range', parameter: 'seed' });
    assert.throws(() => makeText(GPL).heldOut(0, { count: 0 }), { code: 'range', parameter: 'count' });
  });
});

describe('scores', () => {
  test('one that knows the text has loss 0, a uniform one ln V', async () => {
    const task = makeText(numbered(200), { length: 5, maxWords: 500 });
    const predict = (/** @type {number} */ high) => (batch) => {
      const [B, T] = batch.ids.shape;
      const data = new Float32Array(B * T * 200);
      batch.labels.data.forEach((id, place) => (data[place * 200 + id] = high));
      return { logits: { data, shape: [B, T, 200] } };
    };
    assert.deepEqual(await task.score(predict(100)), { loss: 0, accuracy: 1, count: 15 });
    assert.ok(Math.abs((await task.score(predict(0))).loss - Math.log(200)) < 1e-12);
  });

  test('hardly a phrase of the test is in the training part: the losses are not of what was learned by heart', () => {
    const { split, encode } = makeText(MANUAL, { maxWords: 65536 });
    const ids = encode(MANUAL);
    const phrases = (/** @type {number} */ from, /** @type {number} */ to) =>
      Array.from({ length: to - from - 9 }, (_, i) => ids.slice(from + i, from + i + 10).join());
    const trained = new Set(phrases(0, split.train));
    const tested = phrases(split.train, ids.length);
    const share = tested.filter((phrase) => trained.has(phrase)).length / tested.length;
    assert.ok(share < 0.05, `${share} of the ten-word phrases`);
  });

  // Each level and each text once. Other texts gave by the same recipes: a licence of 34 kB (words: train 2.4-2.9, test
  // 5.6-7.0), a manual of 109 kB (words: test 4.15), characters (train 1.42, test 2.23); here ± 0.2.
  for (const [name, level, text, bounds] of [
    ['manual', 'characters', MANUAL, { train: [1.22, 1.62], test: [2.03, 2.43] }],
    ['GPL', 'words', GPL, { train: [2.4, 2.9], test: [5.6, 7] }],
  ]) {
    test(`${name}, ${text.length} characters, by ${level}: the recipe reaches ${JSON.stringify(bounds)}`, async (t) => {
      const task = makeText(text, { level });
      const model = gf.createModel({ ...task.config, seed: 0 });
      const trainer = model.trainer(task.trainer);
      while (trainer.steps < task.about.steps) trainer.step(task.batch(trainer.steps));
      const scores = { train: await task.score(model, task.seen()), test: await task.score(model) };
      const { loss } = trainer.loss(task.heldOut()[0].batch);
      assert.ok(Math.abs(loss - (await task.score(model, task.heldOut().slice(0, 1))).loss) < 1e-5);
      const ids = task.encode(level === 'words' ? 'the' : 'the ');
      const { newIds } = model.generateSync({ ids, maxTokens: 24, temperature: 0.7, seed: 1 });
      const { train, test: held } = scores;
      t.diagnostic(`train ${train.loss.toFixed(2)}, test ${held.loss.toFixed(2)}: ${task.decode(newIds)}`);
      for (const [part, [low, high]] of Object.entries(bounds)) {
        const { loss: own } = scores[/** @type {'train' | 'test'} */ (part)];
        assert.ok(own >= low && own <= high, `${part} ${own}`);
      }
      assert.ok(held.accuracy > 0.15 && train.accuracy > held.accuracy, `${held.accuracy}`);
      model.free();
    });
  }
});
