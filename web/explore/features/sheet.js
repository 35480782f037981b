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
  local: { tab: '' },
  begin({ local }) {
    document.addEventListener('click', ({ target }) => {
      if (/** @type {Element} */ (target).closest('#heatmap .map-cells, #lines .edge')) open('why', local);
    });
  },
  render({ local: { tab: shown } }, { get, set, local }) {
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
