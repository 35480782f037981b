// The composition of the page: state, worker, session, address and the places, and who notifies whom.

import { createModelLoader } from '../engine/model-loader.js';
import { connectWorker } from '../engine/protocol.js';
import { createSession } from '../engine/session.js';
import { createExplore, goesOn, openingOf, opensFirst } from '../explore/place.js';
import { keepingFocus } from '../draw/keys.js';
import { CATALOGUE, LABELS } from '../models/catalogue.js';
import { closeMenusOnLeave } from './menus.js';
import { createNotices } from './notices.js';
import { openPlaces, placeOf } from './places.js';
import { createRouter } from './router.js';
import { UNDO, defaultState, moveCursor, openingState } from './schema.js';
import * as started from './start.js';
import { createLink } from '../kit/link.js';
import { createStore, createUndo, listenToKeys } from '../kit/store.js';

const dark = matchMedia('(prefers-color-scheme: dark)');
const still = matchMedia('(prefers-reduced-motion: reduce)');
const WORD = 80; // ms for each word that the model writes
const at = (/** @type {string} */ id) => /** @type {HTMLElement} */ (document.getElementById(id));

const store = createStore(defaultState());
const history = createUndo(store, UNDO);
const modelInfo = () => loader.info(store.get().model);

const worker = connectWorker(started, {
  result: (response) => session.receive(response),
  refused: (response) => session.receive(response),
  opened: (response) => loader.receive(response),
  token: (response) => generation?.receive(response),
  saved(response) {
    if ('error' in response) return fail(response.error);
    const { bytes, format } = response;
    import('../export/file.js').then(({ modelFile, saveFile }) => {
      saveFile(`${modelFile(session.plan())}.${format}`, bytes);
      draw();
    });
  },
  failed: (problem) => begun.then(() => fail(problem)), // the beginning clears earlier problems
});
/** Whether the page opens for the first time: not by a link to something. */
const isFirst = opensFirst(location.hash);
let changedAt = 0;
let arriving = false;
let hasAnswer = false; // that is not measured
/** @type {Promise<void> | undefined} until all is shown */
let drawing;
const session = createSession({
  state: store.get,
  modelInfo: (name) => loader.info(name),
  required: (query) => explore.required({ ...query, modelInfo: loader.info(query.state.model) }),
  isReady: () => loader.begun() && explore.isReady(),
  send: worker.post,
  onResult() {
    arriving = hasAnswer = true;
    if (!explore.followAnswer()) draw();
    arriving = false;
  },
  onSlow: () => notices.update(),
});
const loader = createModelLoader({
  state: store.get,
  openingState,
  draw,
  fail,
  fetch: (model) => worker.post({ type: 'open', model }),
  begin(state, left) {
    generation?.stop();
    session.reset();
    document.body.dataset.model = state.model;
    const { layout, book, trail, step, embed } = store.get();
    store.set(router.restored({ ...state, layout, book, trail, step, embed, opening: '' }, left));
    router.write();
  },
});
/** @type {ReturnType<typeof import('../engine/generation.js').createGeneration> | null} fetched with the first text */
let generation = null;
async function generate() {
  const { createGeneration } = await import('../engine/generation.js');
  generation ??= createGeneration({
    store,
    plan: session.plan,
    modelInfo,
    send: worker.post,
    fail,
    pace: () => (still.matches ? 0 : WORD),
  });
  generation.start();
}
const { scriptUrl } = started;
/** @type {import('./given-models.js').Page} */
const page = {
  post: worker.post,
  shown: store.get,
  chosen: loader.chosen,
  isTyped: loader.isTyped,
  scriptUrl,
  refresh: () => store.set({}),
  giveUp: (why) => router.giveUp(why),
  forget(model) {
    loader.forget(model);
    worker.post({ type: 'forget', model, id: -1 }); // of no text that is being continued
  },
};
const { translate } = CATALOGUE;
translate.load = async () => void Object.assign(translate, (await import('../models/sentences.js')).entry);
for (const name of /** @type {const} */ (['austen', 'spanish']))
  LABELS[name].onWait = async (waits) => (await import('./fetched.js')).follow(name, waits, page);
const own = async () => (await import('./own/own.js')).begin(page);
const link = createLink(placeOf);
const router = createRouter({
  state: store.get,
  loader,
  link,
  isPending: session.isPending,
  bare: (opening, hash) => (isFirst && opensFirst(hash) ? openingOf(opening) : opening),
  want: async (name) => {
    if (name.startsWith('file.')) await (await own()).want(name);
    else (await import('./retrain.js')).want(name, page);
  },
});

