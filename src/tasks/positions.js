import { integer, options } from './check.js';
import { configOf, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

/**
 * [BOS], then the same token again and again: each place is to say its number. There is but one such row. Without
 * positional encoding an encoder says the same everywhere behind [BOS]; a causal mask tells the places apart
 * (Haviv et al. 2022, "Transformer Language Models without Positional Encodings Still Learn Positional Information").
 * @param {{length?: number}} [given] default 10
 * @example
 * import { makePositions } from 'glassformer/tasks';
 * makePositions({ length: 4 }).batch().labels.data; // → [0, 1, 2, 3]
 */
export function makePositions(given = {}) {
  const { length } = options(given, { length: 10 });
  integer(length, 2, 512, 'length');
  const vocabulary = new Vocabulary(['[BOS]', 'a'], { level: 'characters' });
  const outputVocabulary = new Vocabulary(Array.from({ length }, (_, at) => String(at)));
  const row = { ids: Array.from({ length }, (_, at) => Number(at > 0)), labels: Array.from({ length }, (_, at) => at) };
  return freshTask({
    name: 'positions',
    about: {
      title: 'Say the position',
      goal: `Say at each of ${length} equal tokens the number of its place, without positional encoding.`,
      input: `the letter a, ${length - 1} times`,
      solved: 'Attention spread over what a place sees: the weight on [BOS] falls with the number of the place.',
      measure: 'accuracy',
      atLeast: 1,
      steps: 150,
    },
    vocabulary,
    outputVocabulary,
    config: configOf({
      kind: 'encoder',
      vocabulary,
      outputVocabulary,
      head: 'linear',
      d_model: 32,
      heads: 2,
      d_ff: 64,
      layers: 1,
      causal: true,
      positions: 'none',
    }),
    // At a constant rate some seeds stay at 70 to 90 %.
    trainer: trainerOf({ learningRate: 5e-3, schedule: 'linear', warmup: 0, steps: 500 }),
    batchSize: 1,
    width: length,
    all: () => [row],
    read: (letters) => (letters.length === length - 1 && letters.every((one) => one === 'a') ? row : undefined),
    links: () => [0],
  });
}

export const positions = /* @__PURE__ */ makePositions();
