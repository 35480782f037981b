// The box in which the reader gives files of a model: buttons, what is kept in this browser, progress, refusals.

import { html, nothing, render } from 'lit-html';
import { HOW_TO_GET, sizeOf } from './files.js';
import { hubForm, hubStatus } from './hub-view.js';

/**
 * `wanted`: by a link; `busy`: the name being opened, `done` of it from 0 to 1; `refused`: why it was not;
 * `other`: a file was given that is not the link's; `keepable`: the title of an open model that is not kept.
 * @typedef {{
 *   wanted: {title: string, bytes: number} | null, busy: string, done: number | null, refused: string, note: string,
 *   keep: boolean, kept: {name: string, title: string, bytes: number}[], other: boolean, keepable: string,
 *   hub: import('./hub.js').HubData,
 * }} BoxData
 *
 * @typedef {{
 *   onFiles: (files: File[]) => void, onCancel: () => void, onClose: () => void, onKeep: (keep: boolean) => void,
 *   onKeepOpened: () => void,
 *   onOpen: (name: string) => void, onForget: (name: string) => void, onOther: () => void,
 * } & import('./hub-view.js').HubActions} Actions
 */

const canChooseFolder = 'webkitdirectory' in HTMLInputElement.prototype;

/** @param {HTMLElement} root @param {Actions} actions */
export function createBox(root, actions) {
  /** @param {Event} event */
  function take({ target }) {
    const input = /** @type {HTMLInputElement} */ (target);
    const files = [...(input.files ?? [])];
    input.value = ''; // the same file again is a change too
    if (files.length) actions.onFiles(files);
  }
  const choose = (/** @type {string} */ name) =>
    /** @type {HTMLInputElement} */ (root.querySelector(`input[name=${name}]`)).click();

  /** @param {BoxData} data */
  const keptList = ({ kept, busy }) =>
    kept.length
      ? html`<h3>Kept in this browser</h3>
      <ul class="own-kept">${kept.map(
        ({ name, title, bytes }) => html`<li><bdi>${title}</bdi> <span class="view-fact">${sizeOf(bytes)}</span>
        <button type="button" ?disabled=${busy} @click=${() => actions.onOpen(name)}
          aria-label="Open ${title}">Open</button>
        <button type="button" @click=${() => actions.onForget(name)} aria-label="Forget ${title}">Forget</button></li>`,
      )}</ul>`
      : nothing;

  return {
    /** @param {BoxData} data */
    update(data) {
      const { wanted, busy, done, refused, note, keep, other, keepable } = data;
      render(
        html`
        <h2 id="own-title" tabindex="-1">${wanted ? 'The file of this link' : 'Your own model'}</h2>
        ${
          wanted
            ? html`<p>This link shows the model <bdi class="quoted">${wanted.title}</bdi> from a file of
              ${wanted.bytes.toLocaleString('en')} bytes. A link holds none of the weights: give that file, and all the
              rest of the link is shown. The file is known by a SHA-256 of its header and of parts of every tensor. Or
              choose another model above.</p>`
            : nothing
        }
        <p>The files are read here, in this tab: <strong>nothing leaves this machine</strong>.</p>
        <div class="buttons">
          <button type="button" class=${data.hub.facts ? '' : 'main'} ?disabled=${busy}
            @click=${() => choose('own-files')}>Choose files…</button>
          ${
            canChooseFolder
              ? html`<button type="button" ?disabled=${busy} @click=${() => choose('own-folder')}>Choose a
                folder…</button>`
              : nothing
          }
          <label><input type="checkbox" .checked=${keep}
            @change=${(/** @type {any} */ { target }) => actions.onKeep(target.checked)}> Keep in this browser</label>
          ${wanted ? nothing : html`<button type="button" @click=${actions.onClose}>Close</button>`}
        </div>
        <input type="file" name="own-files" multiple hidden @change=${take}>
        <input type="file" name="own-folder" multiple hidden .webkitdirectory=${true} @change=${take}>
        <p class="hint">Or drop them anywhere on this page. It opens models that this page or the module saved
          (safetensors), and folders of Hugging Face with config.json, model.safetensors or pytorch_model.bin, and
          tokenizer.json (of a marian source.spm, target.spm and vocab.json), of the families bert, distilbert, roberta,
          electra, mpnet, gpt2, gpt_neo, opt, llama, mistral, qwen2, qwen3, gpt_neox, gemma, phi3, marian, bart, t5 and
          mt5. No folder yet? Get one in a terminal: <code class="own-command">${HOW_TO_GET}</code></p>
        ${hubForm(data.hub, Boolean(busy), actions)}
        <div role="status">
          ${hubStatus(data.hub, Boolean(busy), actions)}
          ${
            busy
              ? html`<p>Opening ${busy}… <progress aria-label="Opening ${busy}" value=${done ?? nothing}></progress>
                <button type="button" @click=${actions.onCancel}>Cancel</button></p>`
              : nothing
          }
          ${refused ? html`<p class="error">${refused}</p>` : nothing}
          ${other ? html`<button type="button" @click=${actions.onOther}>Open it all the same</button>` : nothing}
          ${note ? html`<p>${note}</p>` : nothing}
          ${
            keepable
              ? html`<button type="button" @click=${actions.onKeepOpened}>Keep ${keepable} in this browser</button>`
              : nothing
          }
        </div>
        ${keptList(data)}`,
        root,
      );
    },
  };
}
