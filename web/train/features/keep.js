// Keeps a run: link, code, file (to save, to share, to open again), and its model in Explore.

import { html, nothing } from 'lit-html';
import { copyText, saveFile } from '../../export/file.js';
import { inWords } from '../../kit/in-words.js';
import { MOST_INSIDE, codeOf } from '../keep/code.js';
import { exploreRun } from '../keep/explored.js';
import { keeping, whenHidden } from '../life/view.js';
import { FIRST_TEXT } from '../own-text.js';
import style from './keep.css';

/** @typedef {import('../index.js').Tools} Tools */

const MOST_BYTES = 128e6; // the largest run that the settings allow takes a tenth

/** @type {import('../index.js').Feature} */
export const keep = {
  name: 'keep',
  slot: 'keep',
  style,
  begin: takeDrops,
  render({ state, report: { inspection, moments, bytes } }, tools) {
    const { running, canShare } = state;
    const { hash, ffn } = inspection;
    const isAlone = Boolean(ffn);
    const { steps, interval } = moments;
    /** @param {any} event */
    const openFile = ({ target }) => {
      const [file] = target.files;
      target.value = ''; // the same one can be opened once more
      if (file) openRun(tools, file);
    };
    return html`<div class="buttons train-keep" role="group" aria-label="Keep">
      <button type="button" class="train-explore" ?disabled=${running || isAlone}
        title=${isAlone ? 'An FFN alone has no tokens for Explore' : nothing} @click=${() => exploreRun(tools)}>
        Open in Explore
      </button>
      <button type="button" class="train-link" @click=${() => copyLink(tools)}>Copy link</button>
      <button type="button" @click=${() => copyCode(tools)}>Copy as code</button>
      <button type="button" ?disabled=${running} @click=${() => saveRun(tools)}>Save the run</button>
      ${
        canShare
          ? html`<button type="button" ?disabled=${running} @click=${() => shareRun(tools)}>
            Share the run
          </button>`
          : nothing
      }
      <label class="button">Open a saved run…<input type="file" class="visually-hidden" accept=".safetensors"
        @change=${openFile}></label>
    </div>
    <p class="hint train-hash">
      ${hash ? html`SHA-256 of the weights: <code>${hash}</code>. ` : nothing}The same task, settings and
      seed give the same bits in every browser. Every ${interval} steps the run is kept:
      ${steps.length} moment${steps.length === 1 ? '' : 's'}, ${(bytes / 1e6).toFixed(1)} MB; when
      full, every second one is dropped.
    </p>
    ${whenHidden(state, tools)} ${keeping(state, tools)}`;
  },
};

/** @param {import('../state.js').TrainState} state */
const fileName = ({ task, report }) => `${task}-${report?.step ?? 0}.safetensors`;

/** @param {Tools} tools */
async function copyLink({ get, set }) {
  const state = get();
  const isCopied = await copyText(state.link);
  const isOwn = state.task === 'text' && state.text !== FIRST_TEXT;
  const said = isCopied ? 'The link to this moment is in the clipboard.' : `No access to the clipboard: ${state.link}`;
  set({ notice: `${said}${isOwn ? ' It does not carry your text.' : ''}` });
}

/** @param {Tools} tools */
async function copyCode({ get, set }) {
  const { task, start: settings, changes, tasks, whole, text, level } = get();
  const { recipe } = /** @type {import('../run/worker.js').TaskFacts} */ (tasks.get(task));
  const { step, inspection } = /** @type {import('../run/worker.js').Report} */ (whole); // the last that has a hash
  const source = task === 'text' ? { text, level: /** @type {'words'} */ (level) } : null;
  const code = codeOf({ task, settings, changes, recipe, step, hash: String(inspection.hash), source });
  const from = source && text.length > MOST_INSIDE ? ' from your text as text.txt beside it,' : '';
  const what = `The program that trains up to this moment, to the same bits,${from}`;
  if (await copyText(code)) return set({ notice: `${what} is in the clipboard.` });
  const name = `${task}.mjs`;
  saveFile(name, code);
  set({ notice: `${what} is saved as ${name}, as there is no access to the clipboard.` });
}

/** @param {Tools} tools */
const saveRun = ({ get, client, inTurn }) => inTurn(async () => saveFile(fileName(get()), await client.save()));

/** @param {Tools} tools */
const shareRun = ({ get, client, inTurn, set }) =>
  inTurn(async () => {
    const files = [new File([await client.save()], fileName(get()))];
    try {
      await navigator.share({ files });
    } catch (error) {
      const { name, message } = /** @type {Error} */ (error);
      if (name !== 'AbortError') set({ notice: `The file could not be shared (${message}); it can be saved.` });
    }
  });

/** @param {Tools} tools @param {File} file */
const openRun = ({ client, inTurn, set, takeOver }, file) =>
  inTurn(async () => {
    try {
      if (file.size > MOST_BYTES) throw new Error(`it has ${Math.round(file.size / 1e6)} MB, more than a run takes`);
      const bytes = new Uint8Array(await file.arrayBuffer());
      takeOver(await client.open({ file: bytes, example: 0 }));
    } catch (error) {
      set({
        notice: `“${file.name}” was not opened: ${inWords(error).replace(/\.$/, '')}. The run shown here is as it was.`,
      });
    }
  });

/**
 * Takes a file that is dropped anywhere in the window while the place is shown. Several files or a folder are no run:
 * the page opens them as a model.
 * @param {Tools} tools
 */
function takeDrops(tools) {
  const element = /** @type {HTMLElement} */ (document.querySelector('.train'));
  const mark = (/** @type {boolean} */ on) => element.classList.toggle('train-drop', on);
  const isMine = (/** @type {DragEvent} */ { dataTransfer: data }) =>
    element.checkVisibility() && data?.types.includes('Files') && data.items.length === 1;
  const capture = true; // before the page's own listeners, which leave alone what is taken
  /** @param {DragEvent} event */
  function over(event) {
    if (!isMine(event)) return;
    event.preventDefault();
    mark(true);
  }
  /** @param {DragEvent} event */
  function drop(event) {
    mark(false);
    const item = event.dataTransfer?.items[0];
    const file = isMine(event) && !item?.webkitGetAsEntry?.()?.isDirectory && event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    openRun(tools, file);
  }
  addEventListener('dragover', over, { capture });
  addEventListener('dragleave', ({ relatedTarget }) => relatedTarget ?? mark(false), { capture });
  addEventListener('drop', drop, { capture });
}
