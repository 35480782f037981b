// How many tokens the text has. It shows what a feature costs; the next commit takes it back.

import { html } from 'lit-html';

/** @type {import('../index.js').Feature} */
export const tokenCount = {
  name: 'token-count',
  render: ({ result }) => {
    const { encoder, decoder } = result.plan.tokens;
    return html`<p id="token-count">${(encoder ?? decoder)?.ids.length} tokens</p>`;
  },
};
