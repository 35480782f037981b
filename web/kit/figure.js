// Directives that save an element as a figure and scroll to a row: <div ${figure({ … })} ${reveal(row)}>.

import { AsyncDirective } from 'lit-html/async-directive.js';
import { directive } from 'lit-html/directive.js';
import { announceFigure } from '../draw/figure.js';

/** @typedef {{name: string, tables: () => import('../draw/figure.js').Table[]}} Figure */

/**
 * A directive of an element that acts on it once the element is on the page.
 * @template T
 * @param {(element: HTMLElement, next: T, before: T | undefined) => void} act
 * @param {(element: HTMLElement) => void} [end] when it leaves the page
 */
export const acting = (act, end) =>
  directive(
    class extends AsyncDirective {
      /** @type {T | undefined} */
      #before;
      /** @type {HTMLElement | null} */
      #element = null;

      /** @param {import('lit-html').ElementPart} part @param {[T]} values */
      update({ element }, [next]) {
        const before = this.#before;
        const here = /** @type {HTMLElement} */ (element);
        this.#before = next;
        this.#element = here;
        queueMicrotask(() => this.isConnected && act(here, next, before));
      }

      disconnected() {
        if (this.#element) end?.(this.#element); // which still stands there
      }

      /** @param {T} _next */
      render(_next) {}
    },
  );

/** @param {HTMLElement} element */
const none = (element) => void announceFigure(element, null);

/**
 * The element is a figure that the reader can save, or what `select` finds in it, or the element with the id `of`;
 * null: it is none now.
 * @type {(figure: (Figure & {select?: string, of?: string}) | null) => unknown}
 */
export const figure = acting((element, next) => {
  const found = next?.of
    ? document.getElementById(next.of)
    : next?.select
      ? element.querySelector(next.select)
      : element;
  announceFigure(element, next && found ? { name: next.name, element: found, tables: next.tables } : null);
}, none);

/** Keeps the table's row with the class 'here' in sight when it changes. @type {(row: unknown) => unknown} */
export const reveal = acting((element, next, before) => void (next !== before && revealHere(element)));

const MARGIN = '300px';

/** Calls once, when the element comes into the window or near it. @type {(call: () => void) => unknown} */
export const inSight = acting((element, call, before) => {
  if (before) return;
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      observer.disconnect();
      call();
    },
    { rootMargin: MARGIN },
  );
  observer.observe(element);
});

/** @param {HTMLElement} root of one table that scrolls and has a row with the class 'here' */
function revealHere(root) {
  requestAnimationFrame(() => {
    const row = /** @type {HTMLElement | null} */ (root.querySelector('tr.here'));
    const scroller = row?.closest('.table-scroll');
    if (!row || !scroller) return;
    const [inner, outer] = [row, scroller].map((each) => each.getBoundingClientRect());
    const below = inner.bottom - outer.bottom + 2;
    const above = outer.top - inner.top + 2;
    if (below > 0) scroller.scrollTop += below;
    else if (above > 0) scroller.scrollTop -= above;
  });
}
