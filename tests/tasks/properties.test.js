// Properties that hold for every seed, by fast-check.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Random, Vocabulary, tasks } from '../../src/tasks/index.js';
import { drawPair, drawSentence } from '../../src/tasks/creek-grammar.js';
import { drawPair as drawTranslation } from '../../src/tasks/translate-grammar.js';
import { parse } from './creek-checker.js';
import { hashOf, rowKeys, take } from './helpers.js';
import { translate } from './translate-checker.js';

const seed = fc.nat({ max: 2 ** 32 - 1 });

describe('for every seed', () => {
  test('draws are in their range', () => {
    fc.assert(
      fc.property(seed, fc.integer({ min: 1, max: 2 ** 32 }), fc.string(), (s, n, stream) => {
        const x = new Random(s, stream).integer(n);
        return Number.isInteger(x) && x >= 0 && x < n;
      }),
    );
  });

  test('shuffle keeps what it shuffles', () => {
    fc.assert(
      fc.property(seed, fc.array(fc.integer()), (s, list) => {
        assert.deepEqual(
          new Random(s).shuffle(list).sort((a, b) => a - b),
          [...list].sort((a, b) => a - b),
        );
      }),
    );
  });

  test('a vocabulary gives its words back', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string(), { minLength: 1 }), (words) => {
        const vocabulary = new Vocabulary(words);
        assert.deepEqual(
          words.map((word) => vocabulary.token(vocabulary.id(word))),
          words,
        );
      }),
    );
  });

  test('the grammars say what their checkers know', () => {
    fc.assert(
      fc.property(seed, (s) => {
        const random = new Random(s);
        const text = drawSentence(random)
          .tokens.map(({ word }) => word)
          .join(' ');
        assert(parse(text), text);
        for (const words of drawPair(random).sentences) assert.equal(parse(words.join(' '))?.family, 'F2');
        const { source, target } = drawTranslation(random);
        assert.deepEqual(translate(source).french, target);
      }),
      { numRuns: 500 },
    );
  });

  test('tasks drawn anew repeat themselves for a seed and keep held-out rows out of training', () => {
    const names = ['reverse', 'reverse-variable', 'sort', 'order', 'induction', 'addition', 'story'];
    fc.assert(
      fc.property(seed, seed, fc.constantFrom(...names), (one, two, name) => {
        const task = tasks[name];
        assert.equal(hashOf(take(task.batches(one), 2)), hashOf(take(task.batches(one), 2)));
        const held = task.heldOut(two, { count: 64 }).flatMap(({ batch }) => rowKeys(batch));
        const trained = new Set(take(task.batches(one), 5).flatMap(rowKeys));
        if (name !== 'addition') assert(held.every((key) => !trained.has(key)));
      }),
      { numRuns: 40 },
    );
  });
});
