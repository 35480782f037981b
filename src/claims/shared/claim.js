// Defines claims, reads their settings, and derives verdicts from their numbers.
import { GlassformerError } from 'glassformer/tasks';

/** The value of a switch. @typedef {number | string | boolean} Value */

/**
 * The switches by name, `seed` and `seeds`: seeds, seed + 1 … are run. An omitted one has its default.
 * @typedef {Record<string, Value>} Params
 */

/**
 * A switch for the reader.
 * @typedef {object} Input
 * @property {string} name among the params
 * @property {string} label for the reader
 * @property {readonly Value[]} values that it offers
 * @property {Value} default one of them: the conditions of the sentence
 * @property {readonly Value[]} [controls] those that remove what the sentence is about; the others are boundaries
 */

/**
 * A size, a learning rate or a count of parameters over which the verdict is measured again, one at a time.
 * @typedef {object} Scale
 * @property {string} name of a switch, or of a setting of `run` that is none
 * @property {string} label for the reader
 * @property {readonly Value[]} values in their order, which may go beyond those that a switch offers
 * @property {Value} [default] the sentence's own, of a setting that is no switch
 */

/**
 * The distance by which a number may leave its range: added, as a share, or as a factor. Without it the range is exact.
 * @typedef {object} Tolerance
 * @property {number} [absolute] added
 * @property {number} [relative] a share of the range's end
 * @property {number} [factor] by which the range's end may be missed
 */

/**
 * A number's values in earlier measurements over five seeds.
 * @typedef {object} Expected
 * @property {string} name of the number; of a list each is meant
 * @property {string} label what the number is, for the reader
 * @property {Params} [at] switches at which it was measured, where they are not the defaults
 * @property {readonly [low: number, high: number]} range smallest and largest
 * @property {Tolerance} [tolerance] how far beyond it
 * @property {boolean} [share] whether it is a share of a whole, 0 to 1, to be printed in per cent
 */

/** The verdict on a sentence at its own conditions. @typedef {'true' | 'it depends' | 'false'} Verdict */

/**
 * A prediction that a reader may choose: a sentence, and the verdict that it amounts to.
 * @typedef {object} Choice
 * @property {string} label the sentence
 * @property {Verdict} verdict that it amounts to
 */

/**
 * Works that bear on a sentence, each with authors, year and title.
 * @typedef {object} Literature
 * @property {readonly string[]} for it
 * @property {readonly string[]} against it, or its limits
 */

/**
 * Words of a text that state a claim, or whose example it is, word for word.
 * @typedef {object} Quote
 * @property {string} text the words
 * @property {string} from the text: authors, year and section
 */

/**
 * A quantity along one side of a map: a switch of the claim by its name, or what the number's name ends in.
 * @typedef {object} Axis
 * @property {string} name of the switch
 * @property {string} label for the reader
 * @property {readonly number[]} values one for each row or column
 */

/**
 * A map of where the claim begins to hold: one number over two quantities.
 * @typedef {object} Boundary
 * @property {Axis} x its columns
 * @property {Axis} y its rows
 * @property {{name: string, label: string, isNamedByX?: boolean}} measure a share, 0 to 1, of the run's numbers;
 * `isNamedByX`: its name is followed by the value of x
 * @property {{name: string, label: string}} [twin] the same share of the control, in the same run
 * @property {number} seeds of each cell
 */

/**
 * The number that a reader may guess before the run, on an axis.
 * @typedef {object} Guess
 * @property {string} name of the number; its label is that of `expected` at the sentence's own switches
 * @property {number} from where the axis begins
 * @property {number} to where it ends
 * @property {boolean} [log] whether its scale is logarithmic
 */

/**
 * Parts that follow each other.
 * @typedef {object} Stack
 * @property {string} [name] of the stack
 * @property {number} [layers] how many of them
 * @property {readonly string[]} parts of each layer; after a colon the heads of attention, the neurons of an FFN
 */

/**
 * The experiment as a small picture: what is read, what it goes through, what is looked at.
 * @typedef {object} Sketch
 * @property {readonly string[]} input one box each; '…' stands for more
 * @property {readonly Stack[]} stacks one after the other
 * @property {string} output what is looked at
 * @property {number} [width] of the vectors
 * @property {number} [steps] of training; 0: untrained
 */

/**
 * A textbook claim, and what is needed to test it.
 * @typedef {object} Claim
 * @property {number} number by which it is asked for
 * @property {string} name in the field's words
 * @property {string} sentence as textbooks put it
 * @property {string} saidBy a text that says it: authors, year, title and section
 * @property {string} [source] its address, where its title does not find it
 * @property {string} experiment what is run, in two sentences: model, task, size; a reader sees it before the bet
 * @property {Sketch} sketch the same as a small picture
 * @property {Literature} literature for and against it
 * @property {string} why the reason for the finding: a formula or two sentences
 * @property {string} limits what the experiment does not show
 * @property {string} overturn what would overturn the verdict
 * @property {readonly Quote[]} [quotes] words of the texts that state it
 * @property {readonly Choice[]} choices for the reader's prediction
 * @property {Guess} [guess] the number that decides, where one does and has a natural range
 * @property {readonly Input[]} inputs its switches
 * @property {readonly Scale[]} scales over which `npm run turns` says where the verdict turns
 * @property {boolean} [long] whether its run takes more than some .3 s
 * @property {boolean} seeded whether it draws random numbers, so that it is run over seeds
 * @property {readonly Expected[]} expected what is known of its numbers
 * @property {Params} contrast the control or boundary that teaches most
 * @property {Boundary} [boundary] the map of two quantities that decide together
 */

