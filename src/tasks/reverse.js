import { IGNORE } from './batch.js';
import { integer, options } from './check.js';
import { DIGITS, digitsTask, drawDigits } from './digits.js';
import { configOf, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

/**
 * Says the digits in reverse. Head score: mass on the anti-diagonal.
 * @param {{length?: number}} [given] default 8
 * @example
 * import { makeReverse } from 'glassformer/tasks';
 * const { ids, labels } = makeReverse({ length: 4 }).batches(1).next().value;
 * labels.data[0] === ids.data[3]; // → true
 */
export function makeReverse(given = {}) {
  const length = integer(options(given, { length: 8 }).length, 1, 64, 'length');
  return digitsTask({
    name: 'reverse',
    about: {
      title: 'Reverse',
      goal: `Say ${length} digits in reverse.`,
      solved: 'The anti-diagonal: the first place attends to the last, the second to the last but one, and so on.',
      steps: 250,
    },
    length,
    layers: 1,
    heads: 1,
    trainer: { learningRate: 5e-3, schedule: 'constant', warmup: 50, steps: 400 },
    answer: (digits) => [...digits].reverse(),
    links: (digits, at) => [digits.length - 1 - at],
  });
}

/**
 * The same for rows of several lengths: n digits, n uniform, [EOS], padding; the answer is read
 * below the digits. Where the last digit stands must be found first, so it takes two layers.
 * @param {{shortest?: number, longest?: number}} [given] default 4..10
 * @example
 * import { makeReverseVariable } from 'glassformer/tasks';
 * const { ids, padding } = makeReverseVariable({ shortest: 2, longest: 5 }).batches(1).next().value;
 * ids.shape; // → [64, 6]
 * padding.shape; // → [64, 6]
 */
export function makeReverseVariable(given = {}) {
  const { shortest, longest } = options(given, { shortest: 4, longest: 10 });
  integer(longest, 1, 64, 'longest');
  integer(shortest, 1, longest, 'shortest');
  const vocabulary = new Vocabulary(['[PAD]', '[EOS]', ...DIGITS], { level: 'characters' });
  const end = vocabulary.id('[EOS]');
  const zero = vocabulary.id('0');
  const exampleOf = (/** @type {number[]} */ digits) => ({
    ids: [...digits, end],
    labels: [...[...digits].reverse(), IGNORE],
  });
  return freshTask({
    name: 'reverse-variable',
    about: {
      title: `Reverse ${shortest} to ${longest} digits`,
      goal: `Say ${shortest} to ${longest} digits in reverse, wherever they end.`,
      input: `${shortest} to ${longest} digits`,
      solved:
        'In the second layer an anti-diagonal that ends at the last digit; the first layer finds out where that is.',
      steps: 500,
    },
    vocabulary,
    config: configOf({ kind: 'encoder', vocabulary, d_model: 32, heads: 2, d_ff: 64, layers: 2 }),
    // At a constant rate it is learnt as fast, but falls back again and again.
    trainer: trainerOf({ learningRate: 5e-3, schedule: 'linear', warmup: 50, steps: 600 }),
    width: longest + 1,
    padded: true,
    draw(random) {
      const count = shortest + random.integer(longest - shortest + 1);
      return exampleOf(drawDigits(random, count).map((digit) => zero + digit));
    },
    read: (digits) =>
      digits.length >= shortest && digits.length <= longest ? exampleOf(vocabulary.ids(digits)) : undefined,
    links: ({ ids }, at) => [ids.length - 2 - at],
  });
}

export const reverse = /* @__PURE__ */ makeReverse();
export const reverseVariable = /* @__PURE__ */ makeReverseVariable();
