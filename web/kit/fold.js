// Opens or closes the fold around an element each time `key` changes; between, it is the reader's. `isOpen`: undefined
// leaves it. Apart from figure.js, whose directives the first opening does not need.

import { Directive, directive } from 'lit-html/directive.js';

/** @type {(how: {key: unknown, isOpen: boolean | undefined}) => unknown} */
export const fold = directive(
  class extends Directive {
    /** @type {unknown} */
    #key = {};

    /** @param {any} part @param {[{key: unknown, isOpen: boolean | undefined}]} how */
    update({ element }, [{ key, isOpen }]) {
      if (key === this.#key) return;
      this.#key = key;
      queueMicrotask(() => {
        const box = element.closest('details');
        if (box && isOpen !== undefined) box.open = isOpen;
      });
    }

    /** @param {unknown} _how */
    render(_how) {}
  },
);
