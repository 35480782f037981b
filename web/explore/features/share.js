// Save and share: the link and the model's file; for experts any tensor by its name, ONNX, and facts about the run;
// and under every result its files to save.

import { html, nothing } from 'lit-html';
import { valueOf } from '../../kit/controls.js';
import { createStatus } from '../../kit/status-message.js';
import { putFeet } from '../../export/feet.js';
import { copyText } from '../../export/file.js';
import { createFold } from '../../export/fold.js';
import { tableOfTensor } from '../../export/table.js';
import { fold } from '../../kit/fold.js';
import { unitsOf } from '../../models/catalogue.js';
import { visibleWords } from '../shared/words.js';
import style from './share.css';

/** @typedef {import('../../export/table.js').TensorTable | null} Table null: no tensor of that name */

/** @type {HTMLElement} the menu that saves the figure last used */
let figure;

/** @type {ReturnType<typeof createStatus>} */
let status;
/** @type {ReturnType<typeof foldOf>} */
let tableFold;
/** @type {ReturnType<typeof foldOf>} */
let saveFold;

/** @type {import('../index.js').Feature} */
export const share = {
  name: 'share',
  style,
  slot: 'end',
  local: { status: '', address: '' }, // the latter where it could not be copied
  needs: ({ state: { tensor } }) => ['@tensors', ...(tensor ? [`@tensor/${tensor}`] : [])],
  begin(tools) {
    figure = document.createElement('div');
    figure.id = 'share-figure';
    putFeet(tools, figure);
    tableFold = foldOf('Show as table', async (body) => (await import('../../export/save.js')).showTensor(body));
    saveFold = foldOf('Save', async (body) => (await import('../../export/save.js')).saveTensor(body));
    status = createStatus(() => tools.local({ status: status.message() }));
  },
  render({ result, state: { tensor }, local }, tools) {
    const name = tensor ?? '';
    const { names } = result.derived.get('@tensors') ?? {};
    const found = name ? result.derived.get(`@tensor/${name}`) : {};
    if (!names || !found) return undefined;
    const { encoder, decoder } = result.plan.tokens;
    const words = visibleWords((found.stack === 'decoder' ? decoder : (encoder ?? decoder))?.words ?? []);
    const table = name && found.data ? tableOfTensor(name, found, words) : null;
    const title = table?.name ?? '';

    async function link() {
      const text = tools.link();
      const address = (await copyText(text)) ? '' : text;
      tools.local({ address });
      status.show(address ? 'No access to the clipboard: copy the link from here.' : 'Link copied.');
    }

    return html`<section class="panel" aria-labelledby="share-title">
      <h2 id="share-title">Save and share</h2>
      <div id="share" class="share">
        <div class="share-head">
          <div class="buttons">
            <button type="button" @click=${link}>Copy link</button>
            <button type="button"
              @click=${() => tools.saveModel('safetensors')}>Save the model (safetensors)</button>
            <span class="status-message" role="status">${local.status}</span>
          </div>
          ${
            local.address
              ? html`<p class="share-field"><label for="share-link">Link</label>
                <input id="share-link" readonly .value=${local.address}></p>`
              : nothing
          }
          <p class="hint">Link and address contain the text, the settings, the changes and the selection. Nothing that
            you type leaves this tab.</p>
        </div>
        ${figure}
        <details class="expert" ${fold({ key: name, isOpen: name ? true : undefined })}>
          <summary>For experts: tensors, ONNX, the module</summary>
          <div>${tensorField({ names, name, table }, tools)}</div>
          ${tableFold(table, title)}
          ${saveFold(table && { table, result }, title)}
          <div id="run-info">${ran(result)}</div>
        </details>
      </div>
    </section>`;
  },
  blank: () => undefined, // the link still holds
};

/**
 * @param {string} summary
 * @param {Parameters<typeof createFold<any>>[2]} make its content, fetched when it is first opened
 */
function foldOf(summary, make) {
  const root = document.createElement('div');
  const { update } = createFold(root, summary, make);
  return (/** @type {any} */ data, /** @type {string} */ title) => {
    update(data, title);
    return root;
  };
}

/** @param {{names: string[], name: string, table: Table}} data @param {import('../index.js').Tools} tools */
const tensorField = ({ names, name, table }, { set, saveModel }) => html`
  <div class="buttons"><button type="button" @click=${() => saveModel('onnx')}>Save as ONNX</button></div>
  <p class="share-field">
    <label for="share-tensor">Any tensor</label>
    <input id="share-tensor" list="share-tensors" autocomplete="off" spellcheck="false"
      placeholder="type a part of its name" .value=${name}
      @change=${(/** @type {Event} */ event) => set({ tensor: valueOf(event).trim() || null })}>
    <datalist id="share-tensors">${names.map((each) => html`<option value=${each}></option>`)}</datalist>
    <span class="view-fact">${
      table?.shape.join(' × ') ?? (name ? 'This model has no tensor of that name.' : `${names.length} to choose from`)
    }</span>
  </p>`;

const count = new Intl.NumberFormat('en');

/** Describes the run: the engine, its place and its speed. @param {import('../../engine/results.js').Result} result */
function ran({ facts, plan }) {
  const { variant, reason, version, parameters, milliseconds, memoryBytes } = facts;
  return html`<dl>
      <div><dt>Parameters</dt><dd>${count.format(parameters)}</dd></div>
      <div><dt>Last forward pass</dt><dd>${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms</dd></div>
      <div><dt>Module memory</dt><dd>${(memoryBytes / 2 ** 20).toFixed(1)} MiB</dd></div>
      <div><dt>Module</dt><dd>glassformer ${version}, variant <b>${variant}</b></dd></div>
      <div class="reason"><dt>Why this variant</dt><dd>${reason}</dd></div>
    </dl>
    <p class="hint">${tokensText(plan.model)}</p>`;
}

/** @type {Record<ReturnType<typeof unitsOf>, string>} */
const TEXTS = {
  words:
    'Tokens are words and punctuation marks. A token’s id is its index in the model’s vocabulary; a word that is not ' +
    'in it is read in small letters.',
  characters: 'Tokens are characters. A token’s id is its index in the model’s vocabulary.',
  parts: 'Tokens are words, parts of words and punctuation marks, as the model’s tokenizer cuts them.',
  symbols: 'Tokens are the symbols of the model’s vocabulary. A token’s id is its index in it.',
  ids: 'There is no vocabulary: the text is a row of ids.',
};

const UNTRAINED =
  'Tokens are words and punctuation marks. A token’s id is a hash into a table of 2,048 random rows; “The” and “the” ' +
  'are different words.';

/** Describes the tokens of a model and their ids. @param {string | null} model null: an untrained one */
export const tokensText = (model) => (model === null || model === 'untrained' ? UNTRAINED : TEXTS[unitsOf(model)]);
