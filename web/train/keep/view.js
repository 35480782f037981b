// What can be kept of a run: its link, its code, its file, and opening such a file again.

import { html, nothing } from 'lit-html';

/**
 * @typedef {{
 *   onCopy: () => void, onCode: () => void, onSave: () => void, onShare: () => void, onFile: (file: File) => void,
 *   onExplore: () => void,
 * }} KeepActions
 */

/** @param {import('../state.js').TrainState} state @param {KeepActions} actions */
export const keep = ({ running, report, canShare }, actions) => {
  const { onCopy, onCode, onSave, onShare, onFile, onExplore } = actions;
  return html`<div class="buttons train-keep" role="group" aria-label="Keep">
    <button
      type="button"
      class="train-explore"
      title=${report?.inspection.ffn ? 'An FFN alone has no tokens for Explore' : nothing}
      ?disabled=${running || Boolean(report?.inspection.ffn)}
      @click=${onExplore}
    >
      Open in Explore
    </button>
    <button type="button" class="train-link" @click=${onCopy}>Copy link</button>
    <button type="button" @click=${onCode}>Copy as code</button>
    <button type="button" ?disabled=${running} @click=${onSave}>Save the run</button>
    ${canShare ? html`<button type="button" ?disabled=${running} @click=${onShare}>Share the run</button>` : nothing}
    <label class="button"
      >Open a saved run…<input
        type="file"
        class="visually-hidden"
        accept=".safetensors"
        @change=${(/** @type {any} */ { target }) => {
          const [file] = target.files;
          target.value = ''; // the same one can be opened once more
          if (file) onFile(file);
        }}
    /></label>
  </div>`;
};

/**
 * Takes a file that is dropped anywhere in the window while an element is shown. Several files or a folder are no run:
 * the page opens them as a model.
 * @param {HTMLElement} element @param {(file: File) => void} onFile
 */
export function takesDrops(element, onFile) {
  const mark = (/** @type {boolean} */ on) => element.classList.toggle('train-drop', on);
  const isMine = (/** @type {DragEvent} */ { dataTransfer: data }) =>
    element.checkVisibility() && data?.types.includes('Files') && data.items.length === 1;
  const capture = true; // before the page's own listeners, which leave alone what is taken
  addEventListener(
    'dragover',
    (event) => {
      if (!isMine(event)) return;
      event.preventDefault();
      mark(true);
    },
    { capture },
  );
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget ?? mark(false), { capture });
  addEventListener(
    'drop',
    (event) => {
      mark(false);
      const item = event.dataTransfer?.items[0];
      const file = isMine(event) && !item?.webkitGetAsEntry?.()?.isDirectory && event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      onFile(file);
    },
    { capture },
  );
}
