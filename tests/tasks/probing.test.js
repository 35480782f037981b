// The tasks by which sentences of the textbooks are tested: what a row asks, what is drawn, what a model makes of it.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { load } from 'glassformer';
import {
  IGNORE,
  facts,
  makeFacts,
  makeNeighbours,
  makeNextDigit,
  makePositions,
  makeReverseDecoder,
  neighbours,
  nextDigit,
  positions,
  reverseDecoder,
} from '../../src/tasks/index.js';
import { hashOf, rowKeys, rowsOf, take } from './helpers.js';

const gf = await load({ variant: 'simd' });
const TASKS = [reverseDecoder, neighbours, facts, positions, nextDigit];
/** Those that draw rows from all there are. */
const DRAWN = [reverseDecoder, neighbours, nextDigit];

describe('what is asked', () => {
  test('of an encoder–decoder: the digits in reverse, or again, after [BOS] and those said', () => {
    for (const copy of [false, true]) {
      const { sourceIds, targetIds, labels } = makeReverseDecoder({ length: 5, copy }).batch(3, 1);
      const [sources, read, right] = [sourceIds, targetIds, labels].map(rowsOf);
      sources.forEach((row, r) => {
        assert.deepEqual(right[r], copy ? row : [...row].reverse());
        assert.deepEqual(read[r], [10, ...right[r].slice(0, -1)]);
        assert(row.every((digit) => digit >= 0 && digit < 10));
      });
    }
  });

  test('of neighbours: the pair of both, in a vocabulary of pairs', () => {
    const task = makeNeighbours({ letters: 3, length: 5 });
    assert.deepEqual(task.outputVocabulary.words.slice(0, 4), ['aa', 'ab', 'ac', 'ba']);
    const batch = task.batch();
    rowsOf(batch.labels).forEach((row, r) => {
      const letters = rowsOf(batch.ids)[r];
      assert.deepEqual(row, [IGNORE, ...[1, 2, 3].map((at) => letters[at - 1] * 3 + letters[at + 1]), IGNORE]);
      const { words, labels } = task.show(batch, r);
      assert.equal(labels[2], words[1] + words[3]);
    });
  });

  test('of facts: each pair once, objects alike often, drawn by the seed, the same in every batch', () => {
    const task = makeFacts({ side: 6, objects: 9 });
    const [first, second] = take(task.batches(5), 2);
    assert.deepEqual(first, second);
    assert.equal(new Set(rowKeys(first)).size, 36);
    const counts = new Map();
    for (const [none, object] of rowsOf(first.labels)) {
      assert.equal(none, IGNORE);
      counts.set(object, (counts.get(object) ?? 0) + 1);
    }
    assert.deepEqual(
      [...counts.keys()].sort(),
      Array.from({ length: 9 }, (_, i) => 12 + i),
    );
    assert([...counts.values()].every((count) => count === 4));
    const held = task.heldOut(5);
    assert.deepEqual(held[0].batch, first);
    const { batch, questions } = task.ask('s2 r3', 5);
    const at = 6 + 2;
    assert.deepEqual(rowsOf(batch.ids), [rowsOf(first.ids)[at]]);
    assert.deepEqual(questions, [{ row: 0, at: 1, accepts: [rowsOf(first.labels)[at][1]], links: [0], keys: 2 }]);
  });

  test('of positions: the number of each place, one row', () => {
    const { ids, labels } = makePositions({ length: 4 }).batch(7, 9);
    assert.deepEqual([rowsOf(ids), rowsOf(labels)], [[[0, 1, 1, 1]], [[0, 1, 2, 3]]]);
    assert.equal(positions.heldOut(3).length, 1);
  });

  test('of the next digit: the one behind, of which rows hold one more', () => {
    const task = makeNextDigit({ length: 4 });
    const { batch, questions } = task.ask('31415');
    assert.deepEqual([rowsOf(batch.ids), rowsOf(batch.labels)], [[[3, 1, 4, 1]], [[1, 4, 1, 5]]]);
    assert.deepEqual(
      questions.map(({ keys }) => keys),
      [1, 2, 3, 4],
    );
    const drawn = task.batch();
    assert.deepEqual(
      rowsOf(drawn.ids).map((row) => row.slice(1)),
      rowsOf(drawn.labels).map((row) => row.slice(0, -1)),
    );
  });

  test('a row that a reader types is read as it is meant, or refused with what is', () => {
    assert.deepEqual(reverseDecoder.show(reverseDecoder.ask('12345678').batch, 0).labels, [...'87654321']);
    assert.deepEqual(neighbours.show(neighbours.ask('abcdefab').batch, 0).labels.slice(1, 3), ['ac', 'bd']);
    assert.equal(positions.show(positions.ask('aaaaaaaaa').batch, 0).labels[9], '9');
    assert.match(String(facts.show(facts.ask('s1 r8').batch, 0).labels[1]), /^o\d+$/);
    for (const [task, text, code] of [
      [reverseDecoder, '123', 'range'],
      [reverseDecoder, '1234567x', 'unknown'],
      [neighbours, 'abc', 'range'],
      [positions, 'aaa', 'range'],
      [positions, 'bbbbbbbbb', 'range'],
      [facts, 'r1 s1', 'range'],
      [facts, 's1 r99', 'unknown'],
      [facts, '', 'range'],
      [facts, 's1', 'range'],
      [facts, 's1 r8 s2', 'range'],
      [nextDigit, '12', 'range'],
    ])
      assert.throws(() => task.ask(text), { name: 'GlassformerError', code }, `${task.name} ${text}`);
    assert.throws(() => facts.ask('s1 r1', -1), { code: 'range', parameter: 'seed' });
  });
});

