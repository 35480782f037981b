// The actions of a figure: save it, save its numbers, copy the code that computes them.

import { html, nothing, render } from 'lit-html';
import { createStatus } from '../kit/status-message.js';

/**
 * `kinds`: of files to save, by the word on the button. `code`: the lines, null if there are none,
 * with `why` in their place; null where no code is for the whole. `html`: of elements that show the same.
 * @typedef {{kinds: string[], code: (() => Code) | null, html?: string | null}} SaveData
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
  /** @type {'code' | 'html' | null} */
  let copied = null;
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

  const textOf = () => (copied === 'code' ? data?.code?.() : data?.html ? { code: data.html, why: '' } : null);

  /** @param {'code' | 'html'} kind */
  async function copy(kind) {
    copied = kind;
    const code = textOf()?.code ?? null;
    if (code === null) draw();
    else status.show((await onCopy(code)) ? 'Copied.' : `${NO_CLIPBOARD}: copy the lines below.`);
  }

  function draw() {
    if (!data) return render(nothing, root);
    const shown = copied && textOf();
    const name = copied === 'html' ? 'HTML of this figure' : 'Code that computes these numbers';
    render(
      html`
      <div class="buttons" role="group" aria-label="Save as">
        ${data.kinds.map((kind) => html`<button type="button" @click=${() => save(kind)}>${kind}</button>`)}
        ${data.code ? html`<button type="button" @click=${() => copy('code')}>Copy as code</button>` : nothing}
        ${data.html ? html`<button type="button" @click=${() => copy('html')}>Copy the HTML</button>` : nothing}
        <span class="status-message" role="status">${status.message()}</span>
      </div>
      ${
        !shown
          ? nothing
          : shown.code === null
            ? html`<p class="hint">${shown.why}</p>`
            : html`<pre class="code" tabindex="0" role="region"
              aria-label=${name}><code>${shown.code}</code></pre>`
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
