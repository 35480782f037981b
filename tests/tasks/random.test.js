import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  GlassformerError,
  Random,
  examine,
  headScores,
  makeCopy,
  makeReverse,
  makeSort,
  makeSquare,
  predictor,
} from '../../src/tasks/index.js';
import { countBy, fits, uniform } from './helpers.js';

const many = (n, draw) => Array.from({ length: n }, draw);

describe('Random', () => {
  test('gives the bits of src/kernel/rng.c', () => {
    // rng_seed(seed, stream), then draws 1 to 4 and 1001, from the C code
    const truth = [
      [0, 0, [1179900707, 1938697177, 2553238366, 4198679612, 1232344438]],
      [1, 0, [993168421, 1755665067, 970030731, 543672134, 3012311531]],
      [4294967295, 7, [3230074341, 932428345, 2577410709, 1258994792, 2263683669]],
      [42, 123456789, [3029246016, 1844377292, 1515885262, 23783971, 2873817136]],
    ];
    for (const [seed, stream, values] of truth) {
      const random = new Random(seed, stream);
      const draws = many(1001, () => random.next());
      assert.deepEqual([...draws.slice(0, 4), draws[1000]], values);
    }
  });

  test('the same seed and stream give the same draws, another seed or stream others', () => {
    const first = (...args) => {
      const random = new Random(...args);
      return many(8, () => random.next());
    };
    assert.deepEqual(first(5, 'a'), first(5, 'a'));
    const others = [first(5, 'a'), first(6, 'a'), first(5, 'b'), first(5), first(5, 'ab'), first(5, 'ba')].map(String);
    assert.equal(new Set(others).size, others.length);
  });

  test('normal numbers have the same bits everywhere, off the formula by 4 units in the last place at most', () => {
    // sqrt(-2 ln u) cos(2 pi v) for draws 1 to 4 and 1000 by Python's decimal
    const truth = [
      [
        0,
        0,
        [-0.7643937811198723, 1.3302445420684754, -0.23463718976180117, -0.05155888426713353, -0.2858386741883673],
      ],
      [
        ...[1, 'normal'],
        [0.008573369896370277, -0.39731214978728835, 0.03991550963079402, 1.2560993878299027, -0.6435801025973169],
      ],
      [
        ...[42, 123456789],
        [-1.4120252590371127, 0.9325196747280354, 0.34306006033336706, -1.5913557096350255, -0.5543596692549222],
      ],
    ];
    for (const [seed, stream, values] of truth) {
      const random = new Random(seed, stream);
      const draws = many(1000, () => random.normal());
      const got = [...draws.slice(0, 4), draws[999]];
      got.forEach((x, i) => assert(Math.abs(x - values[i]) <= 4 * 2 ** -52 * Math.abs(values[i]), `${x} ${values[i]}`));
    }
    const random = new Random(0, 'normal bits');
    const bytes = new Uint8Array(Float64Array.from({ length: 10000 }, () => random.normal()).buffer);
    assert.equal(createHash('sha256').update(bytes).digest('hex').slice(0, 16), '1e721e00457616ad');
  });

  test('normal numbers have mean, deviation and tails of their distribution, and may be moved and scaled', () => {
    const n = 200000;
    const random = new Random(11);
    const draws = many(n, () => random.normal());
    const moment = (power) => draws.reduce((sum, x) => sum + x ** power, 0) / n;
    // four deviations of each estimate
    assert(Math.abs(moment(1)) < 4 / Math.sqrt(n));
    assert(Math.abs(moment(2) - 1) < 4 * Math.sqrt(2 / n));
    assert(Math.abs(moment(3)) < 4 * Math.sqrt(15 / n));
    assert(Math.abs(moment(4) - 3) < 4 * Math.sqrt(96 / n));
    // the cumulative distribution at -3, -2 ... 3
    const shares = [0.0013499, 0.0214002, 0.1359051, 0.3413447, 0.3413447, 0.1359051, 0.0214002, 0.0013499];
    const bins = countBy(draws, (x) => Math.min(Math.max(Math.floor(x), -4), 3));
    assert(fits(bins, Object.fromEntries(shares.map((share, i) => [i - 4, share]))));

    const [a, b] = [new Random(5), new Random(5)];
    assert.deepEqual(
      many(5, () => a.normal(3, 2)),
      many(5, () => 3 + 2 * b.normal()),
    );
    assert.equal(a.normal(7, 0), 7);
    for (const mean of [NaN, Infinity, '1'])
      assert.throws(() => a.normal(mean), { code: 'range', parameter: 'mean', value: mean });
    for (const deviation of [-1, NaN, Infinity])
      assert.throws(() => a.normal(0, deviation), { code: 'range', parameter: 'deviation', value: deviation });
  });

  test('integers are unbiased', () => {
    for (const n of [1, 2, 3, 7, 10, 56]) {
      const random = new Random(n);
      const draws = many(50000, () => random.integer(n));
      assert(
        fits(
          countBy(draws, (x) => x),
          uniform([...Array(n).keys()]),
        ),
        `below ${n}`,
      );
    }
  });

  test('integers are rejected where they would favour the small ones', () => {
    // With n = 3 * 2^30 a plain remainder would give the first third half of all draws.
    const n = 3 * 2 ** 30;
    const random = new Random(9);
    const thirds = countBy(
      many(30000, () => random.integer(n)),
      (x) => Math.floor(x / 2 ** 30),
    );
    assert(fits(thirds, uniform([0, 1, 2])));
    assert.equal(new Random(1).integer(2 ** 32), new Random(1).next());
  });

  test('chance, uniform, choose, weighted and shuffle have their probabilities', () => {
    const random = new Random(3);
    assert(
      fits(
        countBy(
          many(50000, () => random.chance(0.3)),
          (x) => x,
        ),
        { true: 0.3, false: 0.7 },
      ),
    );
    assert(many(1000, () => random.chance(0)).every((x) => !x));
    assert(many(1000, () => random.chance(1)).every((x) => x));
    assert(many(1000, () => random.uniform()).every((x) => x >= 0 && x < 1));
    assert(
      fits(
        countBy(
          many(9000, () => random.choose(['a', 'b', 'c'])),
          (x) => x,
        ),
        uniform(['a', 'b', 'c']),
      ),
    );
    const weights = [
      [6, 'F1'],
      [7, 'F2'],
      [0.5, 'F3'],
    ];
    assert(
      fits(
        countBy(
          many(50000, () => random.weighted(weights)),
          (x) => x,
        ),
        { F1: 6, F2: 7, F3: 0.5 },
      ),
    );
    const orders = countBy(
      many(24000, () => random.shuffle([1, 2, 3, 4])),
      String,
    );
    assert.equal(Object.keys(orders).length, 24);
    assert(fits(orders, uniform(Object.keys(orders))));
    const list = Object.freeze([1, 2, 3]);
    assert.notEqual(random.shuffle(list), list);
  });

  test('refuses what is no seed and no bound, by name and value', () => {
    for (const seed of [-1, 1.5, 2 ** 32, NaN]) {
      assert.throws(() => new Random(seed), {
        name: 'GlassformerError',
        code: 'range',
        parameter: 'seed',
        value: seed,
      });
    }
    assert.throws(() => new Random('1'), { code: 'type', parameter: 'seed', value: '1' });
    for (const n of [0, -3, 2.5, 2 ** 32 + 1]) assert.throws(() => new Random(1).integer(n), GlassformerError);
  });
});