describe('what is drawn', () => {
  test('rows of the held-out set come from a stream of their own, another sample has others', () => {
    for (const task of DRAWN) {
      const of = (seed, given) => hashOf(task.heldOut(seed, given).map(({ batch }) => batch));
      const all = [of(1), of(2), of(1, { sample: 1 }), of(1, { sample: 2 })];
      assert.equal(new Set(all).size, 4, task.name);
      assert.equal(of(1), all[0]);
      const trained = new Set(take(task.batches(1), 20).flatMap(rowKeys));
      const held = task.heldOut(1).flatMap(({ batch }) => rowKeys(batch));
      assert.equal(held.length, 512);
      assert(held.filter((row) => trained.has(row)).length < 5, task.name);
    }
  });

  test('held-out rows come in batches of the size asked for, the same rows', () => {
    for (const task of DRAWN) {
      const [one, ...others] = task.heldOut(4, { count: 100, rows: 100 });
      assert.equal(others.length, 0);
      const parts = task.heldOut(4, { count: 100, rows: 30 });
      assert.deepEqual(
        parts.map(({ batch }) => batch.labels.shape[0]),
        [30, 30, 30, 10],
      );
      assert.deepEqual(
        parts.flatMap(({ batch }) => rowKeys(batch)),
        rowKeys(one.batch),
      );
      assert.equal(parts.flatMap(({ questions }) => questions).length, one.questions.length);
      assert.throws(() => task.heldOut(4, { rows: 0 }), { code: 'range', parameter: 'rows' });
    }
  });

  test('options are refused by name', () => {
    for (const [make, given, parameter] of [
      [makeReverseDecoder, { length: 0 }, 'length'],
      [makeReverseDecoder, { reverse: true }, 'reverse'],
      [makeReverseDecoder, { copy: 'no' }, 'copy'],
      [makeNeighbours, { letters: 27 }, 'letters'],
      [makeNeighbours, { length: 2 }, 'length'],
      [makeFacts, { side: 65 }, 'side'],
      [makeFacts, { objects: 0 }, 'objects'],
      [makePositions, { length: 1 }, 'length'],
      [makeNextDigit, { length: 1.5 }, 'length'],
    ])
      assert.throws(() => make(given), { name: 'GlassformerError', parameter });
    for (const task of [...DRAWN, facts, positions])
      assert.throws(() => task.heldOut(0, { sample: -1 }), { code: 'range', parameter: 'sample' });
  });
});

describe('what a model makes of it', () => {
  /** @param {any} task @param {object} changes of the configuration @param {number} steps */
  async function trained(task, changes, steps, seed = 0) {
    const model = gf.createModel({ ...task.config, ...changes, seed });
    const trainer = model.trainer(task.trainer);
    while (trainer.steps < steps) trainer.step(task.batch(trainer.steps, seed));
    const score = await task.score(model, task.heldOut(seed));
    model.free();
    return score;
  }

  for (const task of TASKS.filter((one) => one !== nextDigit)) {
    test(`${task.name} is learned in ${task.about.steps} steps, not at once`, async () => {
      assert.equal(task.isLearned(await trained(task, {}, 0)), false);
      const score = await trained(task, {}, task.about.steps);
      assert.equal(task.isLearned(score), true, String(score[task.about.measure]));
      assert.equal(score.heads.length, task.config.heads * task.config.layers);
      assert(score.best.mass > score.chance, `${score.best.mass} of ${score.chance}`);
    });
  }

  test('positions cannot be distinguished without a causal mask', async () => {
    const { accuracy } = await trained(positions, { causal: false }, positions.about.steps);
    assert.equal(accuracy, 0.2);
  });

  test('the next digit is guessed behind a causal mask, and seen without one', async () => {
    const guessed = await trained(nextDigit, {}, 200);
    assert.equal(nextDigit.isLearned(guessed), true);
    assert(guessed.accuracy > 0.07 && guessed.accuracy < 0.13, String(guessed.accuracy));
    const seen = await trained(nextDigit, { causal: false }, 200);
    assert.equal(nextDigit.isLearned(seen), false);
    assert(seen.accuracy > 0.9, String(seen.accuracy));
  });
});
