// What an element of a template does beside showing its content: <div ${figure({ … })} ${reveal(row)}>.

import { AsyncDirective } from 'lit-html/async-directive.js';
import { directive } from 'lit-html/directive.js';
import { announceFigure } from '../draw/figure.js';
import { revealHere } from '../draw/reveal.js';

/** @typedef {{name: string, tables: () => import('../draw/figure.js').Table[]}} Figure */

/**
 * A directive of an element that acts on it once the element is on the page.
 * @template T
 * @param {(element: HTMLElement, next: T, before: T | undefined) => void} act
 */
const acting = (act) =>
  directive(
    class extends AsyncDirective {
      /** @type {T | undefined} */
      #before;

      /** @param {import('lit-html').ElementPart} part @param {[T]} values */
      update({ element }, [next]) {
        const before = this.#before;
        this.#before = next;
        queueMicrotask(() => this.isConnected && act(/** @type {HTMLElement} */ (element), next, before));
      }

      /** @param {T} _next */
      render(_next) {}
    },
  );

/**
 * The element is a figure that the reader can save, or what `select` finds in it; null: it is none now.
 * @type {(figure: (Figure & {select?: string}) | null) => unknown}
 */
export const figure = acting((element, next) => {
  const found = next?.select ? element.querySelector(next.select) : element;
  announceFigure(element, next && found ? { name: next.name, element: found, tables: next.tables } : null);
});

/** Keeps the table's row with the class 'here' in sight when it changes. @type {(row: unknown) => unknown} */
export const reveal = acting((element, next, before) => void (next !== before && revealHere(element)));
