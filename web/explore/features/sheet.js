// In a narrow window why and try lie in a sheet at its bottom: the tabs that open it, and a click on a cell.

import { html } from 'lit-html';
import { openNode } from '../../engine/plan.js';

/** @type {Record<string, string>} */
const TABS = { why: 'Why', try: 'Try' };
const TABS_OF_WORDS = { try: 'Try' }; // the ids are not computed

/**
 * @param {string} tab '' closes it
 * @param {(patch: object) => void} remember
 */
function open(tab, remember) {
  remember({ tab });
  const pane = document.getElementById('sheet')?.parentElement;
  if (pane) pane.scrollTop = 0;
}

/** @type {import('../index.js').InputFeature} */
export const sheet = {
  name: 'sheet',
  slot: 'why',
  input: true,
  local: { tab: '', led: 0 },
  begin({ local }) {
    document.addEventListener('click', ({ target }) => {
      const cell = ':is(#heatmap, .picture) .map-cells, #lines .edge';
      if (/** @type {Element} */ (target).closest(cell)) open('why', local);
    });
  },
  render({ state, local: { tab, led } }, { get, set, local }) {
    const { plays } = state;
    const tabs = openNode(state) === 'tokens' ? TABS_OF_WORDS : TABS;
    const shown = tab in tabs ? tab : '';
    // Another place led to a weight: Why plays in sight.
    if (plays && plays !== led) queueMicrotask(() => local({ tab: 'why', led: plays }));
    const learn = () => {
      open('', local);
      set({ book: get().book ?? 0 });
    };
    return html`<div id="sheet" class="sheet-tabs" role="group" aria-label="Panels" data-sheet=${shown}>
      ${Object.entries(tabs).map(
        ([each, name]) => html`<button type="button" class="plain" aria-expanded=${shown === each}
          @click=${() => open(shown === each ? '' : each, local)}>${name}</button>`,
      )}<button type="button" class="plain" @click=${learn}>Learn</button></div>`;
  },
};
