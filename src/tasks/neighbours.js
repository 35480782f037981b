import { IGNORE } from './batch.js';
import { integer, options } from './check.js';
import { configOf, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

const LETTERS = /* @__PURE__ */ Array.from('abcdefghijklmnopqrstuvwxyz');

/**
 * Random letters: each place but the first and the last is to name the pair of its two neighbours, in an output
 * vocabulary of pairs. Two heads can share that out, one for the left, one for the right; one head must blend them.
 * @param {{letters?: number, length?: number}} [given] default 6 letters, rows of 8
 * @example
 * import { makeNeighbours } from 'glassformer/tasks';
 * const { show, batch } = makeNeighbours();
 * const { words, labels } = show(batch(), 0);
 * labels[1] === words[0] + words[2]; // → true
 */
export function makeNeighbours(given = {}) {
  const { letters: size, length } = options(given, { letters: 6, length: 8 });
  integer(size, 1, LETTERS.length, 'letters');
  integer(length, 3, 512, 'length');
  const letters = LETTERS.slice(0, size);
  const vocabulary = new Vocabulary(letters, { level: 'characters' });
  const outputVocabulary = new Vocabulary(letters.flatMap((left) => letters.map((right) => left + right)));
  const isEnd = (/** @type {number} */ at) => at === 0 || at === length - 1;
  const exampleOf = (/** @type {number[]} */ ids) => ({
    ids,
    labels: ids.map((_, at) => (isEnd(at) ? IGNORE : ids[at - 1] * size + ids[at + 1])),
  });
  return freshTask({
    name: 'neighbours',
    about: {
      title: 'Both neighbours',
      goal: `Name the letters to the left and to the right of each of ${length} letters.`,
      input: `${length} letters from a to ${letters[size - 1]}`,
      solved: 'One head attends to the left neighbour, the other to the right one.',
      measure: 'accuracy',
      steps: 350,
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
      d_ff: 0,
      layers: 1,
    }),
    trainer: trainerOf({ learningRate: 3e-3, schedule: 'constant', warmup: 50, steps: 500 }),
    width: length,
    streams: { training: 'training', heldOut: 'held-out' },
    draw: (random) => exampleOf(Array.from({ length }, () => random.integer(size))),
    read: (row) => (row.length === length ? exampleOf(vocabulary.ids(row)) : undefined),
    links: (_, at) => [at - 1, at + 1],
  });
}

export const neighbours = /* @__PURE__ */ makeNeighbours();
