// The form in which a claim of one's own is written.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import {
  LABELS,
  LONGEST,
  MEASURES,
  MOST,
  SWITCHES,
  TASK_NAMES,
  fieldOf,
  firstSpec,
  planText,
  readOwn,
} from './spec.js';
import { CHECK_EVERY, writeValue } from '../../train/settings/settings.js';
import { TEXTS } from '../../train/tasks.js';

/**
 * @typedef {ReadonlyMap<string, import('./spec.js').Facts>} Tasks
 * @typedef {{onInput: (event: Event) => void, onMake: (spec: import('./spec.js').Spec) => void}} FormActions
 * @typedef {import('./spec.js').Refusal} Refusal
 */

const MOST_NAMED = 3; // of what is wrong

/** What stands in its fields. @param {HTMLFormElement} form */
const partsOf = (form) => new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));

/** A value of a switch other than the recipe's. @param {string} name @param {import('./spec.js').Facts} facts */
function otherValue(name, { recipe }) {
  const { kind, choices } = fieldOf(name);
  if (kind === 'flag') return recipe[name] ? '0' : '1';
  return kind === 'choice' ? (choices.find(([each]) => each !== recipe[name])?.[0] ?? '') : writeValue(recipe[name]);
}

/**
 * The form after an event: what hangs on another choice gets a value that fits.
 * @param {Event} event @param {Tasks} tasks
 */
export function changed({ target, currentTarget }, tasks) {
  const draft = partsOf(/** @type {HTMLFormElement} */ (currentTarget));
  const { name } = /** @type {HTMLInputElement} */ (target);
  const facts = /** @type {import('./spec.js').Facts} */ (tasks.get(draft.get('task') ?? ''));
  const chosen = draft.get('switch');
  if (name === 'task') draft.set('steps', String(Math.min(MOST.steps, Number(facts.recipe.steps))));
  if (name === 'task' || name === 'switch') {
    draft.delete('to');
    if (chosen) draft.set('to', otherValue(chosen, facts));
  }
  if (name === 'measure') draft.set('threshold', String(MEASURES[/** @type {'rows'} */ (draft.get('measure'))].first));
  return draft;
}

/** @param {string} name of a field */
const problemId = (name) => `claims-own-${name}-problem`;

/**
 * The fields of a form, of which some are wrong.
 * @param {Refusal[]} problems
 * @param {Refusal[]} named those that the form says
 */
function createFields(problems, named) {
  const has = (/** @type {Refusal[]} */ all, /** @type {string} */ name) => all.some((each) => each.name === name);
  const invalid = (/** @type {string} */ name) => (has(problems, name) ? 'true' : nothing);
  const described = (/** @type {string} */ name) => (has(named, name) ? problemId(name) : nothing);

  return {
    /** @param {string | null} value */
    sentence: (value) =>
      html`<label class="claims-own-sentence"
        >${LABELS.own}
        <textarea
          name="own"
          rows="2"
          maxlength=${LONGEST}
          dir="auto"
          aria-invalid=${invalid('own')}
          aria-describedby=${described('own')}
          .value=${live(value ?? '')}
        ></textarea>
      </label>`,

    /**
     * @param {string} name @param {[string, string][]} options value and label
     * @param {string | null} value
     */
    select: (name, options, value) =>
      html`<label
        >${LABELS[name]}
        <select name=${name} aria-invalid=${invalid(name)} aria-describedby=${described(name)}>
          ${options.map(
            ([each, text]) => html`<option value=${each} .selected=${live(each === value)}>${text}</option>`,
          )}
        </select></label
      >`,

    /**
     * @param {string} name @param {string | null} value
     * @param {{least?: number, most?: number}} [range]
     */
    number: (name, value, { least, most } = {}) =>
      html`<label
        >${LABELS[name]}
        <input
          name=${name}
          type="text"
          inputmode="decimal"
          autocomplete="off"
          size="8"
          aria-invalid=${invalid(name)}
          aria-describedby=${described(name)}
          .value=${live(value ?? '')}
        />
        ${
          most === undefined ? nothing : html`<span class="hint">${least} to ${most.toLocaleString('en')}</span>`
        }</label
      >`,
  };
}

