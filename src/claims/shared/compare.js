// Numbers beside what was measured before.
import { settingsOf } from './claim.js';

/** @typedef {import('./claim.js').Claim} Claim */
/** @typedef {import('./claim.js').Params} Params */

/**
 * A number beside its range.
 * @typedef {object} Comparison
 * @property {string} label what the number is
 * @property {number[]} values one, or one of each seed
 * @property {readonly [low: number, high: number]} range of earlier measurements
 * @property {readonly [low: number, high: number]} allowed the range with its tolerance
 * @property {boolean} within whether all values are allowed
 * @property {boolean} [share] whether it is a share of a whole, 0 to 1, to be printed in per cent
 */

/**
 * The switches at which numbers are known, and those of the contrast, each to be run once; the sentence's own first.
 * @param {Pick<Claim, 'expected' | 'contrast' | 'inputs'>} claim
 * @returns {Params[]}
 * @example
 * import { claims, settingsToCheck } from 'glassformer/claims';
 * settingsToCheck(claims[0].claim); // → [{}, { rows: 'probabilities' }]
 */
export function settingsToCheck({ expected, contrast, inputs }) {
  const all = [{}, ...expected.map(({ at = {} }) => at), contrast].map((at) =>
    inputs.flatMap(({ name, default: own }) => ((at[name] ?? own) === own ? [] : [[name, at[name]]])),
  );
  return [...new Set(all.map((at) => JSON.stringify(at)))].map((text) => Object.fromEntries(JSON.parse(text)));
}

/**
 * The numbers of a run beside what was measured at the same switches.
 * @param {Pick<Claim, 'expected' | 'inputs' | 'name'>} claim
 * @param {import('./claim.js').Numbers} numbers
 * @param {Params} [params] of the run
 * @returns {Comparison[]} none where nothing is known of these switches
 * @example
 * import { claims, compareNumbers } from 'glassformer/claims';
 * import { load } from 'glassformer';
 * const [{ claim, run }] = claims;
 * const numbers = await run(await load({ variant: 'simd' }), { seeds: 1 });
 * compareNumbers(claim, numbers).every(({ within }) => within); // → true
 */
export function compareNumbers(claim, numbers, params) {
  const settings = settingsOf(claim, params);
  return claim.expected
    .filter(({ at = {} }) => claim.inputs.every((one) => (at[one.name] ?? one.default) === settings[one.name]))
    .map(({ name, label, range, tolerance = {}, share }) => {
      const value = numbers[name];
      if (value === undefined) throw new Error(`“${claim.name}” has no number ${name}`);
      const values = /** @type {number[]} */ ([value].flat(2));
      const [low, high] = range;
      const { absolute = 0, relative = 0, factor = 1 } = tolerance;
      const less = (/** @type {number} */ x) => x - absolute - (relative && Math.abs(x) * relative);
      const more = (/** @type {number} */ x) => x + absolute + (relative && Math.abs(x) * relative);
      const allowed = /** @type {const} */ ([
        less(low) / (low > 0 ? factor : 1 / factor),
        more(high) * (high > 0 ? factor : 1 / factor),
      ]);
      const within = values.every((one) => one >= allowed[0] && one <= allowed[1]);
      return { label, values, range, allowed, within, ...(share ? { share } : {}) };
    });
}
