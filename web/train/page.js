// The place Train on the page: a slot for each feature, first the row, the head and the playback, then the folds. It
// also decides when each of them is drawn.

import { html, render } from 'lit-html';
import { addStyle, placeFeature } from '../kit/feature.js';
import { features } from './index.js';
import style from './style.css';

/** @typedef {import('./state.js').TrainState} TrainState */

/**
 * @param {HTMLElement} root
 * @param {import('./train.js').Actions} given
 */
export function createPage(root, given) {
  addStyle(style);
  const { get, put } = given;
  const title = /** @type {HTMLElement} */ (root.querySelector('h2'));
  const box = document.createElement('div');
  box.className = 'train';
  root.append(box);
  const tools = { ...given, reveal: (/** @type {string} */ name) => reveal(name, true) };
  /** @type {import('../kit/feature.js').PlacedFeature[]} */
  let placed = [];
  let frame = 0;
  let isNew = false; // the state has not been drawn
  let left = 0; // of the features apart from the first screen, for this state

  const context = () => ({ state: get(), report: /** @type {any} */ (get().report), scheme: get().scheme });
  const aside = () => placed.filter(({ feature }) => feature.aside);

  function place() {
    placed = features.map((row) => {
      const slot = /** @type {HTMLElement} */ (box.querySelector(`[data-slot=${row.slot}]`));
      return placeFeature(row, slot, tools, async () => update());
    });
  }

  /** All that changes with every step, then one of the others, so that no frame takes long. */
  function drawFrame() {
    frame = 0;
    if (isNew) drawFirst();
    if (left) aside()[--left].show(context());
    if (left) frame = requestAnimationFrame(drawFrame);
  }

  function drawFirst() {
    isNew = false;
    render(template(get(), title, update, tools.reveal), box);
    if (!get().report) return;
    if (!placed.length) place();
    for (const each of placed) if (!each.feature.aside) each.show(context());
  }

  function update() {
    isNew = true;
    left ||= aside().length;
    if (get().running && placed.length) return void (frame ||= requestAnimationFrame(drawFrame));
    cancelAnimationFrame(frame);
    frame = left = 0;
    drawFirst();
    if (!get().report) return;
    for (const each of aside()) each.show(context());
    if (!get().opens) return;
    put({ opens: false });
    reveal('compare');
  }

  const more = () => /** @type {HTMLDetailsElement} */ (box.querySelector('#train-more'));

  /**
   * Opens a fold and scrolls to it, once more when what is in it has come.
   * @param {string} name @param {boolean} [focus]
   */
  function reveal(name, focus = false) {
    const details = /** @type {HTMLDetailsElement} */ (box.querySelector(`#train-fold-${name}`));
    const body = /** @type {HTMLElement} */ (details.querySelector('.train-fold-body'));
    const scroll = () => details.scrollIntoView({ block: 'start' });
    for (const each of [more(), details]) each.open = true;
    scroll();
    if (focus) details.querySelector('summary')?.focus({ preventScroll: true });
    new ResizeObserver((_, observer) => {
      if (!body.childElementCount) return;
      observer.disconnect();
      scroll();
    }).observe(body);
  }

  return { update };
}

/** @type {(state: TrainState, ...of: [HTMLElement, () => void, (name: string) => void]) => unknown} */
const template = (state, title, update, reveal) => html`
  <p class="notices train-notice" role="status" ?hidden=${!state.notice}>${state.notice}</p>
  <button type="button" class="again" ?hidden=${!state.ended} @click=${() => location.reload()}>Try again</button>
  ${
    state.report
      ? slots(Boolean(state.report.inspection.ffn), title, update, reveal)
      : html`${title}<p class="hint" ?hidden=${Boolean(state.notice)}>Loading…</p>`
  }
`;

/** @type {(isFfn: boolean, ...of: [HTMLElement, () => void, (name: string) => void]) => unknown} */
function slots(isFfn, title, update, reveal) {
  /** @param {string} name @param {string} heading @param {boolean} [isHidden] */
  const fold = (name, heading, isHidden = false) => html`<details class="train-fold" id="train-fold-${name}"
    ?hidden=${isHidden} @toggle=${update}>
    <summary><h3>${heading}</h3></summary>
    <div class="train-fold-body" data-slot=${name}></div>
  </details>`;
  return html`<div class="train-head">
      ${title}
      <div class="train-slot" data-slot="tasks"></div>
      <button type="button" class="plain train-sheet-open" @click=${() => reveal('settings')}>Settings</button>
    </div>
    <div class="train-slot" data-slot="about"></div>
    <div class="train-front ${isFfn ? 'alone' : ''}" data-slot="front">
      <section class="train-shown" aria-labelledby="train-shown-title" ?hidden=${isFfn} data-slot="shown"></section>
    </div>
    <section class="train-controls" aria-label="Run">
      <div class="train-go" data-slot="run"></div>
      <div class="train-curves">
        <div class="train-charts" data-slot="charts"></div>
        <div class="train-slot" data-slot="course"></div>
      </div>
    </section>
    <section class="train-break" aria-labelledby="train-break-title" ?hidden=${isFfn} data-slot="break"></section>
    <div class="train-slot" data-slot="runs"></div>
    <details class="train-fold" id="train-more" @toggle=${update}>
      <summary><h3>More</h3> <span class="hint">${
        isFfn ? '' : 'heads, operate, rows, neurons, compare, '
      }settings, gradients, keep</span></summary>
      ${fold('operate', 'Heads, and operate on the model', isFfn)}
      ${fold('settings', 'Settings and numbers of the step')} ${fold('rows', 'More rows', isFfn)}
      ${fold('neurons', 'FFN neurons', isFfn)} ${fold('layers', 'Gradients and updates by layer')}
      ${fold('compare', 'Compare runs over seeds', isFfn)} ${fold('keep', 'Keep: link, code, file, Explore')}
    </details>`;
}
