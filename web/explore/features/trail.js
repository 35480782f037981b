// A trail: its button in the menu; the bar's code is fetched when one is recorded or played.

import { html } from 'lit-html';

/** @type {Promise<ReturnType<typeof import('../shared/trail.js').createTrail>> | null} */
let bar = null;

/** @param {import('../index.js').Tools} tools */
const fetchBar = (tools) =>
  (bar ??= import('../shared/trail.js')
    .then(({ createTrail }) => createTrail(tools))
    .catch((error) => {
      bar = null; // the next change tries again
      delete document.documentElement.dataset.trail;
      throw error;
    }));

/** Shows the bar what the page shows, if there is a bar. @param {import('../index.js').Tools} tools */
function follow(tools) {
  if (tools.get().trail || bar) fetchBar(tools).then(({ follow }) => follow(tools.get()));
}

/** @type {import('../index.js').InputFeature} */
export const trailButton = {
  name: 'trail-button',
  slot: 'more',
  input: true,
  render({ state }, tools) {
    queueMicrotask(() => {
      if (state.trail) document.documentElement.dataset.trail ??= 'ask'; // before an answer is seen
      follow(tools);
    });
    return html`<button type="button" id="trail-button" aria-expanded="false" aria-controls="trail"
      title="Collect views with a question each, as one link for a class"
      @click=${async () => (await fetchBar(tools)).toggle()}>Trail</button>`;
  },
};

/** The bar's answers are the result's. @type {import('../index.js').Feature} */
export const trail = {
  name: 'trail',
  slot: 'more',
  first: true,
  typing: true,
  render(_, tools) {
    queueMicrotask(() => follow(tools));
    return null;
  },
};
