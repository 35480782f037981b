// The value of a field that the reader types in: .value=${typed(value, name)}. An update leaves what is being typed
// until the reader uses it (Enter) or leaves the field, or it is given another value or name.

import { noChange } from 'lit-html';
import { Directive, directive } from 'lit-html/directive.js';

/** @type {(value: string, name: string) => unknown} */
export const typed = directive(
  class extends Directive {
    #isTyping = false;
    /** @type {[value: string, name: string] | null} */
    #last = null;

    /** @param {string} value @param {string} _name */
    render(value, _name) {
      return value;
    }

    /** @param {import('lit-html').PropertyPart} part @param {[value: string, name: string]} given */
    update({ element }, given) {
      const field = /** @type {HTMLInputElement} */ (element);
      if (!this.#last) {
        field.addEventListener('input', () => (this.#isTyping = true));
        for (const end of ['change', 'blur'])
          field.addEventListener(end, () => (this.#isTyping = false), { capture: true }); // before what uses it
      }
      const isSame = this.#last?.every((each, i) => each === given[i]);
      this.#isTyping &&= Boolean(isSame);
      this.#last = given;
      if (!this.#isTyping && field.value !== given[0]) field.value = given[0];
      return noChange;
    }
  },
);
