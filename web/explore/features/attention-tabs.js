// Whether the workspace shows the head as a map or as lines.

import { html } from 'lit-html';

/** @type {[name: string, lines: boolean][]} */
const TABS = [
  ['Map', false],
  ['Lines', true],
];

/** @type {import('../index.js').InputFeature} */
export const attentionTabs = {
  name: 'attention-tabs',
  slot: 'map-foot',
  input: true,
  render: ({ state: { lines } }, { set }) => html`<div id="attention-tabs" class="tabs" role="group"
    aria-label="Show the head as">${TABS.map(
      ([name, its]) => html`<button type="button" class="plain" aria-pressed=${lines === its}
        @click=${() => set({ lines: its })}>${name}</button>`,
    )}</div>`,
};