/** @typedef {ReturnType<typeof createFields>} Fields */

/** The value to which the switch is set. @param {Fields} fields @param {string} name @param {string | null} value */
function valueField({ select, number }, name, value) {
  const { kind, choices, low, high } = fieldOf(name);
  /** @type {[string, string][]} */
  const states = [
    ['0', 'off'],
    ['1', 'on'],
  ];
  if (kind === 'flag') return select('to', states, value);
  return kind === 'choice' ? select('to', choices, value) : number('to', value, { least: low, most: high });
}

/**
 * @param {URLSearchParams} given of the link, or as it was typed
 * @param {Tasks} tasks
 * @param {FormActions} actions
 */
export function form(given, tasks, { onInput, onMake }) {
  const task = TASK_NAMES.find((each) => each === given.get('task')) ?? TASK_NAMES[0];
  const isLink = given.has('task'); // else nothing but a sentence is asked for
  const first = /** @type {Record<string, string>} */ (firstSpec(tasks, task, ''));
  const valueOf = (/** @type {string} */ name) => given.get(name) ?? (isLink && name === 'switch' ? '' : first[name]);
  const chosen = SWITCHES.find((each) => each === valueOf('switch')) ?? '';
  const facts = /** @type {import('./spec.js').Facts} */ (tasks.get(task));
  const submit = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const written = /** @type {HTMLFormElement} */ (event.currentTarget);
    const { spec: made } = readOwn(partsOf(written), tasks);
    if (made) return onMake(made);
    onInput(event); // which says what is wrong
    /** @type {HTMLElement | null} */ (written.querySelector('[aria-invalid]'))?.focus();
  };
  const { spec, refused } = readOwn(given, tasks);
  const problems = isLink ? refused : [];
  const named = problems.slice(0, MOST_NAMED);
  const more = problems.length - named.length;
  const fields = createFields(problems, named);
  const { select, number } = fields;
  return html`<h3 id="claims-own" tabindex="-1">Your own claim</h3>
    <p class="hint">Write a sentence and choose the test for it. The card gets a link; whoever opens it can run it.</p>
    <form class="claims-own-form" @input=${onInput} @submit=${submit} novalidate>
      ${fields.sentence(given.get('own'))}
      ${select(
        'task',
        TASK_NAMES.map((each) => [each, TEXTS[each].title]),
        task,
      )}
      ${select(
        'switch',
        [
          ['', 'None: the recipe'],
          ...SWITCHES.map((each) => /** @type {[string, string]} */ ([each, fieldOf(each).label])),
        ],
        chosen,
      )}
      ${chosen ? valueField(fields, chosen, given.get('to') ?? otherValue(chosen, facts)) : nothing}
      ${select(
        'measure',
        Object.entries(MEASURES).map(([each, { label }]) => [each, label]),
        valueOf('measure'),
      )}
      ${select(
        'at',
        [
          ['least', 'at least'],
          ['most', 'at most'],
        ],
        valueOf('at'),
      )}
      ${number('threshold', valueOf('threshold'))}
      ${number('steps', valueOf('steps'), { least: CHECK_EVERY, most: MOST.steps })}
      ${number('seeds', valueOf('seeds'), { least: 1, most: MOST.seeds })}
      ${number('seed', valueOf('seed'))}
      <div class="error" role="alert" ?hidden=${!problems.length}>
        ${named.map(({ name, said }) => html`<p id=${name ? problemId(name) : nothing}><bdi>${said}</bdi>.</p>`)}
        ${more ? html`<p>And ${more.toLocaleString('en')} more.</p>` : nothing}
      </div>
      ${spec ? html`<p class="claims-own-plan">${planText(spec)} Is that what your sentence says?</p>` : nothing}
      <button class="primary">Make the card</button>
    </form>`;
}
