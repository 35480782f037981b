// The guided run: a page at a time, in large type, above what it speaks of.

import { html, nothing } from 'lit-html';
import { ref } from 'lit-html/directives/ref.js';
import { addStyle } from '../../draw/style.js';
import { PAGES, seen } from './guide.js';

import css from './guide.css';

addStyle(css);

/**
 * The button that opened the run goes with what stood here, as does Close: the focus goes on to the title, where the
 * keys turn pages, and back. It stays where the reader has put it.
 * @param {Element | undefined} title undefined: the run was closed
 */
const keepFocus = (title) =>
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return;
    const next = title ?? document.querySelector('.train-guide-open');
    if (next instanceof HTMLElement) next.focus();
  });

/**
 * @param {import('../state.js').TrainState} state
 * @param {Pick<import('../index.js').Tools, 'onGuide' | 'onMoment' | 'onChange'>} actions
 */
export function guide(state, { onGuide, onMoment, onChange }) {
  const { guide: at, running } = state;
  if (at === null) return nothing;
  const { title, text, action, isDone } = PAGES[at];
  const now = seen(state);
  const act = () => {
    if (!action || running) return;
    if ('to' in action) onMoment(action.to);
    else onChange(action.change);
  };
  /** @param {number} to */
  const turn = (to) => PAGES[to] && onGuide(to);
  /** @param {any} event */
  const onKey = (event) => {
    const by = { ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[/** @type {string} */ (event.key)];
    if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    turn(at + by);
  };
  return html`<section class="panel train-guide" aria-labelledby="train-guide-title" @keydown=${onKey}>
    <p class="hint">Teach it to reverse: ${at + 1} of ${PAGES.length}</p>
    <h3 id="train-guide-title" tabindex="-1" ${ref(keepFocus)}>${title}</h3>
    <p class="train-guide-text">${text(now)}</p>
    <div class="buttons">
      <button type="button" aria-disabled=${at === 0} @click=${() => turn(at - 1)}>← Back</button>
      ${
        action
          ? html`<button type="button" class="train-guide-act" aria-disabled=${running} @click=${act}>
              ${isDone(now) ? '✓ ' : ''}${action.label}
            </button>`
          : nothing
      }
      <button
        type="button"
        class="train-guide-next"
        aria-disabled=${at === PAGES.length - 1}
        @click=${() => turn(at + 1)}
      >
        Next →
      </button>
      <button type="button" @click=${() => onGuide(null)}>Close</button>
    </div>
  </section>`;
}
