// A control of a form with its label, and below it why its value cannot be: a number, a menu or a switch.

import { html, nothing } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { typed } from '../draw/typed.js';
import { isChecked, valueOf } from './controls.js';

/**
 * `described`: ids of other texts about it; `problem`: has the id
 * `problemId`; `step`: 1 for whole numbers; `onChange` is given the text, or whether a switch is on.
 * @typedef {{
 *   kind: 'number' | 'choice' | 'flag', id: string, label: unknown, className: string, value: unknown,
 *   choices?: readonly (readonly [string, string])[], low?: number, high?: number, step?: 1 | 'any',
 *   problem?: unknown, problemId?: string, described?: string,
 *   onInput?: (text: string) => void, onChange: (value: any) => void,
 * }} Field
 */

/** @param {Field} field */
export function field(field) {
  const { kind, id, label, className, value, problem, problemId = `${id}-problem`, described } = field;
  const about = [problem && problemId, described].filter(Boolean).join(' ') || nothing;
  const invalid = problem ? 'true' : 'false';
  const message = problem ? html`<p class="error" id=${problemId} role="alert">${problem}</p>` : nothing;
  const named = html`<label for=${id}>${label}</label>`;
  const change = (/** @type {Event} */ event) => field.onChange(kind === 'flag' ? isChecked(event) : valueOf(event));
  if (kind === 'flag')
    return html`<div class=${className}>
      <input id=${id} type="checkbox" .checked=${live(Boolean(value))} aria-invalid=${invalid}
        aria-describedby=${about} @change=${change}>
      ${named}${message}
    </div>`;
  if (kind === 'choice')
    return html`<div class=${className}>
      ${named}
      <select id=${id} aria-invalid=${invalid} aria-describedby=${about} .value=${live(String(value))}
        @change=${change}>
        ${field.choices?.map(
          ([each, text]) => html`<option value=${each} ?selected=${each === String(value)}>${text}</option>`,
        )}
      </select>
      ${message}
    </div>`;
  const { step = 'any', low, high, onInput } = field;
  return html`<div class=${className}>
    ${named}
    <input id=${id} type="number" inputmode=${step === 1 ? 'numeric' : 'decimal'} step=${step} min=${low ?? nothing}
      max=${high ?? nothing} aria-invalid=${invalid} aria-describedby=${about}
      .value=${typed(String(value), id)}
      @input=${(/** @type {Event} */ event) => onInput?.(valueOf(event))} @change=${change}>
    ${message}
  </div>`;
}

// Controls that several views have in their heads.
