// Fields for a number, which say in words what they allow: the browser's bubble would cover what is below.

import { html, nothing } from 'lit-html';
import { withMinus } from './numbers.js';
import { typed as typedIn } from './typed.js';

/**
 * `name`: of all fields of the page; `value`: as it is written now, '' for none; `step`: 1 for whole numbers.
 * @typedef {{
 *   name: string, label: string, min: number, max: number, step?: number | 'any', value: string, className?: string,
 *   id?: string,
 * }} NumberField
 */

const NONE = { name: '', value: '', typed: '' };

/** @param {() => void} redraw draws the fields again */
export function createNumberFields(redraw) {
  /** The number that was refused, until the field gets another value. */
  let wrong = NONE;

  /**
   * @param {NumberField} field
   * @param {(value: number) => void} use a number that is allowed
   * @param {() => void} [clear] the field may be emptied
   */
  return ({ name, label, min, max, step = 'any', value, className, id }, use, clear) => {
    const isWrong = wrong.name === name && wrong.value === value;
    const problem = `problem-${encodeURIComponent(name)}`;
    /** @param {Event} event */
    function change({ target }) {
      const field = /** @type {HTMLInputElement} */ (target);
      const { validity, value: typed, valueAsNumber } = field;
      const mayUse =
        typed && !validity.rangeOverflow && !validity.rangeUnderflow && !(step === 1 && validity.stepMismatch);
      const mayClear = clear && !typed && !validity.badInput;
      wrong = mayUse || mayClear ? NONE : { name, value, typed };
      if (isWrong || wrong !== NONE) redraw();
      if (mayUse) use(valueAsNumber);
      else if (mayClear) clear();
    }
    const refusal = () =>
      html`<span class="error" id=${problem} role="alert">${
        wrong.typed && `${withMinus(wrong.typed)} is not possible. `
      }Enter a ${step === 1 ? 'whole ' : ''}number from ${written(min)} to ${written(max)}.</span>`;
    return html`<label>${label} <input id=${id ?? nothing} class=${className ?? nothing}
      type="number" min=${min} max=${max} step=${step}
      aria-invalid=${isWrong ? 'true' : nothing} aria-describedby=${isWrong ? problem : nothing}
      .value=${typedIn(isWrong ? wrong.typed : value, name)}
      @change=${change}></label>${isWrong ? refusal() : nothing}`;
  };
}

/** @param {number} value */
const written = (value) => withMinus(value.toLocaleString('en'));
