import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MODEL, TRAINER } from '../../dist/generated/settings.js';
import { tasks } from '../../src/tasks/index.js';
import { hashOf, take } from './helpers.js';

/** SHA-256 of the first 20 batches of seed 1, shortened. A change changes every model that a seed names. */
const HASHES = {
  creek: 'ab0666036e58fb91',
  translate: '45640853ed610165',
  story: 'e7e45631d7bb708d',
  reverse: '96181f14541d8da9',
  'reverse-variable': '81caf20beffcf9aa',
  sort: '892e2043f1f9ba3d',
  copy: '9a32ae1499196455',
  order: '82be3ea0241b9e8c',
  induction: '8a586c5e3c5b78bc',
  addition: '18c32194caa9032e',
  'addition-parallel': '1b8a03f8111a67d5',
  and: 'e1280c8068a0c348',
  xor: '216a8132c9afa327',
  square: 'f2225ff8a588448a',
  'reverse-decoder': '4dc86c80f7416585',
  neighbours: '8b59c59ac78c2a5c',
  facts: 'd8dc280950b595c8',
  positions: 'a32476404a3d0088',
  'next-digit': 'd2ee0db5328d9c84',
};

/** Tasks with the same batches for every seed: one function, or one row. */
const FIXED = ['and', 'xor', 'square', 'positions'];

describe('every task', () => {
  const byName = (/** @type {readonly any[]} */ rows) => new Map(rows.map((row) => [row.name, row]));
  const tables = { config: byName(MODEL), trainer: byName(TRAINER) };

  for (const [name, task] of Object.entries(tasks)) {
    test(`${name}: the same seed gives the same batches everywhere, another seed others`, () => {
      assert.equal(task.name, name);
      const hash = hashOf(take(task.batches(1), 20));
      assert.equal(hashOf(take(task.batches(1), 20)), hash);
      if (!FIXED.includes(name)) assert.notEqual(hashOf(take(task.batches(2), 20)), hash);
      assert.equal(hash, HASHES[name]);
    });

    test(`${name}: config and trainer use names and choices that the engine has`, () => {
      for (const [kind, table] of Object.entries(tables)) {
        for (const [setting, given] of Object.entries(task[kind])) {
          const value = given.size ?? given; // a vocabulary stands for its size, and gives the model its tokenizer
          const row = table.get(setting);
          assert(row, `${kind}.${setting}`);
          const type = { i: 'number', f: 'number', b: 'boolean', c: 'string' }[row.type];
          assert.equal(typeof value, type, `${kind}.${setting}`);
          if (row.type === 'c') assert(row.choices.includes(value), `${kind}.${setting} = ${value}`);
          if (row.type === 'i') assert(Number.isInteger(value));
        }
      }
      assert.equal(task.config.kind, task.kind);
      assert(task.trainer.steps > task.trainer.warmup);
      assert(Object.isFrozen(task.config) && Object.isFrozen(task.trainer));
    });

    test(`${name}: batches fit the model`, () => {
      const { vocabulary, targetVocabulary, outputVocabulary, config } = task;
      if (vocabulary) assert.equal(config.vocabulary, vocabulary);
      if (targetVocabulary) assert.equal(config.targetVocabulary, targetVocabulary);
      if (outputVocabulary) assert.equal(config.outputVocabulary, outputVocabulary);
      const limits = {
        sourceIds: vocabulary?.size,
        targetIds: (targetVocabulary ?? vocabulary)?.size,
        labels: (outputVocabulary ?? targetVocabulary ?? vocabulary)?.size,
      };
      for (const batch of take(task.batches(3), 5)) {
        assert.equal(Object.values(batch)[0].shape[0], task.kind === 'feed-forward' ? 1 : task.batchSize);
        for (const [input, { data, shape }] of Object.entries(batch)) {
          assert.equal(
            data.length,
            shape.reduce((a, b) => a * b, 1),
            input,
          );
          const type = /padding/i.test(input) ? Uint8Array : task.kind === 'feed-forward' ? Float32Array : Int32Array;
          assert(data instanceof type, input);
          if (input in limits && task.kind !== 'feed-forward') {
            assert(
              data.every((id) => (id >= 0 && id < limits[input]) || (input === 'labels' && id === -100)),
              input,
            );
          }
        }
        if (batch.ids) assert(batch.labels.data.some((id) => id >= 0));
      }
    });

    test(`${name}: refuses a bad seed at once`, () => {
      for (const method of ['batches', 'heldOut']) {
        assert.throws(() => task[method](-1), {
          name: 'GlassformerError',
          code: 'range',
          parameter: 'seed',
          value: -1,
          message: /seed.*-1/,
        });
        assert.throws(() => task[method]('one'), { code: 'type', parameter: 'seed', value: 'one' });
      }
    });
  }

  test('parameters are those of RECIPES.md', () => {
    const count = ({
      vocabulary: { size: v },
      targetVocabulary: { size: t } = { size: 0 },
      d_model: d,
      d_ff: f,
      layers,
      decoderLayers = 0,
      norm,
      kind,
    }) => {
      const attention = 4 * (d * d + d);
      const ffn = f ? 2 * d * f + d + f : 0;
      const blocks = kind === 'encoder-decoder' ? decoderLayers : 0;
      const norms = 2 * d;
      // A layer without FFN has one norm.
      const layer = attention + ffn + norms * (f ? 2 : 1);
      const final = norm === 'pre' ? norms : 0;
      return layers * layer + blocks * (2 * attention + ffn + 3 * norms) + (v + t) * d + (t || v) + final;
    };
    const expected = {
      creek: 64083,
      translate: 106707,
      reverse: 8874,
      'reverse-variable': 17484,
      sort: 17418,
      order: 8973,
      addition: 17517,
      story: 43114 + 49, // with the word an
    };
    for (const [name, parameters] of Object.entries(expected))
      assert.equal(count(tasks[name].config), parameters, name);
  });
});
