// reverse, sort, copy, order, induction: what is asked, that held-out rows are never trained on, and the scores.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  copy,
  induction,
  makeCopy,
  makeInduction,
  makeReverse,
  makeReverseVariable,
  makeSort,
  order,
  reverse,
  reverseVariable,
  sort,
} from '../../src/tasks/index.js';
import { isReserved } from '../../src/tasks/split.js';
import { countBy, fits, perfect, rowKeys, rowsOf, take, uniform } from './helpers.js';

const TASKS = [reverse, reverseVariable, sort, copy, order, induction];
const pairs = (batches) =>
  batches.flatMap(({ ids, labels }) => {
    const outputs = rowsOf(labels);
    return rowsOf(ids).map((row, i) => [row, outputs[i]]);
  });

describe('what is asked', () => {
  test('reverse, sort, copy: of every digit', () => {
    const rules = [
      [reverse, (row) => [...row].reverse()],
      [sort, (row) => [...row].sort()],
      [copy, (row) => row],
    ];
    for (const [task, rule] of rules) {
      const rows = pairs(take(task.batches(1), 100));
      for (const [row, labels] of rows) assert.deepEqual(labels, rule(row), task.name);
      assert(
        fits(
          countBy(
            rows.flatMap(([row]) => row),
            (id) => id,
          ),
          uniform([...Array(10).keys()]),
        ),
        task.name,
      );
      assert.deepEqual(task.vocabulary.words, [...'0123456789']);
    }
    assert.deepEqual(makeSort({ length: 6 }).batches(1).next().value.ids.shape, [64, 6]);
    assert.deepEqual(makeCopy({ length: 3 }).batches(1).next().value.ids.shape, [64, 3]);
    assert.deepEqual(makeReverse({ length: 5 }).batches(1).next().value.ids.shape, [64, 5]);
  });

  test('reverse of 4 to 10 digits: [EOS] behind them, padding that is said, nothing asked there', () => {
    const batches = take(reverseVariable.batches(1), 100);
    assert.deepEqual(reverseVariable.vocabulary.words, ['[PAD]', '[EOS]', ...'0123456789']);
    const lengths = pairs(batches).map(([row, labels]) => {
      const n = row.indexOf(1);
      assert(row.slice(0, n).every((id) => id >= 2) && row.slice(n + 1).every((id) => id === 0));
      assert.deepEqual(labels, [...row.slice(0, n).reverse(), ...Array(11 - n).fill(-100)]);
      return n;
    });
    assert(
      fits(
        countBy(lengths, (n) => n),
        uniform([4, 5, 6, 7, 8, 9, 10]),
      ),
    );
    for (const { ids, padding } of batches)
      ids.data.forEach((id, i) => assert.equal(padding.data[i], Number(id === 0)));
  });

  test('order: one A, one B, four others; which comes first, at [CLS]', () => {
    const rows = pairs(take(order.batches(1), 100));
    assert.equal(order.vocabulary.size, 13);
    for (const [row, labels] of rows) {
      assert.equal(row[6], 12);
      assert.deepEqual(
        [row.filter((id) => id === 0).length, row.filter((id) => id === 1).length, row.length],
        [1, 1, 7],
      );
      assert.deepEqual(labels, [...Array(6).fill(-100), row.find((id) => id < 2)]);
    }
    assert(
      fits(
        countBy(rows, ([, labels]) => labels[6]),
        { 0: 1, 1: 1 },
      ),
    );
    assert(
      fits(
        countBy(rows, ([row]) => row.indexOf(0)),
        uniform([0, 1, 2, 3, 4, 5]),
      ),
    );
    const others = rows.flatMap(([row]) => row.filter((id) => id > 1 && id < 12));
    assert(
      fits(
        countBy(others, (id) => id),
        uniform([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
      ),
    );
  });

  test('induction: periods 3..8, asked from the second one on', () => {
    const rows = pairs(take(induction.batches(1), 120));
    const periods = rows.map(([row, labels]) => {
      const period = row.indexOf(row[0], 1);
      assert.equal(new Set(row.slice(0, period)).size, period, 'different letters');
      assert(row.every((id, at) => id === row[at % period] && id < 16));
      const whole = [...row, row[24 % period]];
      assert.deepEqual(
        labels,
        row.map((_, at) => (at >= period ? whole[at + 1] : -100)),
      );
      return period;
    });
    assert(
      fits(
        countBy(periods, (p) => p),
        uniform([3, 4, 5, 6, 7, 8]),
      ),
    );
    const { d_ff, causal, positions, maxLength } = induction.config;
    assert.deepEqual([d_ff, causal, positions, maxLength, induction.vocabulary.size], [64, true, 'learned', 24, 16]);
  });

  test('bad options are refused by name and value', () => {
    for (const make of [makeCopy, makeSort, makeReverse]) {
      for (const length of [0, 65, 2.5])
        assert.throws(() => make({ length }), { code: 'range', parameter: 'length', value: length });
      assert.throws(() => make({ length: '8' }), { code: 'type', parameter: 'length' });
      assert.throws(() => make({ lenght: 8 }), { name: 'GlassformerError', code: 'unknown', parameter: 'lenght' });
      assert.throws(() => make(null), { code: 'type', parameter: 'options' });
    }
    assert.throws(() => makeReverseVariable({ shortest: 11 }), { code: 'range', parameter: 'shortest', value: 11 });
    assert.throws(() => makeInduction({ longest: 17 }), { code: 'range', parameter: 'longest' });
    assert.throws(() => makeInduction({ length: 8 }), { code: 'range', parameter: 'length' });
    assert.throws(() => makeInduction({ norm: 'pre' }), { code: 'unknown', parameter: 'norm' });
    assert.throws(() => sort.batches(-1), { code: 'range', parameter: 'seed', value: -1 });
    assert.throws(() => sort.heldOut(0, { count: 0 }), { code: 'range', parameter: 'count', value: 0 });
    assert.throws(() => sort.heldOut(0, { size: 5 }), { code: 'unknown', parameter: 'size' });
  });
});

describe('held-out', () => {
  for (const task of TASKS) {
    test(`${task.name}: 512 rows that no seed trains on`, () => {
      const heldOut = task.heldOut(1);
      const held = heldOut.flatMap(({ batch }) => rowKeys(batch));
      assert.equal(held.length, 512);
      const trained = [1, 2].flatMap((seed) => take(task.batches(seed), 300)).flatMap(rowKeys);
      const seen = new Set(trained);
      assert(held.every((key) => !seen.has(key)));
      assert.deepEqual(task.heldOut(1), heldOut, 'fixed');
      assert.notDeepEqual(task.heldOut(2), heldOut);
      assert.notDeepEqual(task.heldOut(1, { sample: 1 }), heldOut);
    });
  }

  test('short rows too: of the 10 000 rows of 4 digits a tenth is reserved, and all the others are trained on', () => {
    const task = makeReverse({ length: 4 });
    const trained = new Set(take(task.batches(1), 2500).flatMap(rowKeys));
    const held = new Set(task.heldOut(1, { count: 20000 }).flatMap(({ batch }) => rowKeys(batch)));
    assert(Math.abs(held.size - 1000) < 130, `${held.size}`);
    assert.equal(trained.size + held.size, 10000);
  });

  test('is unbiased: digits, places, sums, lengths and labels are as in training', () => {
    const held = pairs(sort.heldOut(3, { count: 6000 }).map(({ batch }) => batch)).map(([row]) => row);
    for (const at of [0, 3, 7])
      assert(
        fits(
          countBy(held, (row) => row[at]),
          uniform([...Array(10).keys()]),
        ),
        `place ${at}`,
      );
    for (const m of [2, 3, 7, 10]) {
      const sums = Array.from({ length: m }, (_, i) => i);
      const odds = residues(m);
      assert(
        fits(
          countBy(held, (row) => row.reduce((a, b) => a + b) % m),
          Object.fromEntries(sums.map((i) => [i, odds[i]])),
        ),
        `sum mod ${m}`,
      );
    }
    const lengths = reverseVariable
      .heldOut(3, { count: 6000 })
      .flatMap(({ batch }) => rowsOf(batch.ids))
      .map((row) => row.indexOf(1));
    assert(
      fits(
        countBy(lengths, (n) => n),
        uniform([4, 5, 6, 7, 8, 9, 10]),
      ),
    );
    const labels = order
      .heldOut(3, { count: 6000 })
      .flatMap(({ batch }) => rowsOf(batch.labels))
      .map((row) => row[6]);
    assert(
      fits(
        countBy(labels, (id) => id),
        { 0: 1, 1: 1 },
      ),
    );
    const periods = induction
      .heldOut(3, { count: 6000 })
      .flatMap(({ batch }) => rowsOf(batch.ids))
      .map((row) => row.indexOf(row[0], 1));
    assert(
      fits(
        countBy(periods, (p) => p),
        uniform([3, 4, 5, 6, 7, 8]),
      ),
    );
  });

  /** Probabilities of the sum of 8 digits mod m. */
  function residues(m) {
    let odds = [1, ...Array(m - 1).fill(0)];
    for (let i = 0; i < 8; i++) {
      const next = Array(m).fill(0);
      odds.forEach((p, s) => {
        for (let d = 0; d < 10; d++) next[(s + d) % m] += p / 10;
      });
      odds = next;
    }
    return odds;
  }

  test('the hash that reserves is no rule about one place: single changes flip it a tenth of the time', () => {
    const base = [3, 1, 4, 1, 5, 9, 2, 6];
    const one = [];
    for (let x = 0; x < 10000; x++) {
      const ids = [...base];
      ids[x % 8] = Math.floor(x / 8);
      one.push(isReserved(ids));
    }
    assert(
      fits(
        countBy(one, (r) => r),
        { true: 0.1, false: 0.9 },
      ),
    );
    assert(!isReserved(base, 0) && isReserved(base, 1));
    assert.notEqual(countBy([[0], [0, 0], [0, 0, 0], [0, 0, 0, 0]], (ids) => isReserved(ids, 0.5)).true, 4);
  });
});

describe('scores', () => {
  for (const task of TASKS) {
    test(`${task.name}: perfect predictor and head score 1, uniform attention chance, a wrong one 0`, async () => {
      const heldOut = task.heldOut(1, { count: 130 });
      const causal = Boolean(task.config.causal);
      const score = await task.score(perfect(heldOut, causal), heldOut);
      assert.deepEqual([score.accuracy, score.sequences], [1, 1]);
      assert.equal(score.best.layer * 2 + score.best.head, 3);
      assert(Math.abs(score.best.mass - 1) < 1e-6);
      assert.equal(score.best.top1, 1);
      assert(Math.abs(score.heads[0].mass - score.chance) < 1e-6);
      const wrong = await task.score((batch) => ({ argmax: new Int32Array(batch.ids.data.length).fill(-1) }), heldOut);
      assert.deepEqual([wrong.accuracy, wrong.sequences, wrong.best], [0, 0, null]);
    });
  }

  test('chance is 1/8 on the diagonals of 8, 1.7/8 for sort', async () => {
    const of = async (task) => {
      const heldOut = task.heldOut(1);
      return (await task.score(perfect(heldOut), heldOut)).chance;
    };
    assert.equal(await of(reverse), 1 / 8);
    assert.equal(await of(copy), 1 / 8);
    assert(Math.abs((await of(order)) - 2 / 7) < 1e-9);
    // Each of the seven other digits equals the asked one with p = .1.
    assert(Math.abs((await of(sort)) - 1.7 / 8) < 0.005);
  });

  test('one wrong digit is a wrong row', async () => {
    const heldOut = reverse.heldOut(1, { count: 100 });
    const good = perfect(heldOut);
    const predict = (batch, request) => {
      const { argmax, maps } = good(batch, request);
      argmax[3] = (argmax[3] + 1) % 10; // in the first row of each batch: 64 + 36 rows
      return { argmax, maps };
    };
    const score = await reverse.score(predict, heldOut);
    assert.deepEqual([score.sequences, score.accuracy], [0.98, 798 / 800]);
  });

  test('logits are as good as their largest', async () => {
    const heldOut = copy.heldOut(1, { count: 10 });
    const predict = (batch) => {
      const data = new Float32Array(80 * 10).fill(-3);
      batch.ids.data.forEach((id, i) => {
        data[i * 10 + id] = -2;
      });
      return Promise.resolve({ logits: { data, shape: [10, 8, 10] } });
    };
    assert.equal((await copy.score(predict, heldOut)).accuracy, 1);
  });

  test('induction: links are the places after earlier copies; the previous-token score', async () => {
    const heldOut = induction.heldOut(1, { count: 20 });
    for (const { batch, questions } of heldOut) {
      const rows = rowsOf(batch.ids);
      for (const { row, at, links, accepts } of questions) {
        assert.deepEqual(
          links,
          [...rows[row].keys()]
            .filter((j) => j <= at && j > 0 && rows[row][j - 1] === rows[row][at])
            .concat(at + 1 === links.length ? [] : rows[row][0] === accepts[0] ? [0] : [])
            .sort((a, b) => a - b),
        );
      }
    }
    const T = 24;
    const previous = (batch) => {
      const [B] = batch.ids.shape;
      const data = new Float32Array(B * T * T);
      for (let b = 0; b < B; b++) for (let t = 1; t < T; t++) data[(b * T + t) * T + t - 1] = 1;
      return { argmax: new Int32Array(B * T), maps: [{ data, shape: [B, 1, T, T] }] };
    };
    const score = await induction.score(previous, heldOut);
    assert.deepEqual(score.previous.best, { layer: 0, head: 0, mass: 1, top1: 1 });
    const chance = Array.from({ length: T - 1 }, (_, i) => 1 / (i + 2)).reduce((a, b) => a + b) / (T - 1);
    assert(Math.abs(score.previous.chance - chance) < 1e-9);
    assert.equal(score.best.mass, 0);
  });
});
