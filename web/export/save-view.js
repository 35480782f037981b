// The actions of a figure: save it, save its numbers, copy the code that computes them.

import { html, nothing, render } from 'lit-html';
import { createStatus } from '../kit/status-message.js';

/**
 * `kinds`: of files to save, by the word on the button. `code`: the lines, null if there are none,
 * with `why` in their place; null where no code is for the whole.
 * @typedef {{kinds: string[], code: (() => Code) | null}} SaveData
 * @typedef {{code: string | null, why: string}} Code
 */

const NO_CLIPBOARD = 'No access to the clipboard';

/**
 * @param {HTMLElement} root
 * @param {{onSave: (kind: string) => Promise<void> | void, onCopy: (text: string) => Promise<boolean>}} options
 */
export function create(root, { onSave, onCopy }) {
  /** @type {SaveData | null} */
  let data = null;
  let showsCode = false;
  const status = createStatus(draw);

  /** @param {string} kind */
  async function save(kind) {
    try {
      await onSave(kind);
      status.show(`${kind} saved.`);
    } catch (error) {
      status.show(`${kind} could not be made: ${error instanceof Error ? error.message : error}`);
    }
  }

  async function copy() {
    showsCode = true;
    const code = data?.code?.().code ?? null;
    if (code === null) draw();
    else status.show((await onCopy(code)) ? 'Copied.' : `${NO_CLIPBOARD}: copy the lines below.`);
  }

  function draw() {
    if (!data) return render(nothing, root);
    const shown = showsCode && data.code ? data.code() : null;
    render(
      html`
      <div class="buttons" role="group" aria-label="Save as">
        ${data.kinds.map((kind) => html`<button type="button" @click=${() => save(kind)}>${kind}</button>`)}
        ${data.code ? html`<button type="button" @click=${copy}>Copy as code</button>` : nothing}
        <span class="status-message" role="status">${status.message()}</span>
      </div>
      ${
        !shown
          ? nothing
          : shown.code === null
            ? html`<p class="hint">${shown.why}</p>`
            : html`<pre class="code" tabindex="0" role="region"
              aria-label="Code that computes these numbers"><code>${shown.code}</code></pre>`
      }`,
      root,
    );
  }

  return {
    /** @param {SaveData | null} next */
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
