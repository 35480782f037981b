// The part of the box in which the reader opens a model of huggingface.co by its name.

import { html, nothing } from 'lit-html';
import { sizeOf } from './files.js';

const EXAMPLES = [
  'prajjwal1/bert-tiny',
  'roneneldan/TinyStories-1M',
  'distilbert/distilgpt2',
  'openai-community/gpt2',
  'HuggingFaceTB/SmolLM2-135M',
];

/**
 * @typedef {import('./hub.js').HubData} HubData
 * @typedef {{onLookUp: (name: string) => void, onDownload: (facts: import('./hub.js').Facts) => void}} HubActions
 */

/** @param {HubData} data @param {boolean} busy something else is being opened @param {HubActions} actions */
export function hubForm({ asking, done }, busy, { onLookUp }) {
  /** @param {SubmitEvent} event */
  function submit(event) {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const typed = String(new FormData(form).get('hub-name')).trim();
    onLookUp(typed.replace(/^(https:\/\/huggingface\.co\/|hub:)/, '').replace(/\/$/, ''));
  }
  /** @param {Event} event */
  function take({ target }) {
    const button = /** @type {HTMLButtonElement} */ (target);
    const input = /** @type {HTMLInputElement} */ (button.form?.elements.namedItem('hub-name'));
    input.value = String(button.textContent);
    input.focus();
  }
  return html`<form class="own-hub" @submit=${submit}>
      <h3><label for="hub-name">Or by name, from huggingface.co</label></h3>
      <div class="buttons">
        <input id="hub-name" name="hub-name" required autocomplete="off" autocapitalize="none" spellcheck="false"
          placeholder="organization/model">
        <button type="submit" ?disabled=${asking || done !== null || busy}>Look up</button>
      </div>
      <div class="buttons">${EXAMPLES.map((name) => html`<button type="button" @click=${take}>${name}</button>`)}</div>
      <p class="hint">Looking up sends the name to huggingface.co. Your texts stay on this machine.</p>
    </form>`;
}

/** @param {HubData} data @param {boolean} busy @param {HubActions & {onCancel: () => void}} actions */
export function hubStatus({ facts, asking, done, refused }, busy, { onDownload, onCancel }) {
  return html`${asking ? html`<p>Asking huggingface.co…</p>` : nothing}
      ${refused ? html`<p class="error">${refused}</p>` : nothing}
      ${
        facts
          ? html`<p><strong><bdi>${facts.title}</bdi></strong>: ${facts.family}, ${sizeOf(facts.bytes)} to download,
        ${sizeOf(facts.memory)} of memory, license <bdi>${facts.license}</bdi>.${
          facts.rounded ? ' Its numbers are rounded to bfloat16, as those of the file do not fit.' : nothing
        }</p>`
          : nothing
      }
      ${
        facts && done === null
          ? html`<button type="button" class="main" ?disabled=${busy}
            @click=${() => onDownload(facts)}>Download and open</button>`
          : nothing
      }
      ${
        done === null
          ? nothing
          : html`<p>Downloading… <progress aria-label="Downloading" value=${done}></progress>
            <button type="button" @click=${onCancel}>Cancel</button></p>`
      }`;
}
