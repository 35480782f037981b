// In a narrow window why and try lie in a sheet at its bottom: the tabs that open it, and a click on a cell.

import { html } from 'lit-html';

/** @type {Record<string, string>} */
const TABS = { why: 'Why', try: 'Try' };

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
  render({ state: { plays }, local: { tab: shown, led } }, { get, set, local }) {
    // Another place led to a weight: Why plays in sight.
    if (plays && plays !== led) queueMicrotask(() => local({ tab: 'why', led: plays }));
    const learn = () => {
      open('', local);
      set({ book: get().book ?? 0 });
    };
    return html`<div id="sheet" class="sheet-tabs" role="group" aria-label="Panels" data-sheet=${shown}>
      ${Object.entries(TABS).map(
        ([tab, name]) => html`<button type="button" class="plain" aria-expanded=${shown === tab}
          @click=${() => open(shown === tab ? '' : tab, local)}>${name}</button>`,
      )}<button type="button" class="plain" @click=${learn}>Learn</button></div>`;
  },
};
