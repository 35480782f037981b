// The place Train on the page: first the row, the head and the playback, then the details.

import { html, nothing, render } from 'lit-html';
import { addStyle } from '../draw/style.js';
import { lateView } from '../shared/late-view.js';
import { createFolds } from './folds.js';
import { takesDrops } from './keep/view.js';
import { keepMenu, more } from './more-view.js';
import { breakIt } from './front/break-view.js';
import { heldOut } from './front/held-view.js';
import { shownRow } from './front/row-view.js';
import { playback, legend } from './front/run-view.js';
import { about, head } from './front/tasks-view.js';
import { createCharts } from './watch/charts-view.js';
import { createHeads } from './watch/heads-view.js';

import keepStyle from './keep/style.css';
import settingsStyle from './settings/style.css';
import frontStyle from './front/style.css';
import placeStyle from './style.css';
import watchStyle from './watch/style.css';

/**
 * @typedef {{ownTextForm?: typeof import('./text/view.js').ownTextForm}} Late
 * @typedef {import('./state.js').TrainState} TrainState
 * @typedef {import('./keep/view.js').KeepActions & import('./life/view.js').LifeActions &
 *   Omit<import('./front/break-view.js').BreakActions, 'onOpenCompare'> & {
 *   onTask: (task: string) => void, onPlay: () => void, onStep: () => void, onGo: (step: number) => void,
 *   onSpeed: (speed: number) => void, onExample: (row: number) => void, onAsk: (text: string) => void,
 *   onEdit: () => void,
 *   onHead: (head: {layer: number, head: number}) => void, onCell: (cell: {row: number, column: number}) => void,
 *   onField: (name: string, text: string) => void, onRecipe: () => void,
 *   onGuide: (page: number | null) => void,
 *   onText: (text: string, level: string) => void, onDraft: (text: string, level: string) => void,
 *   onRefusal: (why: string) => void,
 *   connect: () => import('./train.js').TrainClient,
 *   onCompare: (comparison: import('./compare/compare.js').Comparison) => void,
 * }} TrainActions
 * @typedef {TrainActions & import('./front/break-view.js').BreakActions & {onSettings: () => void}} AllActions with
 * what the view does itself
 */

/**
 * @param {HTMLElement} root
 * @param {TrainActions} given
 */
export function createView(root, given) {
  addStyle([placeStyle, frontStyle, keepStyle, settingsStyle, watchStyle].join(''));
  const title = /** @type {HTMLElement} */ (root.querySelector('h2'));
  const place = document.createElement('div');
  place.className = 'train';
  root.append(place);
  takesDrops(place, given.onFile);
  const find = (/** @type {string} */ selector) => /** @type {HTMLElement} */ (place.querySelector(selector));
  const actions = {
    ...given,
    onOpenCompare: () => openFold(find('#train-fold-compare')),
    onSettings: () => openFold(find('#train-fold-settings')),
  };
  const late = fetchLate(() => view.update(last));
  /** @type {ReturnType<typeof createParts> | null} */
  let parts = null;
  /** @type {TrainState} */
  let last;
  let frame = 0;
  let isNew = false; // the state has not been drawn
  let left = 0; // of the deeper parts, for this state

  /** All that changes with every step, then one of the deeper parts, so that no frame takes long. */
  function drawFrame() {
    frame = 0;
    if (isNew) drawFirst();
    if (parts && left) parts.deeper[--left](last);
    if (left) frame = requestAnimationFrame(drawFrame);
  }

  function drawFirst() {
    isNew = false;
    render(template(last, actions, late.of(last), title), place);
    if (!last.report) return;
    parts ??= createParts(find, actions);
    parts.first(last);
  }

  const view = {
    /** @param {TrainState} state */
    update(state) {
      last = state;
      isNew = true;
      left ||= parts?.deeper.length ?? 0;
      if (state.running && parts) return void (frame ||= requestAnimationFrame(drawFrame));
      cancelAnimationFrame(frame);
      frame = left = 0;
      drawFirst();
      for (const draw of parts?.deeper ?? []) draw(last);
    },
  };
  return view;
}

