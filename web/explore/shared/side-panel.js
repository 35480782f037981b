// A button, and the panel that it opens beside the page. The panel's code is fetched when it is first opened, by the
// button or by a link.

import { html } from 'lit-html';

/**
 * What the fetched code makes. `follow`: what the panel does when the state is another.
 * @typedef {{
 *   leave: () => void, required: (query: import('../index.js').Query) => string[],
 *   update: (context: import('../index.js').Context | null) => void,
 *   follow: (state: import('../index.js').State, link: {isBare: boolean}) => void,
 * }} Side
 * @typedef {(root: HTMLElement, button: HTMLElement, tools: import('../index.js').Tools) => Side} CreateSide
 */

/** Those that share the column: one is open at a time. */
const CLOSED = { book: null, puzzle: null };

/**
 * @param {{field: keyof typeof CLOSED, label: string, load: () => Promise<CreateSide>}} options
 * @returns {{
 *   button: import('../index.js').Input<import('../index.js').State>,
 *   panel: import('../index.js').Panel<import('../index.js').Context>,
 * }}
 */
export function sidePanel({ field, label, load }) {
  /** An address that names one of its pages and nothing that the page sets. */
  const bare = new RegExp(`^#(/explore\\?)?((model=\\w+|layout=\\w+)&)*${field}=\\d+(&layout=\\w+)?$`);
  /** @type {Side | null} */
  let made = null;

  /** @param {HTMLElement} button @param {import('../index.js').Tools} tools */
  function createButton(button, tools) {
    let isAsked = false;
    let isBare = false;
    button.addEventListener('click', () =>
      tools.get()[field] === null ? tools.set({ ...CLOSED, [field]: 0 }) : made?.leave(),
    );
    return {
      /** @param {import('../index.js').State} state */
      async update(state) {
        button.ariaExpanded = String(state[field] !== null);
        if (state[field] && !made) isBare ||= bare.test(location.hash);
        if (made) return made.follow(state, { isBare: bare.test(location.hash) });
        if (state[field] === null || isAsked) return;
        isAsked = true;
        const create = await load();
        made = create(/** @type {HTMLElement} */ (document.getElementById(field)), button, tools);
        made.follow(tools.get(), { isBare });
        tools.set({}); // what its page needs is asked for
      },
    };
  }

  return {
    button: {
      name: `${field}-button`,
      slot: 'learn',
      section: html`<button type="button" class="plain" id="${field}-button" aria-expanded="false">${label}</button>`,
      input: ({ state }) => state,
      create: createButton,
    },
    panel: {
      name: field,
      section: html`<aside id=${field} class="side ${field}" tabindex="-1" aria-labelledby="${field}-title"
        hidden></aside>`,
      required: (query) => made?.required(query) ?? [],
      present: (context) => context,
      create: () => ({ update: (context) => made?.update(context), destroy() {} }),
    },
  };
}
