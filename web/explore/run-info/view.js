// What ran, where and how fast: the module's variant, the model's size, time and memory.

import { html, render } from 'lit-html';

/**
 * @typedef {{
 *   tokens: string,
 *   variant: string, reason: string, version: string, parameters: number, milliseconds: number, memoryBytes: number,
 * }} FactsData
 */

const count = new Intl.NumberFormat('en');

/** @param {HTMLElement} root */
export function create(root) {
  return {
    /** @param {FactsData | null} facts */
    update(facts) {
      if (!facts) return;
      const { tokens, variant, reason, version, parameters, milliseconds, memoryBytes } = facts;
      render(
        html`<dl>
        <div><dt>Parameters</dt><dd>${count.format(parameters)}</dd></div>
        <div><dt>Last forward pass</dt><dd>${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms</dd></div>
        <div><dt>Module memory</dt><dd>${(memoryBytes / 2 ** 20).toFixed(1)} MiB</dd></div>
        <div><dt>Module</dt><dd>glassformer ${version}, variant <b>${variant}</b></dd></div>
        <div class="reason"><dt>Why this variant</dt><dd>${reason}</dd></div>
      </dl>
      <p class="hint">${tokens}</p>`,
        root,
      );
    },
    destroy() {
      root.replaceChildren();
    },
  };
}
