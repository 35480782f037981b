import { IGNORE } from './batch.js';
import { choice, integer, options } from './check.js';
import { DIGITS } from './digits.js';
import { Random } from './random.js';
import { configOf, continued, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

const HELD_OUT_SHARE = 0.1;

/**
 * The pairs that are never trained on: a tenth of all, drawn once and for all. A random table, as a
 * rule like (7919 a + 104729 b) mod 10 = 0 is a rule about the sum: it would keep every sum that
 * ends in 0 out of training.
 * @param {number} digits of each number
 * @returns {Uint8Array} 1 at a * 10^digits + b
 * @example
 * import { heldOutPairs } from 'glassformer/tasks';
 * heldOutPairs(1).filter((held) => held === 1).length; // → 10
 */
export function heldOutPairs(digits) {
  const count = 10 ** (2 * digits);
  const table = new Uint8Array(count).fill(1, 0, Math.round(count * HELD_OUT_SHARE));
  return Uint8Array.from(new Random(0, `addition ${digits}`).shuffle([...table]));
}

/**
 * a + b with its leading zeros. Layout `continued`: a causal model goes on from 12+34= with the sum,
 * its least significant digit first, 640. Layout `parallel`: an encoder fills the blanks of
 * 12+34=___ at once.
 * @param {{digits?: number, layout?: 'continued' | 'parallel'}} [given] default 2, continued
 * @example
 * import { makeAddition } from 'glassformer/tasks';
 * const task = makeAddition({ digits: 3 });
 * task.batches(1).next().value.ids.shape; // → [64, 11]
 */
export function makeAddition(given = {}) {
  const { digits, layout } = options(given, {
    digits: 2,
    layout: /** @type {'continued' | 'parallel'} */ ('continued'),
  });
  integer(digits, 1, 3, 'digits');
  const causal = choice(layout, ['continued', 'parallel'], 'layout') === 'continued';
  const vocabulary = new Vocabulary(['_', ...DIGITS, '+', '='], { level: 'characters' });
  const limit = 10 ** digits;
  /** @type {Uint8Array | undefined} made when it is first needed: of three digits it has a million pairs */
  let table;
  const held = () => (table ??= heldOutPairs(digits));

  /** @param {number} pair a * limit + b */
  function exampleOf(pair) {
    const a = Math.floor(pair / limit);
    const b = pair % limit;
    const pad = (/** @type {number} */ number, size = digits) => String(number).padStart(size, '0');
    const question = vocabulary.ids([...`${pad(a)}+${pad(b)}=`]);
    const sum = vocabulary.ids([...pad(a + b, digits + 1)].reverse());
    if (causal) return { ...continued([...question, ...sum], (at) => at >= question.length), pair };
    const blanks = sum.map(() => vocabulary.id('_'));
    return { ids: [...question, ...blanks], labels: [...question.map(() => IGNORE), ...sum], pair };
  }

  return freshTask({
    name: causal ? 'addition' : 'addition-parallel',
    about: {
      title: causal ? 'Addition' : 'Addition, all digits at once',
      goal: `Add two numbers of ${digits} digits; the sum is written from its last digit on.`,
      input: `a sum like ${'12345'.slice(0, digits)}+${'67890'.slice(0, digits)}`,
      solved: 'For each digit of the sum, heads attend to the two digits at its place, and to those that carry.',
      steps: causal ? 1400 : 2000,
    },
    vocabulary,
    config: configOf({
      kind: causal ? 'decoder' : 'encoder',
      vocabulary,
      d_model: 32,
      heads: 4,
      d_ff: 64,
      layers: 2,
      causal,
    }),
    trainer: trainerOf({ learningRate: 5e-3, schedule: 'linear', warmup: 50, steps: 2000 }),
    width: causal ? 3 * digits + 2 : 3 * digits + 3,
    draw: (random) => exampleOf(random.integer(limit * limit)),
    read(characters) {
      vocabulary.ids(characters);
      const [, a, b] = /^(\d+)\+(\d+)=?$/.exec(characters.join('')) ?? [];
      if (!a || a.length > digits || b.length > digits) return undefined;
      return exampleOf(Number(a) * limit + Number(b));
    },
    reserved: ({ pair }) => held()[pair] === 1,
    drawHeldOut(random, count) {
      const pairs = [...held().keys()].filter((pair) => held()[pair]);
      return random.shuffle(pairs).slice(0, count).map(exampleOf);
    },
    // The digits of a and b that make the asked one: the same place, and the one that carries.
    links(_, at) {
      const place = at + Number(causal) - (2 * digits + 2);
      return [place, place - 1]
        .filter((one) => one >= 0 && one < digits)
        .flatMap((one) => [digits - 1 - one, 2 * digits - one]);
    },
  });
}

export const addition = /* @__PURE__ */ makeAddition();
export const additionParallel = /* @__PURE__ */ makeAddition({ layout: 'parallel' });