/** @type {Omit<import('../explore/index.js').Tools, 'viewShown'>} */
const tools = {
  get: store.get,
  set: store.set,
  moveCursor: (patch) => store.set(moveCursor(store.get(), patch)),
  plan: session.plan,
  result: session.result,
  presentResult: session.presentResult,
  pinned: session.pinned,
  selection: session.selection,
  modelInfo,
  history,
  link: router.link,
  saveModel: session.save,
  chooseModel: (name, left) => loader.choose(name, left),
  openOwn: async () => (await own()).show(),
  async readCorpus(file) {
    const info = modelInfo();
    if (info) await (await import('./corpus.js')).giveOwn(info, file, page);
  },
  generate,
  stopGenerating: () => generation?.stop(),
};
/** @type {Awaited<ReturnType<typeof createExplore>>} */
let explore;
/** @type {ReturnType<typeof createNotices>} */
let notices;

/** @param {import('../engine/protocol.js').Problem} problem */
function fail(problem) {
  session.fail(problem);
  draw();
}

/** Shows the state and its result; parts that have not arrived yet stay as they were. */
function draw() {
  if (!notices) return; // it begins
  keepingFocus(() => {
    at('page').hidden = !loader.begun() && session.error() !== null;
    drawing = explore.show({
      scheme: dark.matches ? 'dark' : 'light',
      session,
      begun: loader.begun(),
      chosenModel: loader.chosen(),
      gradually: arriving,
    });
    notices.update();
  });
  measure();
}

/** Measures how long a change took that the worker answered, once all is shown and nothing more is on its way. */
async function measure() {
  const drawn = drawing;
  await drawn;
  if (drawn !== drawing || !hasAnswer || session.isPending() || session.isBusy() || loader.status()) return;
  hasAnswer = false;
  performance.measure('glassformer:update', { start: changedAt, detail: store.get().model });
}

// No await at the top level: chunks that are fetched later rest on this module, and WebKit now and then hands them out
// before they are evaluated where one that they rest on is, or was, waiting.
async function begin() {
  explore = await createExplore(at('explore'), tools, isFirst);
  notices = createNotices({ element: at('notices'), store, session, loader, router, modelInfo });
  listenToKeys(history);
  addEventListener('dragenter', own, { once: true }); // which takes what is dropped
  followSkipLinks(store);
  closeMenusOnLeave();
  dark.addEventListener('change', draw);
  store.subscribe((state) => {
    if (state.opening && !goesOn(state)) return store.set({ opening: '' });
    changedAt = performance.now();
    if (explore.followAnswer()) return; // that was its own change
    session.update();
    draw();
    router.writeSoon();
  });
  at('unstarted').remove();
  openPlaces(link, router, scriptUrl, page);
  keepOffline();
}
const begun = begin();

/** Registers the service worker; with it the page opens without a network from the second time on. */
function keepOffline() {
  // Files that the reader waits for come first; all are fetched once more for the cache.
  const start = async () => {
    try {
      await navigator.serviceWorker?.register(scriptUrl('service-worker.js'));
    } catch {
      // a frame without an origin, no https, a browser that keeps nothing
    }
  };
  if (document.readyState === 'complete') start();
  else addEventListener('load', start);
}

/** @typedef {ReturnType<typeof import('../kit/store.js').createStore<import('./schema.js').State>>} Store */

/** @param {Pick<Store, 'get' | 'set'>} store */
function followSkipLinks({ get, set }) {
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll('.skip-link'))) {
    link.addEventListener('click', (event) => {
      event.preventDefault(); // its own address would be taken for a link to a state
      const place = /** @type {HTMLElement} */ (document.querySelector(link.hash) ?? document.querySelector('#main'));
      if (!place.checkVisibility()) set({ graph: { ...get().graph, node: 'attention' } });
      const inside =
        place.querySelector('[role=application]') ?? place.closest('section')?.querySelector('h2') ?? place;
      const isThere = link.hash !== '#main' && inside.checkVisibility(); // a model may have no attention
      const target = isThere ? inside : document.querySelector('#main');
      focusOn(/** @type {HTMLElement} */ (target));
    });
  }
}

/** @param {HTMLElement} target */
function focusOn(target) {
  if (target.tabIndex < 0) target.tabIndex = -1;
  target.focus({ preventScroll: true });
  (target.closest('section') ?? target).scrollIntoView();
}