/**
 * By name; lists over the seeds where seeds matter.
 * @typedef {Record<string, number | number[] | number[][] | number[][][]>} Numbers
 */

/**
 * The result of a run at the sentence's own switches.
 * @typedef {object} Judged
 * @property {'sentence'} kind of run
 * @property {Verdict} verdict on the sentence
 * @property {string} [on] what it depends on
 * @property {string} found one line with the numbers
 */

/**
 * Result of a run at other switches: a control removes the effect that the sentence is about, a boundary tests how far
 * the sentence holds. Neither has a verdict.
 * @typedef {object} Shown
 * @property {'control' | 'boundary'} kind of run
 * @property {string} found one line with the numbers
 */

/** The result of a run. @typedef {Judged | Shown} Outcome */

/**
 * The first seeds of a run.
 * @typedef {object} SoFar
 * @property {number} seeds that are finished
 * @property {Numbers} numbers of these seeds, the same as a run over them alone gives
 */

/** Called with 0 to 1; `soFar` from the first seed on. @typedef {(share: number, soFar?: SoFar) => void} OnProgress */

/**
 * The members of an AbortSignal that are used.
 * @typedef {object} Signal
 * @property {() => void} throwIfAborted throws the reason, if the run was given up
 */

/**
 * A claim with its experiment. `run` is given an engine, the switches, a listener and a signal that ends it with its
 * reason; it gives the same numbers for the same params. `outcome` is made of these numbers and switches alone.
 * @typedef {object} ClaimModule
 * @property {Claim} claim the sentence and what is known of it
 * @property {(gf: import('glassformer').Engine, params?: Params, onProgress?: OnProgress,
 *   signal?: Signal) => Promise<Numbers>} run the experiment
 * @property {(numbers: any, params?: Params) => Outcome} outcome what the numbers of a run show
 */

/** Lists the settable inputs: switches, and settings that are none. @param {Switches} claim */
const settable = ({ inputs, scales = [] }) => [
  ...inputs.map((input) => {
    const more = scales.find(({ name }) => name === input.name)?.values ?? [];
    return { ...input, values: [...input.values, ...more.filter((value) => !input.values.includes(value))] };
  }),
  ...scales.flatMap((scale) => (scale.default === undefined ? [] : [{ ...scale, default: scale.default }])),
];

/** @typedef {Pick<Claim, 'inputs'> & Partial<Pick<Claim, 'scales'>>} Switches */

/**
 * The settings with their defaults, and the list of seeds.
 * @param {Switches & Pick<Claim, 'name'>} claim
 * @param {Params} [params]
 * @returns {any} each switch by name, and `seeds`
 * @throws {GlassformerError} unknown for a switch that there is none of, range for a value that is not offered
 */
export function settingsOf({ name: claim, ...switches }, params = {}) {
  const { seed = 0, seeds = 5, ...given } = params;
  const all = settable(switches);
  for (const [name, value] of Object.entries(given)) {
    const input = all.find((one) => one.name === name);
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
    ...Object.fromEntries(all.map((input) => [input.name, input.default])),
    ...given,
    seeds: Array.from({ length: count }, (_, i) => first + i),
  };
}

/**
 * Classifies a run by its switches, whatever its seeds: the sentence itself, a control or a boundary.
 * @param {Switches} claim
 * @param {Params} [params]
 * @returns {Outcome['kind']}
 * @example
 * import { claims, kindOf } from 'glassformer/claims';
 * kindOf(claims[0].claim, { rows: 'probabilities' }); // → 'control'
 */
export function kindOf(claim, params = {}) {
  const changed = settable(claim).filter(({ name, default: own }) => (params[name] ?? own) !== own);
  if (changed.length === 0) return 'sentence';
  const isControl = claim.inputs.some(
    ({ name, default: own, controls = [] }) => controls.includes(params[name] ?? own) && params[name] !== own,
  );
  return isControl ? 'control' : 'boundary';
}

/**
 * Makes the shares that a claim expects: numbers from 0 to 1, printed in per cent.
 * @param {number} usual how far beyond its range a share may be, where it says no other
 */
export const sharesWithin =
  (usual) =>
  /**
   * @param {string} name
   * @param {string} label
   * @param {readonly [low: number, high: number]} range
   * @param {Params} [at]
   * @param {number} [absolute]
   * @returns {Expected}
   */
  (name, label, range, at = {}, absolute = usual) => ({ name, label, at, range, tolerance: { absolute }, share: true });

/**
 * The verdict on a sentence of several parts: true if all hold, false if none does.
 * @param {readonly boolean[]} parts
 * @returns {Verdict}
 */
export const verdictOf = (parts) => (parts.every(Boolean) ? 'true' : parts.some(Boolean) ? 'it depends' : 'false');

/**
 * Makes a claim's `outcome`. A control or a boundary cannot have a verdict: it is described, never judged.
 * Only the verdict `it depends` has `on`, its condition.
 * @param {Claim} claim
 * @param {(numbers: any) => Omit<Judged, 'kind'>} judge at the sentence's own switches
 * @param {(numbers: any, settings: any) => string} describe at others
 * @returns {ClaimModule['outcome']}
 */
export const outcomeOf = (claim, judge, describe) => (numbers, params) => {
  const kind = kindOf(claim, params);
  if (kind !== 'sentence') return { kind, found: describe(numbers, settingsOf(claim, params)) };
  const { verdict, on, found } = judge(numbers);
  return { kind, verdict, ...(verdict === 'it depends' && { on }), found };
};