/** Opens a fold and scrolls to it, once more when what is in it has come. @param {HTMLElement} fold */
function openFold(fold) {
  const details = /** @type {HTMLDetailsElement} */ (fold);
  const body = /** @type {HTMLElement} */ (details.querySelector('.train-fold-body'));
  const scroll = () => details.scrollIntoView({ block: 'start' });
  details.open = true;
  scroll();
  details.querySelector('summary')?.focus({ preventScroll: true });
  new ResizeObserver((_, observer) => {
    if (!body.childElementCount) return;
    observer.disconnect();
    scroll();
  }).observe(body);
}

/**
 * What is fetched when it is first shown: the reader's own text.
 * @param {() => void} redraw
 */
function fetchLate(redraw) {
  /** @type {Late} */
  const late = {};
  /** @type {Partial<Record<keyof Late, Promise<void>>>} */
  const fetching = {};
  /** @param {keyof Late} name @param {Promise<Late>} module */
  const fetched = (name, module) =>
    module.then((found) => {
      late[name] = /** @type {any} */ (found[name]);
      redraw();
    });
  return {
    /** @param {TrainState} state @returns {Late} what is there by now */
    of(state) {
      if (state.task === 'text') fetching.ownTextForm ??= fetched('ownTextForm', import('./text/view.js'));
      return late;
    },
  };
}

/**
 * The parts that draw themselves, once the place is visible.
 * @param {(selector: string) => HTMLElement} find @param {TrainActions} actions
 */
function createParts(find, actions) {
  const heads = createHeads(find('.train-heads'), actions);
  const charts = createCharts(find('.train-charts'), find('.train-rate'), actions.onGo);
  const ffn = lateView(async () =>
    (await import('./ffn/view.js')).createFfn(find('.train-ffn'), find('.train-charts'), actions),
  );
  const fold = (/** @type {string} */ name) => /** @type {HTMLDetailsElement} */ (find(`#train-fold-${name}`));
  const folds = createFolds(fold, actions);
  return {
    /** @param {TrainState} state */
    first(state) {
      if (state.report?.inspection.ffn) ffn.update(state);
      else heads.update(state);
    },
    /** @type {((state: TrainState) => void)[]} the first is drawn last */
    deeper: [...folds, (state) => state.report?.inspection.ffn || charts.update(state)],
  };
}

/**
 * @param {TrainState} state @param {AllActions} actions @param {Late} late
 * @param {HTMLElement} title
 */
const template = (state, actions, { ownTextForm }, title) => html`
  <p class="notices train-notice" role="status" ?hidden=${!state.notice}>${state.notice}</p>
  <button type="button" class="again" ?hidden=${!state.ended} @click=${() => location.reload()}>Try again</button>
  ${
    state.report
      ? html`${head(state, actions, { title, menu: keepMenu(state, actions) })}
        ${about(state)}
        ${front(state, actions, state.task === 'text' && ownTextForm ? ownTextForm(state, actions) : nothing)}
        ${more(state, actions)}`
      : html`${title}<p class="hint" ?hidden=${Boolean(state.notice)}>Loading…</p>`
  }
`;

/** The first screen. @param {TrainState} state @param {AllActions} actions @param {unknown} text its form */
function front(state, actions, text) {
  const isFfn = Boolean(state.report?.inspection.ffn);
  return html`<div class="train-front ${isFfn ? 'alone' : ''}">
      <section class="train-shown" aria-label="What the network computes" ?hidden=${!isFfn}>
        <div class="train-ffn"></div>
      </section>
      ${isFfn ? nothing : shownRow(state, actions, text)}
      <section class="train-maps" aria-labelledby="train-maps-title" ?hidden=${isFfn}>
        <h3 id="train-maps-title">Where it attends</h3>
        <div class="train-heads"></div>
      </section>
      ${isFfn ? nothing : heldOut(state)}
    </div>
    ${playback(state, actions)} ${isFfn ? nothing : breakIt(state, actions)} ${legend(state, actions)}`;
}
