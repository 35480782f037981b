import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { addition, additionParallel, heldOutPairs, makeAddition } from '../../src/tasks/index.js';
import { countBy, fits, perfect, rowsOf, take, uniform } from './helpers.js';

/** a, b and the sum that a batch's row says. */
function read(task, row, labels) {
  const text = row.map((id) => task.vocabulary.token(id)).join('');
  const [, a, b] = /^(\d+)\+(\d+)=/.exec(text);
  const sum = labels
    .filter((id) => id >= 0)
    .map((id) => task.vocabulary.token(id))
    .reverse()
    .join('');
  return { a: Number(a), b: Number(b), sum: Number(sum), text };
}
const sums = (task, batches) =>
  batches.flatMap(({ ids, labels }) => {
    const outputs = rowsOf(labels);
    return rowsOf(ids).map((row, i) => read(task, row, outputs[i]));
  });

describe('addition: layouts', () => {
  test('continued: 12+34= is followed by 640', () => {
    for (const batch of take(addition.batches(1), 20)) {
      const outputs = rowsOf(batch.labels);
      rowsOf(batch.ids).forEach((row, i) => {
        const { a, b, sum, text } = read(addition, row, outputs[i]);
        assert.equal(a + b, sum);
        const pad = (n) => String(n).padStart(2, '0');
        const reversed = [...String(sum).padStart(3, '0')].reverse().join('');
        assert.equal(text, `${pad(a)}+${pad(b)}=${reversed.slice(0, 2)}`);
        assert.deepEqual(
          outputs[i].map((id) => (id < 0 ? ' ' : addition.vocabulary.token(id))).join(''),
          `     ${reversed}`,
        );
      });
    }
    assert.deepEqual([addition.vocabulary.size, addition.kind, addition.config.causal], [13, 'decoder', true]);
  });

  test('parallel: the three blanks of 12+34=___ are filled', () => {
    const [batch] = take(additionParallel.batches(1), 1);
    const outputs = rowsOf(batch.labels);
    rowsOf(batch.ids).forEach((row, i) => {
      const { a, b, sum, text } = read(additionParallel, row, outputs[i]);
      assert.equal(a + b, sum);
      assert.match(text, /^\d\d\+\d\d=___$/);
    });
    assert.deepEqual([additionParallel.vocabulary.size, additionParallel.kind], [13, 'encoder']);
  });

  test('other sizes; bad options are refused', () => {
    const batch = makeAddition({ digits: 3 }).batches(1).next().value;
    assert.deepEqual(batch.ids.shape, [64, 11]);
    assert(sums(makeAddition({ digits: 3 }), [batch]).every(({ a, b, sum }) => a + b === sum));
    assert.throws(() => makeAddition({ digits: 4 }), { code: 'range', parameter: 'digits', value: 4 });
    assert.throws(() => makeAddition({ layout: 'columns' }), {
      code: 'unknown',
      parameter: 'layout',
      value: 'columns',
    });
  });
});

describe('addition: hold-out', () => {
  const held = heldOutPairs(2);
  const list = [...held.keys()].map((pair) => ({ a: Math.floor(pair / 100), b: pair % 100, held: held[pair] === 1 }));
  const trained = sums(
    addition,
    [1, 2].flatMap((seed) => take(addition.batches(seed), 1000)),
  );
  const asked = sums(
    addition,
    addition.heldOut(1).map(({ batch }) => batch),
  );

  test('a tenth of the pairs; none of them is ever trained on, nothing else is held out', () => {
    assert.equal(list.filter((pair) => pair.held).length, 1000);
    assert(trained.every(({ a, b }) => !held[a * 100 + b]));
    assert(asked.every(({ a, b }) => held[a * 100 + b]));
    assert.equal(asked.length, 512);
    assert.equal(new Set(asked.map(({ text }) => text)).size, 512);
    // 2000 batches show nearly all of the other 9000 pairs
    assert.equal(new Set(trained.map(({ a, b }) => a * 100 + b)).size, 9000);
    assert.deepEqual(heldOutPairs(2), held, 'a fixed table');
  });

  test('every residue class of the sum is in both splits, at its share', () => {
    for (let m = 2; m <= 20; m++) {
      const [out, kept] = [true, false].map((is) => list.filter((pair) => pair.held === is));
      const all = countBy(list, ({ a, b }) => (a + b) % m);
      assert.equal(Object.keys(countBy(out, ({ a, b }) => (a + b) % m)).length, m, `held out, mod ${m}`);
      assert.equal(Object.keys(countBy(kept, ({ a, b }) => (a + b) % m)).length, m, `trained, mod ${m}`);
      assert(
        fits(
          countBy(out, ({ a, b }) => (a + b) % m),
          all,
        ),
        `mod ${m}`,
      );
    }
    for (const rule of [
      ({ a }) => a % 10,
      ({ b }) => b % 10,
      ({ a }) => Math.floor(a / 10),
      ({ b }) => Math.floor(b / 10),
      ({ a, b }) => (a - b + 100) % 10,
    ]) {
      assert(
        fits(
          countBy(
            list.filter((pair) => pair.held),
            rule,
          ),
          uniform([...Array(10).keys()]),
        ),
      );
    }
    assert.equal(Object.keys(countBy(asked, ({ sum }) => sum % 10)).length, 10);
  });

  test('the trap: a linear hash of the operands is a rule about the sum', () => {
    const linear = list.filter(({ a, b }) => (a * 7919 + b * 104729) % 10 === 0);
    assert.deepEqual(
      Object.keys(countBy(linear, ({ a, b }) => (a + b) % 10)),
      ['0'],
      'it holds out all sums that end in 0',
    );
    const all = countBy(list, ({ a, b }) => (a + b) % 10);
    assert(
      !fits(
        countBy(linear, ({ a, b }) => (a + b) % 10),
        all,
      ),
      'the test above would see it',
    );
  });

  test('training draws the other pairs evenly', () => {
    const open = list.filter((pair) => !pair.held);
    assert(
      fits(
        countBy(trained, ({ a, b }) => a * 100 + b),
        uniform(open.map(({ a, b }) => a * 100 + b)),
      ),
    );
  });
});

describe('addition: scores', () => {
  for (const task of [addition, additionParallel]) {
    test(`${task.name}: perfect 1; links are the digits that make the asked one`, async () => {
      const heldOut = task.heldOut(2);
      const score = await task.score(perfect(heldOut, task === addition), heldOut);
      assert.deepEqual(
        [score.accuracy, score.sequences, score.count, score.best?.layer, score.best?.head],
        [1, 1, 3 * 512, 1, 1],
      );
      assert(Math.abs(score.heads[0].mass - score.chance) < 1e-6);
      const links = heldOut[0].questions.slice(0, 3).map((question) => [...question.links].sort());
      // 12+34=: units at 1 and 4, tens at 0 and 3
      assert.deepEqual(links, [
        [1, 4],
        [0, 1, 3, 4],
        [0, 3],
      ]);
    });
  }
});
