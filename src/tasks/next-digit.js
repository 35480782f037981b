import { integer, options } from './check.js';
import { DIGITS, drawDigits } from './digits.js';
import { configOf, continued, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

/**
 * Random digits, of which each place is to say the next one. Nothing before it tells it: behind a causal mask the loss
 * cannot fall below ln 10 = 2.303, and 1 in 10 is right. A model that does better sees what it is to predict.
 * @param {{length?: number}} [given] default 12
 * @example
 * import { makeNextDigit } from 'glassformer/tasks';
 * const { ids, labels } = makeNextDigit({ length: 3 }).batch();
 * labels.data[0] === ids.data[1]; // → true
 */
export function makeNextDigit(given = {}) {
  const { length } = options(given, { length: 12 });
  integer(length, 1, 512, 'length');
  const vocabulary = new Vocabulary(DIGITS, { level: 'characters' });
  return freshTask({
    name: 'next-digit',
    about: {
      title: 'The next random digit',
      goal: 'Say the next of random digits, which nothing before it tells.',
      input: `${length + 1} digits`,
      solved: 'Nothing can be learned: one digit in ten is right. More is right only without the causal mask.',
      measure: 'accuracy',
      atLeast: 0,
      atMost: 0.15,
      steps: 400,
    },
    vocabulary,
    config: configOf({
      kind: 'decoder',
      vocabulary,
      head: 'linear',
      d_model: 32,
      heads: 1,
      d_ff: 64,
      layers: 1,
      causal: true,
    }),
    trainer: trainerOf({ learningRate: 1e-2, schedule: 'linear', warmup: 50, steps: 400 }),
    batchSize: 16,
    width: length,
    streams: { training: 'next digits', heldOut: 'held-out' },
    draw: (random) => continued(drawDigits(random, length + 1)),
    read: (digits) => (digits.length === length + 1 ? continued(vocabulary.ids(digits)) : undefined),
  });
}

export const nextDigit = /* @__PURE__ */ makeNextDigit();
