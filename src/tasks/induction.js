import { integer, options } from './check.js';
import { examine } from './scores.js';
import { configOf, continued, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

/** @typedef {import('./scores.js').Probe} Probe */
/** @typedef {import('./scores.js').Predict} Predict */

const LETTERS = /* @__PURE__ */ Array.from('abcdefghijklmnop');

/**
 * A row of p different letters, again and again; what comes next is asked from the second period
 * on. p differs from row to row, or positions alone would do. Two heads in a row solve it: one
 * attends to the previous letter, one to the letter after the last copy of this one (Olsson et al.
 * 2022, "In-context Learning and Induction Heads"). With learned positions and an FFN 99 % of the letters
 * are right after 325 to 375 steps (5 seeds); with sinusoids, no FFN and twice the batch it took 1,250 to
 * 1,825, and one seed in five stayed below.
 * @param {{length?: number, shortest?: number, longest?: number, steps?: number}} [given]
 *   default 24, periods 3..8, 500
 * @example
 * import { makeInduction } from 'glassformer/tasks';
 * makeInduction().kind; // → 'decoder'
 */
export function makeInduction(given = {}) {
  const { length, shortest, longest, steps } = options(given, { length: 24, shortest: 3, longest: 8, steps: 500 });
  integer(longest, 1, LETTERS.length, 'longest');
  integer(shortest, 1, longest, 'shortest');
  integer(length, longest + 1, 512, 'length');
  integer(steps, 51, 1e6, 'steps');
  const vocabulary = new Vocabulary(LETTERS, { level: 'characters' });
  const letters = LETTERS.map((_, id) => id);
  /** @param {number[]} unit */
  function exampleOf(unit) {
    const period = unit.length;
    const row = Array.from({ length: length + 1 }, (_, at) => unit[at % period]);
    return { ...continued(row, (at) => at > period), period };
  }

  const task = freshTask({
    name: 'induction',
    about: {
      title: 'Induction',
      goal: 'Letters repeat with a period: say the next one, from the second period on.',
      input: `${length} letters from a to p that repeat ${shortest} to ${longest} different ones`,
      solved:
        'Two heads in a row: in the first layer one attends to the letter before, in the second one attends to the ' +
        'letter after the last copy of this one.',
      measure: 'accuracy',
      steps: 425,
    },
    vocabulary,
    config: configOf({
      kind: 'decoder',
      vocabulary,
      d_model: 32,
      heads: 2,
      d_ff: 64,
      layers: 2,
      causal: true,
      positions: 'learned',
      maxLength: length,
    }),
    trainer: trainerOf({ learningRate: 5e-3, schedule: 'constant', warmup: 50, steps }),
    batchSize: 32,
    width: length,
    draw(random) {
      const period = shortest + random.integer(longest - shortest + 1);
      const unit = random.shuffle(letters).slice(0, period);
      return exampleOf(unit);
    },
    read(characters) {
      const row = vocabulary.ids(characters);
      const period = row.indexOf(row[0], 1);
      const fits = row.length === length && period >= shortest && period <= longest;
      const unit = row.slice(0, period);
      if (!fits || new Set(unit).size < period || !row.every((id, at) => id === unit[at % period])) return undefined;
      return exampleOf(unit);
    },
    links({ period }, at) {
      const places = Array.from({ length: at + 1 }, (_, place) => place);
      return places.filter((place) => (at + 1 - place) % period === 0);
    },
  });
  return {
    ...task,

    /**
     * `heads` holds the induction score: mass of a row on all places after earlier copies of its
     * letter. `previous` holds the previous-token score of each head.
     * @param {Predict | import('./predict.js').ModelLike} model
     * @param {readonly Probe[]} [heldOut] default those of seed 0
     */
    async score(model, heldOut = task.heldOut()) {
      const score = await examine(model, heldOut);
      const { heads, best, chance } = await examine(model, heldOut.map(previousOf));
      return { ...score, previous: { heads, best, chance } };
    },
  };
}

/**
 * @param {Probe} probe
 * @returns {Probe} from every place but the first to the one before
 */
function previousOf({ batch }) {
  const [rows, width] = batch.ids.shape;
  const places = Array.from({ length: rows * width }, (_, i) => ({ row: Math.floor(i / width), at: i % width }));
  const questions = places
    .filter(({ at }) => at > 0)
    .map(({ row, at }) => ({ row, at, links: [at - 1], keys: at + 1 }));
  return { batch, questions };
}

export const induction = /* @__PURE__ */ makeInduction();
