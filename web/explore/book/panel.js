// The textbook: its button, and the book, which is fetched when it is first opened.

import { html } from 'lit-html';

/** @typedef {typeof import('./book.js').createBook} CreateBook */

/** An address that names a page of the book and nothing that the page sets. */
const BARE = /^#(\/explore\?)?((model=\w+|layout=\w+)&)*book=\d+(&layout=\w+)?$/;

/** @type {ReturnType<CreateBook> | null} */
let made = null;

/** @type {import('../index.js').Input<import('../index.js').State>} */
export const bookButton = {
  name: 'book-button',
  slot: 'models',
  section: html`<button type="button" id="book-button" aria-expanded="false">Textbook</button>`,
  input: ({ state }) => state,
  create(root, tools) {
    let isAsked = false;
    let isBare = false;
    root.addEventListener('click', () => (tools.get().book === null ? tools.set({ book: 0 }) : made?.leave()));
    return {
      /** @param {import('../index.js').State} state */
      async update(state) {
        const { book } = state;
        root.ariaExpanded = String(book !== null);
        if (book && !made) isBare ||= BARE.test(location.hash);
        if (made) return made.follow(state, { isBare: BARE.test(location.hash) });
        if (book === null || isAsked) return;
        isAsked = true;
        const { createBook } = await import('./book.js');
        made = createBook(/** @type {HTMLElement} */ (document.getElementById('book')), root, tools);
        made.follow(tools.get(), { isBare });
        tools.set({}); // what its page needs is asked for
      },
    };
  },
};

/** @type {import('../index.js').Panel<import('../index.js').Context>} */
export const book = {
  name: 'book',
  section: html`<aside id="book" class="book" tabindex="-1" aria-labelledby="book-title" hidden></aside>`,
  required: (query) => made?.required(query) ?? [],
  present: (context) => context,
  create: () => ({ update: (context) => made?.update(context), destroy() {} }),
};