test('what is no list, number or stream is refused by the one error', () => {
  const random = new Random(1);

  /** @type {[() => unknown, string, string][]} */
  const refused = [
    [() => new Random(1, /** @type {any} */ (Symbol('x'))), 'type', 'stream'],
    [() => new Random(1, /** @type {any} */ (1n)), 'type', 'stream'],
    [() => random.chance(/** @type {any} */ (1n)), 'type', 'p'],
    [() => random.choose(/** @type {any} */ (undefined)), 'type', 'list'],
    [() => random.choose(/** @type {any} */ ({ length: 2 })), 'type', 'list'],
    [() => random.choose([]), 'range', 'n'],
    [() => random.weighted(/** @type {any} */ (undefined)), 'type', 'list'],
    [() => random.weighted(/** @type {any} */ ([0.5, 0.5])), 'type', 'list[0]'],
    [() => random.weighted(/** @type {any} */ ([[1n, 'a']])), 'type', 'list[0]'],
    [() => random.weighted([]), 'range', 'list'],
    [() => random.weighted(Array(1)), 'type', 'list[0]'],
    [() => random.shuffle(/** @type {any} */ (5)), 'type', 'list'],
    [() => makeSquare(/** @type {any} */ ({ hidden: Symbol('x') })), 'type', 'hidden'],
    ...[makeCopy, makeReverse, makeSort].map(
      (make) =>
        /** @type {[() => unknown, string, string]} */ ([
          () => make(/** @type {any} */ ({ length: Object.create(null) })),
          'type',
          'length',
        ]),
    ),
  ];
  refused.push([() => predictor(/** @type {any} */ (5)), 'type', 'model']);
  for (const [call, code, parameter] of refused) {
    assert.throws(call, (error) => {
      assert.ok(error instanceof GlassformerError, String(error));
      assert.deepEqual([error.code, error.parameter], [code, parameter]);
      return true;
    });
  }
});

test('what is no probe, question or batch is refused by the one error', async () => {
  const predict = async () => ({ argmax: [1], maps: [] });
  const [probe] = makeCopy({ length: 1 }).heldOut(0, { count: 1 });
  const bad = [
    ...[undefined, 5, { batch: probe.batch }, Array(1), [undefined], [{ questions: [] }], [{ batch: {} }]],
    ...[[{ ...probe, questions: [null] }], [{ ...probe, questions: [{ accepts: 5 }] }]],
  ];
  for (const probes of /** @type {any[]} */ (bad)) {
    for (const call of [examine, headScores])
      await assert.rejects(call(predict, probes), { name: 'GlassformerError', code: 'type', parameter: /^heldOut/ });
  }
  const forward = () => assert.fail('ran');
  const other = /** @type {any} */ (undefined);
  await assert.rejects(predictor(/** @type {any} */ ({ forward }))(other), { code: 'type', parameter: 'batch' });
});
