// Save and share: the link to the present state, the model's file, and the choice of a tensor by name.

import { html, nothing, render } from 'lit-html';
import { valueOf } from '../../draw/controls.js';
import { createStatus } from '../../draw/status-message.js';

/**
 * `name`: of the chosen tensor, '' for none; `shape`: null if this model has none of that name; `isTrained`:
 * whether its file says how.
 * @typedef {{names: string[], name: string, shape: number[] | null, isTrained: boolean}} HeadData
 */

/**
 * @param {HTMLElement} root
 * @param {{
 *   onLink: () => {text: string, copied: Promise<boolean>}, onModel: (format: 'safetensors' | 'onnx') => void,
 *   onTensor: (name: string) => void,
 *   onPytorch: (say: (message: string) => void) => void,
 * }} options
 */
export function create(root, { onLink, onModel, onTensor, onPytorch }) {
  /** @type {HeadData | null} */
  let data = null;
  let address = ''; // where it could not be copied
  const status = createStatus(draw);

  async function link() {
    const { text, copied } = onLink();
    address = (await copied) ? '' : text;
    status.show(address ? 'No access to the clipboard: copy the link from here.' : 'Link copied.');
  }

  function draw() {
    if (!data) return render(nothing, root);
    const { names, name, shape, isTrained } = data;
    render(
      html`
      <div class="buttons">
        <button type="button" @click=${link}>Copy link</button>
        <button type="button" @click=${() => onModel('safetensors')}>Save the model (safetensors)</button>
        <button type="button" @click=${() => onModel('onnx')}>Save as ONNX</button>
        <button type="button" ?hidden=${!isTrained} @click=${() => onPytorch(status.show)}>Continue in PyTorch</button>
        <span class="status-message" role="status">${status.message()}</span>
      </div>
      ${
        address
          ? html`<p class="share-field"><label for="share-link">Link</label>
            <input id="share-link" readonly .value=${address}></p>`
          : nothing
      }
      <p class="hint">Link and address contain the text, the settings, the changes and the selection.</p>
      <p class="share-field">
        <label for="share-tensor">Any tensor</label>
        <input id="share-tensor" list="share-tensors" autocomplete="off" spellcheck="false"
          placeholder="type a part of its name" .value=${name}
          @change=${(/** @type {Event} */ event) => onTensor(valueOf(event).trim())}>
        <datalist id="share-tensors">${names.map((each) => html`<option value=${each}></option>`)}</datalist>
        <span class="view-fact">${
          shape ? shape.join(' × ') : name ? 'This model has no tensor of that name.' : `${names.length} to choose from`
        }</span>
      </p>`,
      root,
    );
  }

  return {
    /** @param {HeadData | null} next */
    update(next) {
      data = next;
      draw();
    },
    destroy() {
      status.destroy();
      render(nothing, root);
    },
  };
}
