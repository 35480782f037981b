// The place Claims: its features on the page, and what they may do with its state, worker and address.

import { html, render } from 'lit-html';
import { createAnswers } from './kept-answers.js';
import css from './claims.css';
import { features } from './index.js';
import { createCardLink } from './link.js';
import { createRuns } from './runs.js';
import { claimOf, firstState, reveal, setSwitches } from './state.js';
import { addStyle, placeFeature } from '../kit/feature.js';
import { createClient } from '../kit/client.js';
import { createStore } from '../kit/store.js';

/** @typedef {import('../kit/client.js').Client<import('./worker.js').Methods>} ClaimsClient */

/**
 * Opens the place.
 * @param {HTMLElement} root
 * @param {(name: string) => string} scriptUrl
 * @param {(model: import('../models/catalogue.js').GivenModel) => Promise<void>} explore opens it there
 * @param {import('../kit/link.js').Link} page
 * @returns {Promise<import('../kit/place.js').Life>}
 */
export async function begin(root, scriptUrl, explore, page) {
  addStyle(css);
  /** @type {ClaimsClient} */
  let client;
  try {
    client = createClient(() => new Worker(scriptUrl('claims.js'), { type: 'module' }));
  } catch {
    render(NO_WORKER, root.appendChild(document.createElement('div'))); // this frame or browser allows none
    return { follow() {} };
  }
  const link = compose(root, client, explore, page);
  await link.open();
  return { follow: link.follow };
}

const NO_WORKER = html`<p class="notices" role="status">
  The experiments need a worker, which this frame or browser does not allow.
</p>`;

const SLOTS = html`<div class="claims">
  <div data-slot="top"></div>
  <article class="claims-card" aria-labelledby="claims-sentence" hidden>
    <div data-slot="card"></div>
    <div data-slot="columns" hidden></div>
    <div data-slot="card-end"></div>
  </article>
  <div data-slot="below"></div>
</div>`;

/**
 * Puts the features on the page.
 * @param {HTMLElement} root @param {ClaimsClient} client @param {import('./index.js').Tools['explore']} explore
 * @param {import('../kit/link.js').Link} page
 * @param {number} [shuffle] 0 to 1: in which order choices stand
 */
export function compose(root, client, explore, page, shuffle = Math.random()) {
  const store = createStore(firstState(createAnswers(), shuffle));
  const { get, set } = store;
  const runs = createRuns(store, client);
  const link = createCardLink(store, runs, client, page);
  const fragment = document.createDocumentFragment();
  render(SLOTS, fragment);
  root.append(fragment);
  const place = /** @type {HTMLElement} */ (root.lastElementChild);
  /** @param {string} name */
  const slot = (name) => /** @type {HTMLElement} */ (place.querySelector(`[data-slot="${name}"]`));

  /** @type {import('./index.js').Tools} */
  const tools = {
    get,
    set,
    client,
    explore,
    run: runs.run,
    cancel: runs.cancel,
    write: link.write,
    change(patch, atOnce) {
      set(patch);
      if (!patch.address) return;
      link.write();
      runs.relate();
      runs.afterSwitch(atOnce);
    },
    setSwitches: (params) => tools.change(setSwitches(get(), params), true),
    reveal() {
      set(reveal(get()));
      link.write(); // the card's own, where the place opened on it unasked
      runs.show();
    },
    again() {
      client.restart();
      if (get().claims.size) runs.run();
      else link.openAgain();
    },
  };
  const placed = features.map((feature) => placeFeature(feature, slot(feature.slot ?? ''), tools, async () => draw()));

  /** Where the reader goes on as soon as it is there. @type {import('./state.js').Focus | null} */
  let awaited = null;

  /** @param {import('./state.js').Focus | null} [focus] that is new */
  function draw(focus) {
    const state = get();
    const claim = claimOf(state);
    const asked = state.address.view;
    const isLate = asked !== 'card' && asked !== 'list';
    const view = !state.claims.size ? '' : isLate ? asked : claim ? 'card' : 'list';
    /** @type {HTMLElement} */ (place.querySelector('.claims-card')).hidden = view !== 'card';
    slot('columns').hidden = view !== 'card' || !state.revealed;
    placed.forEach((each, i) => {
      if ((features[i].view ?? view) === view) each.show({ state, claim, view });
      else each.blank({});
    });
    if (focus?.scroll === 'top') scrollTo(0, 0);
    awaited = focus ?? awaited;
    goOn();
  }

  function goOn() {
    if (!awaited || (!place.contains(document.activeElement) && document.activeElement !== document.body)) {
      awaited = null;
      return;
    }
    /** @type {HTMLElement | null} */
    const target = place.querySelector(awaited.selector);
    target?.focus({ preventScroll: awaited.scroll !== 'into' });
    if (target) awaited = null;
  }

  store.subscribe(({ focus }, before) => draw(focus === before.focus ? null : focus));
  get().answers.all(); // reports unreadable answers from the start
  return link;
}
