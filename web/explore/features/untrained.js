// Says of an untrained model that its weights mean nothing.

import { html } from 'lit-html';

/** @type {import('../index.js').Feature} */
export const untrained = {
  name: 'untrained',
  slot: 'main',
  first: true,
  render: ({ result }) => note(result.plan),
  blank: ({ plan }) => note(plan),
};

/** @param {import('../index.js').Plan} plan */
const note = ({ model, settings: { seed } }) =>
  model
    ? null
    : html`<p class="untrained" id="untrained">
      <strong>These weights are untrained</strong>: random (Xavier uniform, embeddings normal), seed
      <b id="seed">${seed}</b>. The maps show structure (masks, positions, softmax), not meaning.</p>`;
