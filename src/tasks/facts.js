import { IGNORE } from './batch.js';
import { integer, options } from './check.js';
import { Random } from './random.js';
import { configOf, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

/**
 * Facts to be stored: each pair of a subject and a relation has an object, drawn at random, all objects alike often. It
 * is asked of the relation, which stands behind its subject. The seed draws the facts; every batch has all of them, and
 * so has the held-out set, as nothing tells one fact from others.
 * @param {{side?: number, objects?: number}} [given] side: how many subjects, and as many relations, default 8, so that
 *   there are 64 facts; objects: 64
 * @example
 * import { makeFacts } from 'glassformer/tasks';
 * makeFacts({ side: 16 }).batch().ids.shape; // → [256, 2]
 */
export function makeFacts(given = {}) {
  const { side, objects: kinds } = options(given, { side: 8, objects: 64 });
  integer(side, 1, 64, 'side');
  integer(kinds, 1, 4096, 'objects');
  const named = (/** @type {string} */ letter, /** @type {number} */ size) =>
    Array.from({ length: size }, (_, i) => letter + (i + 1));
  const vocabulary = new Vocabulary([...named('s', side), ...named('r', side), ...named('o', kinds)]);
  const count = side * side;

  /** @param {number} seed */
  function factsOf(seed) {
    const random = new Random(seed, 'facts');
    const objects = random.shuffle(Array.from({ length: count }, (_, i) => 2 * side + (i % kinds)));
    return objects.map((object, i) => ({ ids: [Math.floor(i / side), side + (i % side)], labels: [IGNORE, object] }));
  }

  return freshTask({
    name: 'facts',
    about: {
      title: 'Facts',
      goal: `Name the object of a subject and a relation: ${count} facts, drawn at random, to be learned by heart.`,
      input: `a subject and a relation, like s1 r${side}`,
      solved: 'The relation attends to its subject; attention and the FFN share the facts as their load allows.',
      steps: 100,
    },
    vocabulary,
    config: configOf({ kind: 'encoder', vocabulary, d_model: 24, heads: 4, d_ff: 128, layers: 1 }),
    trainer: trainerOf({ learningRate: 3e-3, schedule: 'linear', warmup: 20, steps: 300 }),
    batchSize: count,
    width: 2,
    all: factsOf,
    read(_, text, seed) {
      const words = text.trim().split(/\s+/);
      if (words.length !== 2) return undefined;
      const [subject, relation] = vocabulary.ids(words);
      return factsOf(seed).find(({ ids }) => ids[0] === subject && ids[1] === relation);
    },
    links: () => [0],
  });
}

export const facts = /* @__PURE__ */ makeFacts();
