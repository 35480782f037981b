// A claim of the reader's own, as its link has it:
// '#/claims?own=Without+positions+it+learns&task=reverse&switch=positions&to=none&measure=rows&at=least&threshold=0.9'.
// Links come from strangers, so everything is bounded, and refused by name.

import { secondsOf } from '../../train/settings/cost.js';
import { CHECK_EVERY, FIELDS, problemOf, readValue, valueText, writeValue } from '../../train/settings/settings.js';
import { TEXTS } from '../../train/tasks.js';

/**
 * @typedef {Pick<import('../../train/run/worker.js').TaskFacts, 'recipe' | 'width' | 'words'>} Facts of a task
 * @typedef {'rows' | 'tokens' | 'loss' | 'steps'} Measure
 * @typedef {{
 *   own: string, task: string, switch: string, to: import('../../train/settings/settings.js').Value | null,
 *   measure: Measure, at: 'least' | 'most', threshold: number, steps: number, seeds: number, seed: number,
 * }} Spec `own`: the sentence; `switch`: '' where the task's recipe is left as it is
 * @typedef {{name: string, said: string}} Refusal `name`: of the field that is wrong; '': of the link as a whole
 */

/** What the form calls the parts of a link, in its order. @type {Record<string, string>} */
export const LABELS = {
  ...{ own: 'Sentence', task: 'Task', switch: 'Switch', to: 'set to', measure: 'Measure', at: 'Bound' },
  ...{ threshold: 'Threshold', steps: 'Steps', seeds: 'Number of seeds', seed: 'First seed' },
};
export const NAMES = Object.keys(LABELS);
export const TASK_NAMES = ['reverse', 'copy', 'sort', 'order', 'addition', 'induction', 'reverse-variable', 'story'];
export const SWITCHES = [
  ...['positions', 'scoreScale', 'residual', 'norm', 'heads', 'causal'],
  ...['layers', 'd_model', 'd_ff', 'activation', 'learningRate'],
];
/** @type {Record<Measure, {label: string, most: number, first: number}>} */
export const MEASURES = {
  rows: { label: 'share of held-out rows wholly right', most: 1, first: 0.9 },
  tokens: { label: 'share of held-out tokens right', most: 1, first: 0.9 },
  loss: { label: 'held-out loss', most: 100, first: 0.5 },
  steps: { label: 'steps until 90 % of held-out rows are right', most: 2000, first: 200 },
};
export const LONGEST = 200; // characters of a sentence
export const MOST = { steps: 2000, seeds: 10, seed: 2 ** 31 - 11, seconds: 600 };
const HIDDEN = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u; // would turn or hide what stands beside it
const SHORT = 40; // characters of a value that is refused

/** The field of a switch. @param {string} name */
export const fieldOf = (name) =>
  /** @type {import('../../train/settings/settings.js').Field} */ (FIELDS.find((each) => each.name === name));

/** What the form begins with. @param {ReadonlyMap<string, Facts>} tasks @param {string} task @param {string} own */
export const firstSpec = (tasks, task, own) => ({
  ...{ own, task, switch: 'positions', to: 'none', measure: 'rows', at: 'least', threshold: '0.9' },
  steps: String(Math.min(MOST.steps, Number(tasks.get(task)?.recipe.steps))),
  ...{ seeds: '5', seed: '0' },
});

/** With which the task is trained. @param {Spec} spec @param {Facts} facts */
export const settingsOf = ({ switch: name, to }, { recipe }) => (name ? { ...recipe, [name]: to ?? '' } : recipe);

/** How many seconds it takes about. @param {Spec} spec @param {Facts} facts */
export const costOf = (spec, facts) => secondsOf(settingsOf(spec, facts), facts, spec.seeds * spec.steps);

/** @param {Spec} spec */
export const writeOwn = (spec) =>
  `#/claims?${new URLSearchParams(
    NAMES.flatMap((name) => {
      const value = /** @type {Record<string, any>} */ (spec)[name];
      return value === null || value === '' ? [] : [[name, writeValue(value)]];
    }),
  )}`;

/**
 * @param {URLSearchParams} parts of a link, or of the form
 * @param {ReadonlyMap<string, Facts>} tasks
 * @returns {{spec: Spec | null, refused: Refusal[]}} `refused`: each by its label and value
 */
