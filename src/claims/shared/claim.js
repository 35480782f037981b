// What a claim is, and how its settings are read.
import { GlassformerError } from 'glassformer/tasks';

/** What a switch may be. @typedef {number | string | boolean} Value */

/**
 * The switches by name, `seed` and `seeds`: seeds, seed + 1 … are run. What is left out has its default.
 * @typedef {Record<string, Value>} Params
 */

/**
 * A switch of the reader's.
 * @typedef {object} Input
 * @property {string} name among the params
 * @property {string} label for the reader
 * @property {readonly Value[]} values that it offers
 * @property {Value} default one of them
 */

/**
 * How far beyond its range a number may lie: added, as a share, or as a factor. Without it the range is exact.
 * @typedef {object} Tolerance
 * @property {number} [absolute] added
 * @property {number} [relative] a share of the range's end
 * @property {number} [factor] by which the range's end may be missed
 */

/**
 * What a number was in earlier measurements over five seeds.
 * @typedef {object} Expected
 * @property {string} name of the number; of a list each is meant
 * @property {string} label what the number is, for the reader
 * @property {Params} [at] switches at which it was measured, where they are not the defaults
 * @property {readonly [low: number, high: number]} range smallest and largest
 * @property {Tolerance} [tolerance] how far beyond it
 * @property {boolean} [share] whether it is a share of a whole, 0 to 1, to be printed in per cent
 */

/**
 * What a reader may predict: a sentence, and the verdict that it amounts to.
 * @typedef {object} Choice
 * @property {string} label the sentence
 * @property {Verdict['verdict']} verdict that it amounts to
 */

/**
 * A sentence of the textbooks, and what is needed to test it.
 * @typedef {object} Claim
 * @property {number} number by which it is asked for
 * @property {string} name in the field's words
 * @property {string} sentence as textbooks put it
 * @property {string} source paper and section, or chapter
 * @property {readonly string[]} [quotes] words of the texts that state it, or whose example it is, word for word
 * @property {readonly Choice[]} choices for the reader's prediction
 * @property {readonly Input[]} inputs its switches
 * @property {boolean} [long] whether its run takes more than some .3 s
 * @property {boolean} seeded whether it draws random numbers, so that it is run over seeds
 * @property {readonly Expected[]} expected what is known of its numbers
 * @property {{params: Params, verdict: Verdict['verdict']}} [flip] switches that change the verdict, and to which
 */

/**
 * By name; lists over the seeds where seeds matter.
 * @typedef {Record<string, number | number[] | number[][]>} Numbers
 */

/**
 * @typedef {object} Verdict
 * @property {'holds' | 'holds only if' | 'fails'} verdict the word
 * @property {string} why one line
 */

/** Called with 0 to 1. @typedef {(share: number) => void} OnProgress */

/**
 * What of an AbortSignal is asked.
 * @typedef {object} Signal
 * @property {() => void} throwIfAborted throws the reason, if the run was given up
 */

/**
 * A claim with its experiment. `run` is given an engine, the switches, a listener and a signal that ends it with its
 * reason; it gives the same numbers for the same params. `verdict` is made of these numbers alone.
 * @typedef {object} ClaimModule
 * @property {Claim} claim the sentence and what is known of it
 * @property {(gf: import('glassformer').Engine, params?: Params, onProgress?: OnProgress,
 *   signal?: Signal) => Promise<Numbers>} run the experiment
 * @property {(numbers: any, params?: Params) => Verdict} verdict what the numbers of a run amount to
 */

/**
 * The switches with their defaults, and the list of seeds.
 * @param {Pick<Claim, 'inputs' | 'name'>} claim
 * @param {Params} [params]
 * @returns {any} each switch by name, and `seeds`
 * @throws {GlassformerError} unknown for a switch that there is none of, range for a value that is not offered
 */
export function settingsOf({ inputs, name: claim }, params = {}) {
  const { seed = 0, seeds = 5, ...given } = params;
  for (const [name, value] of Object.entries(given)) {
    const input = inputs.find((one) => one.name === name);
    if (!input) throw new GlassformerError('unknown', name, value, `is no switch of “${claim}”`);
    if (!input.values.includes(value))
      throw new GlassformerError('range', name, value, `must be one of ${input.values.join(', ')}`);
  }
  const whole = (/** @type {string} */ name, /** @type {Value} */ value, /** @type {number} */ least) => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= 2 ** 31) return value;
    throw new GlassformerError('range', name, value, `must be a whole number from ${least} on`);
  };
  const [first, count] = [whole('seed', seed, 0), whole('seeds', seeds, 1)];
  return {
    ...Object.fromEntries(inputs.map((input) => [input.name, input.default])),
    ...given,
    seeds: Array.from({ length: count }, (_, i) => first + i),
  };
}
