// Save and share: the link and the model's file; for experts any tensor by its name, ONNX, and what ran where; and
// under every result what can be saved of it.

import { html, nothing, render } from 'lit-html';
import { valueOf } from '../../draw/controls.js';
import { createStatus } from '../../draw/status-message.js';
import { putFeet } from '../../export/feet.js';
import { copyText } from '../../export/file.js';
import { createFold } from '../../export/fold.js';
import { tableOfTensor } from '../../export/tensor-table.js';
import { visibleWords } from '../shared/words.js';
import { tokensText } from './tokens.js';

/**
 * `name`: of the chosen tensor, '' for none; `table`: null if this model has none of that name; `tokens`: what they
 * are.
 * @typedef {{
 *   names: string[], name: string, table: import('../../export/tensor-table.js').TensorTable | null,
 *   result: import('../../engine/results.js').Result, tokens: string,
 * }} ShareData
 */

/** @type {import('../index.js').Panel<ShareData>} */
export const share = {
  name: 'share',
  slot: 'end',
  isAside: true,
  section: html`
    <section class="panel" aria-labelledby="share-title">
      <h2 id="share-title">Save and share</h2>
      <div id="share" class="share"></div>
    </section>`,
  required: ({ state: { tensor } }) => ['@tensors', ...(tensor ? [`@tensor/${tensor}`] : [])],
  present({ result, state: { tensor: name } }) {
    const { names } = result.derived.get('@tensors') ?? {};
    const found = name ? result.derived.get(`@tensor/${name}`) : {};
    if (!names || !found) return undefined;
    const { encoder, decoder } = result.plan.tokens;
    const words = visibleWords((found.stack === 'decoder' ? decoder : (encoder ?? decoder))?.words ?? []);
    const table = name && found.data ? tableOfTensor(name, found, words) : null;
    return { names, name: name ?? '', table, result, tokens: tokensText(result.plan.model) };
  },
  blank: () => undefined, // the link still holds
  create(root, tools) {
    const [head, figure] = ['div', 'div'].map((tag) => root.appendChild(document.createElement(tag)));
    putFeet(tools, figure);
    const expert = root.appendChild(document.createElement('details'));
    const [line, tensor, tableRoot, saveRoot, facts] = ['summary', 'div', 'div', 'div', 'div'].map((tag) =>
      expert.appendChild(document.createElement(tag)),
    );
    head.className = 'share-head';
    figure.id = 'share-figure';
    expert.className = 'expert';
    line.textContent = 'For experts: tensors, ONNX, the module';
    facts.id = 'run-info';
    const tableFold = createFold(tableRoot, 'Show as table', async (body) =>
      (await import('../late.js')).showTensor(body),
    );
    const saveFold = createFold(saveRoot, 'Save', async (body) => (await import('../late.js')).saveTensor(body));
    /** @type {ShareData | null} */
    let data = null;
    let address = ''; // where it could not be copied
    const status = createStatus(draw);

    async function link() {
      const text = tools.link();
      address = (await copyText(text)) ? '' : text;
      status.show(address ? 'No access to the clipboard: copy the link from here.' : 'Link copied.');
    }

    function draw() {
      if (!data) return;
      render(
        html`
        <div class="buttons">
          <button type="button" @click=${link}>Copy link</button>
          <button type="button" @click=${() => tools.saveModel('safetensors')}>Save the model (safetensors)</button>
          <span class="status-message" role="status">${status.message()}</span>
        </div>
        ${
          address
            ? html`<p class="share-field"><label for="share-link">Link</label>
              <input id="share-link" readonly .value=${address}></p>`
            : nothing
        }
        <p class="hint">Link and address contain the text, the settings, the changes and the selection. Nothing that
          you type leaves this tab.</p>`,
        head,
      );
      render(tensorField(data, tools), tensor);
      render(ran(data), facts);
    }

    return {
      update(next) {
        if (next) data = next;
        if (next?.name && next.name !== expert.dataset.tensor) expert.open = true; // as its link asks
        expert.dataset.tensor = next?.name ?? '';
        const table = next?.table ?? null;
        draw();
        tableFold.update(table, table?.name ?? '');
        saveFold.update(next && table && { table, result: next.result }, table?.name ?? '');
      },
      destroy() {
        status.destroy();
        for (const each of [tableFold, saveFold]) each.destroy();
        root.replaceChildren();
      },
    };
  },
};

/** @param {ShareData} data @param {import('../index.js').Tools} tools */
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

/** What ran, where and how fast. @param {ShareData} data */
function ran({ result: { facts }, tokens }) {
  const { variant, reason, version, parameters, milliseconds, memoryBytes } = facts;
  return html`<dl>
      <div><dt>Parameters</dt><dd>${count.format(parameters)}</dd></div>
      <div><dt>Last forward pass</dt><dd>${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms</dd></div>
      <div><dt>Module memory</dt><dd>${(memoryBytes / 2 ** 20).toFixed(1)} MiB</dd></div>
      <div><dt>Module</dt><dd>glassformer ${version}, variant <b>${variant}</b></dd></div>
      <div class="reason"><dt>Why this variant</dt><dd>${reason}</dd></div>
    </dl>
    <p class="hint">${tokens}</p>`;
}
