// The lessons: their button, and the panel beside the page; the code is fetched when one is opened.

import { html } from 'lit-html';

/** An address that names a lesson and nothing that the lesson sets. */
const BARE = /^#(\/explore\?)?((model=\w+|layout=\w+)&)*(book|puzzle)=\d+(&layout=\w+)?$/;

/** @type {ReturnType<typeof import('./lessons.js').createLessons> | null} */
let made = null;

/** @type {import('../index.js').Input<import('../index.js').State>} */
export const bookButton = {
  name: 'book-button',
  slot: 'learn',
  section: html`<button type="button" class="plain" id="book-button" aria-expanded="false">Lessons</button>`,
  input: ({ state }) => state,
  create(button, tools) {
    let isAsked = false;
    let isBare = false;
    button.addEventListener('click', () => (tools.get().book === null ? tools.set({ book: 0 }) : made?.leave()));
    return {
      /** @param {import('../index.js').State} state */
      async update(state) {
        button.ariaExpanded = String(state.book !== null);
        if (state.book && !made) isBare ||= BARE.test(location.hash);
        if (made) return made.follow(state, { isBare: BARE.test(location.hash) });
        if (state.book === null || isAsked) return;
        isAsked = true;
        const { createLessons } = await import('./lessons.js');
        made = createLessons(/** @type {HTMLElement} */ (document.getElementById('book')), button, tools);
        made.follow(tools.get(), { isBare });
        tools.set({}); // what its numbers need is asked for
      },
    };
  },
};

/** @type {import('../index.js').Panel<import('../index.js').Context>} */
export const book = {
  name: 'book',
  section: html`<aside id="book" class="side book" tabindex="-1" aria-labelledby="book-title" hidden></aside>`,
  required: (query) => made?.required(query) ?? [],
  present: (context) => context,
  create: () => ({ update: (context) => made?.update(context), destroy() {} }),
};
