// What can be done with a picture: save it, save its numbers, take the code that computes them.

import { html, nothing, render } from 'lit-html';
import { createTold } from '../draw/told.js';

/**
 * `kinds`: what can be saved, by the word on its button. `code`: the lines, null if there are none,
 * with `why` in their place; null where no code is for the whole.
 * @typedef {{kinds: string[], code: (() => Code) | null}} SaveData
 * @typedef {{code: string | null, why: string}} Code
 */

/**
 * @param {HTMLElement} root
 * @param {{onSave: (kind: string) => Promise<void> | void, onCopy: (text: string) => Promise<boolean>}} options
 */
export function create(root, { onSave, onCopy }) {
  /** @type {SaveData | null} */
  let data = null;
  let coded = false; // the lines have been asked for
  const told = createTold(draw);

  /** @param {string} kind */
  async function save(kind) {
    try {
      await onSave(kind);
      told.tell(`${kind} saved.`);
    } catch (error) {
      told.tell(`${kind} could not be made: ${error instanceof Error ? error.message : error}`);
    }
  }

  async function copy() {
    coded = true;
    const code = data?.code?.().code ?? null;
    if (code === null) draw();
    else told.tell((await onCopy(code)) ? 'Copied.' : 'The clipboard is closed to this page: copy the lines below.');
  }

  function draw() {
    if (!data) return render(nothing, root);
    const shown = coded && data.code ? data.code() : null;
    render(
      html`
      <div class="buttons" role="group" aria-label="Save as">
        ${data.kinds.map((kind) => html`<button type="button" @click=${() => save(kind)}>${kind}</button>`)}
        ${data.code ? html`<button type="button" @click=${copy}>Copy as code</button>` : nothing}
        <span class="told" role="status">${told.words()}</span>
      </div>
      ${
        !shown
          ? nothing
          : shown.code === null
            ? html`<p class="hint">${shown.why}</p>`
            : html`<pre class="code" tabindex="0" role="region" aria-label="Code that computes these numbers"><code>${shown.code}</code></pre>`
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
      told.end();
      render(nothing, root);
    },
  };
}