export function readOwn(parts, tasks) {
  /** @type {Refusal[]} */
  const refused = [];
  /** @param {string} name @param {string} rule @param {string} [label] @returns {any} */
  const refuse = (name, rule, label = LABELS[name]) => {
    const text = parts.get(name);
    refused.push({ name, said: `${label} ${rule}, ${text === null ? 'but is missing' : `not ${quoted(text)}`}` });
  };
  /** @param {string} name @param {readonly string[]} all */
  const oneOf = (name, all) =>
    all.find((each) => each === parts.get(name)) ?? refuse(name, `must be one of ${all.join(', ')}`);
  /** @param {string} name @param {number} least @param {number} most @param {RegExp} form */
  const number = (name, least, most, form) => {
    const value = Number(parts.get(name));
    if (form.test(parts.get(name) ?? '') && value >= least && value <= most) return value;
    const wanted = form === WHOLE ? 'a whole number' : 'a number';
    return refuse(name, `must be ${wanted} from ${least} to ${most.toLocaleString('en')}`);
  };

  for (const name of new Set(parts.keys())) {
    const said = ![...NAMES, 'edit'].includes(name)
      ? `A claim has no part ${quoted(name)}`
      : parts.getAll(name).length > 1 && `The link names “${name}” ${parts.getAll(name).length} times`;
    if (said) refused.push({ name: '', said });
  }
  const own = (parts.get('own') ?? '').replace(/\s+/g, ' ').trim();
  if (!own || own.length > LONGEST) refuse('own', `must have 1 to ${LONGEST} characters`);
  else if (HIDDEN.test(own)) refuse('own', 'must be without control characters');
  const task = oneOf('task', TASK_NAMES);
  const measure = /** @type {Measure} */ (oneOf('measure', Object.keys(MEASURES)));
  const at = oneOf('at', ['least', 'most']);
  const steps = number('steps', CHECK_EVERY, MOST.steps, WHOLE);
  if (steps % CHECK_EVERY) refuse('steps', `must be a multiple of ${CHECK_EVERY}`);
  const most = measure === 'steps' ? (steps ?? MOST.steps) : MEASURES[measure]?.most;
  const threshold = most === undefined ? 0 : number('threshold', 0, most, DECIMAL);
  const seeds = number('seeds', 1, MOST.seeds, WHOLE);
  const seed = parts.has('seed') ? number('seed', 0, MOST.seed, WHOLE) : 0;
  const name = parts.get('switch') ? oneOf('switch', SWITCHES) : '';
  const facts = tasks.get(task);
  let to = null;
  if (name && facts) {
    const text = parts.get('to') ?? '';
    const field = fieldOf(name);
    to = readValue(field, text);
    const problem =
      field.kind === 'flag' && !/^[01]$/.test(text) ? 'must be 0 or 1' : problemOf(field, to, facts.recipe);
    if (problem) refuse('to', problem, field.label);
  }
  if (refused.length || !facts) {
    const order = (/** @type {Refusal} */ { name }) => NAMES.indexOf(name);
    return { spec: null, refused: refused.sort((a, b) => order(a) - order(b)) };
  }
  const spec = { own, task, switch: name, to, measure, at, threshold, steps, seeds, seed };
  const seconds = costOf(spec, facts);
  if (seconds <= MOST.seconds) return { spec, refused };
  const minutes = Math.ceil(seconds / 60).toLocaleString('en');
  const said = `Steps × number of seeds must take at most about ${MOST.seconds / 60} minutes, not about ${minutes}`;
  return { spec: null, refused: [{ name: 'steps', said }] };
}

/** @param {string} text */
const quoted = (text) => `“${text.length > SHORT ? `${text.slice(0, SHORT)}…` : text}”`;

const WHOLE = /^\d{1,10}$/;
const DECIMAL = /^\d{1,5}(\.\d{1,6})?$/;

/** @param {Measure} measure */
const isShare = (measure) => measure === 'rows' || measure === 'tokens';

/** As it is tested, to its last digit. @param {Pick<Spec, 'measure' | 'threshold'>} spec */
export const thresholdText = ({ measure, threshold }) =>
  (isShare(measure) ? 100 * threshold : threshold).toLocaleString('en', { maximumFractionDigits: 6 }) +
  (isShare(measure) ? ' %' : '');

/**
 * A measured value, rounded: neither to the threshold or beyond it, nor a part to the whole.
 * @param {Pick<Spec, 'measure' | 'threshold'>} spec @param {number} value
 */
export function measured({ measure, threshold }, value) {
  if (Number.isNaN(value)) return 'training broke off';
  if (value === Infinity) return 'never';
  if (measure === 'steps') return value.toLocaleString('en');
  const marks = isShare(measure) ? [threshold, 1] : [threshold];
  let digits = 1;
  let rounded = NaN;
  do rounded = Number(value.toPrecision(++digits));
  while (digits < 17 && marks.some((mark) => Math.sign(rounded - mark) !== Math.sign(value - mark)));
  return isShare(measure) ? `${Number((100 * rounded).toPrecision(digits))} %` : String(rounded);
}

/** What the experiment does, in words. @param {Spec} spec */
export function planText(spec) {
  const { task, switch: name, to, steps, seeds, seed } = spec;
  const change = name && to !== null ? `, with one switch set (${valueText([name, to])}),` : ' as its recipe has it';
  const which = seeds === 1 ? `seed ${seed}` : `seeds ${seed} to ${seed + seeds - 1}`;
  return (
    `Train ${TEXTS[task].title}${change} for ${steps.toLocaleString('en')} steps, with ${which}. ` +
    `A seed counts as “true” if the ${ruleText(spec)}.`
  );
}

/** What counts as true, whatever the sentence says. @param {Spec} spec */
export function ruleText(spec) {
  const when = spec.measure === 'steps' ? '' : ' at the end';
  return `${MEASURES[spec.measure].label}${when} is at ${spec.at} ${thresholdText(spec)}`;
}
