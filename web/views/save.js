// What can be done with a picture: save it, save its numbers, take the code that computes them.

import { html, nothing, render } from 'lit-html';

/**
 * `kinds`: what can be saved, by the word on its button. `code`: the lines; null if there are none,
 * with `why` in their place.
 * @typedef {{name: string, kinds: string[], code: () => Promise<Code>}} SaveData
 * @typedef {{code: string | null, why: string}} Code
 */

const TOLD = 4000; // ms

/**
 * @param {HTMLElement} root
 * @param {{onSave: (kind: string) => Promise<void> | void, onCopy: (text: string) => Promise<boolean>}} options
 */
export function create(root, { onSave, onCopy }) {
  /** @type {SaveData | null} */
  let data = null;
  let open = false;
  let coded = false;
  /** @type {Code | null} */
  let shown = null;
  let told = '';
  let timer = 0;

  /** @param {string} text */
  function tell(text) {
    told = text;
    draw();
    clearTimeout(timer);
    timer = setTimeout(() => {
      told = '';
      draw();
    }, TOLD);
  }

  /** @param {string} kind */
  async function save(kind) {
    try {
      await onSave(kind);
      tell(`${kind} saved.`);
    } catch (error) {
      tell(`${kind} could not be made: ${error instanceof Error ? error.message : error}`);
    }
  }

  async function read() {
    const now = data;
    const found = now ? await now.code() : null;
    if (now === data) shown = found;
  }

  async function copy() {
    coded = true;
    await read();
    const code = shown?.code ?? null;
    if (code !== null) tell(await onCopy(code) ? 'Copied.' : 'The clipboard is closed to this page: copy the lines below.');
    else draw();
  }

  function draw() {
    if (!data) return render(nothing, root);
    render(html`<details ?open=${open} @toggle=${toggle}>
      <summary>Save<span class="visually-hidden">: <bdi>${data.name}</bdi></span></summary>
      <div class="buttons" role="group" aria-label="Save as">
        ${data.kinds.map(kind => html`<button type="button" @click=${() => save(kind)}>${kind}</button>`)}
        <button type="button" @click=${copy}>Copy as code</button>
        <span class="told" role="status">${told}</span>
      </div>
      ${open && shown ? shown.code === null ? html`<p class="hint">${shown.why}</p>`
        : html`<pre class="code" tabindex="0" role="region" aria-label="Code that computes these numbers"><code>${shown.code}</code></pre>` : nothing}
    </details>`, root);
  }

  /** @param {Event} event */
  function toggle(event) {
    open = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
    draw();
  }

  return {
    /** @param {SaveData | null} next */
    update(next) {
      data = next;
      if (open || !next || !root.firstElementChild) draw();
      if (open && coded && next) read().then(draw);
    },
    destroy() {
      clearTimeout(timer);
      render(nothing, root);
    },
  };
}
