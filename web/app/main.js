// Connects state, worker, inputs and panels; knows no single one of them.

import { createAddress } from './address.js';
import { follow } from '../explore/shared/answers.js';
import { createContinuation } from '../engine/generation.js';
import { explain, introduce } from './explain.js';
import { modelFile, saveFile } from '../export/file.js';
import { keepingFocus } from './focus.js';
import { createHistory, listenToKeys } from './history.js';
import { inputs } from '../explore/inputs.js';
import { createLibrary } from '../engine/model-loader.js';
import { noticeOf } from './notices.js';
import { keepOffline } from './offline.js';
import { panels } from '../explore/index.js';
import { wantedBy } from '../explore/required.js';
import { createPictures } from '../engine/results.js';
import { attentionKinds, attentionName, changedSettings, planOnce } from '../engine/plan.js';
import { createRunner } from '../engine/request-queue.js';
import { clampSelection, createStore, defaultState, pinnedState } from './schema.js';
import { scriptUrl } from './trust.js';

/**
 * @typedef {import('../engine/plan.js').Plan} Plan
 * @typedef {import('./schema.js').State} State
 * @typedef {import('../engine/worker.js').Answer} Answer
 * @typedef {import('../engine/worker.js').Failure} Failure
 */

const SLOW = 400; // ms
const FIRST = 'creek';

/** @param {string} id */
function at(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`index.html has no element #${id}`);
  return element;
}
const dark = matchMedia('(prefers-color-scheme: dark)');

const store = createStore(defaultState());
const deeds = createHistory(store);
listenToKeys(deeds);
const pictures = createPictures();
/** @type {Plan | null} the last one that could be shown */
let shown = null;
/** @type {Failure['error'] | null} */
let error = null;
let failed = ''; // the plan that was refused
let failedSecond = ''; // the pinned one that was
let askedAt = 0;
let slowTimer = 0;
let slow = false; // so slow that the page says that it computes

// ---- Plans: that of the state, and that of the pinned state

const description = () => library.get(store.get().model);
const plan = planOnce(store.get, description);
const second = () => /** @type {State} */ (pinnedState(store.get()));
const planOfSecond = planOnce(second, () => library.get(second().model));

/** The second plan, if there is one and its model is here. */
function secondPlan() {
  const { pinned } = store.get();
  return pinned && (pinned.model === 'untrained' || library.get(pinned.model)) ? planOfSecond() : null;
}

/** What is to be computed, the most urgent first. What was refused is not asked again. */
function wishes() {
  const present = isRefused() ? shown : plan();
  const other = secondPlan();
  return [
    ...(present ? [{ plan: present, state: store.get() }] : []),
    ...(other && !isEmpty(other) && other.key !== failedSecond ? [{ plan: other, state: second() }] : []),
  ];
}

// ---- The worker

const worker = new Worker(scriptUrl('worker.js'), { type: 'module' });
const runner = createRunner({
  next() {
    if (!library.begun() || isEmpty(plan())) return null;
    const all = wishes();
    for (const { plan: wish, state } of all) {
      const names = wantedBy(panels, wish, { ...state, selection: clampSelection(state.selection, wish.settings) });
      const missing = pictures.missing(wish, names);
      if (!missing) continue;
      const masks = Object.fromEntries(
        attentionKinds(wish.settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]),
      );
      return { plan: wish, names: missing, masks, runs: /** @type {1 | 2} */ (all.length) };
    }
    if (!isRefused()) forgetError();
    return null;
  },
  /** @param {{id: number, plan: Plan, names: string[], masks: Record<string, string>, runs: 1 | 2}} request */
  send({ id, plan: { key, config, ids, targetIds, changes, model, generate }, names, masks, runs }) {
    /** @type {import('../engine/worker.js').Request} */
    const request = { id, key, config, ids, targetIds, changes, names, masks, model, generate, runs };
    worker.postMessage(request);
    slowTimer ||= setTimeout(() => {
      slow = true;
      notice(plan());
    }, SLOW);
  },
  /** @param {Answer | Failure} answer */
  done(answer, { plan: asked }) {
    clearTimeout(slowTimer);
    slowTimer = 0;
    slow = false;
    if (!('error' in answer)) {
      if (!isRefused()) forgetError();
      pictures.take(asked, answer, library.get(String(asked.model)));
      lookAround();
      runner.wake(); // for what the other plan lacks
    } else if (asked.key !== plan().key && asked.key === secondPlan()?.key) {
      failedSecond = asked.key; // the present picture stands, and has no second one beside it
    } else {
      error = answer.error;
      failed = asked.key;
    }
    draw();
    performance.measure('glassformer:update', { start: askedAt });
  },
});
worker.onmessage = ({ data }) => {
  if ('opened' in data) library.opened(data);
  else if ('wrote' in data) continuation.receive(data);
  else if ('saved' in data) saved(data);
  else runner.receive(data);
};
worker.onerror = () =>
  fail({ code: 'broken', parameter: '', message: 'The part of the page that computes could not be started.' });

/** @param {import('../engine/worker.js').Problem} problem */
function fail(problem) {
  error = problem;
  draw();
}

/** @param {import('../engine/worker.js').Saved} answer */
function saved(answer) {
  if ('error' in answer) return fail(answer.error);
  saveFile(`${modelFile(plan())}.safetensors`, answer.saved);
  draw();
}

/** Once the picture is there, moves to where the text asks something. */
function lookAround() {
  const known = description();
  const now = pictures.of(plan());
  if (store.get().follow && known && now) store.set(follow(now, store.get(), known));
}

// ---- Models

const library = createLibrary({
  state: store.get,
  draw,
  fail,
  fetch: (name) => worker.postMessage({ open: name }),
  begin(state) {
    continuation.stop();
    forgetError();
    shown = null;
    pictures.keep([]);
    document.body.dataset.model = state.model;
    store.set(address.restored(state));
    address.write();
  },
});
const address = createAddress({
  state: store.get,
  known: (name) => library.get(name),
  first: FIRST,
  choose: (name) => library.choose(name),
});
const continuation = createContinuation({
  store,
  plan,
  description,
  fail,
  send: (request) => worker.postMessage(request),
});

// ---- The views

/** The picture with the words as they stand now; what cannot be read changes no number. */
function picture() {
  const wish = plan();
  const held = pictures.of(wish) ?? pictures.of(shown);
  return held && held.plan.key === wish.key && !wish.generate ? { ...held, plan: wish } : held;
}

/** @type {import('../explore/inputs.js').InputTools} */
const tools = {
  get: store.get,
  set: store.set,
  plan,
  picture,
  description,
  moveCursor: (patch) => store.set({ cursor: { ...store.get().cursor, ...patch } }),
  pinned: () => pictures.of(secondPlan()),
  selection: () => clampSelection(store.get().selection, plan().settings),
  scheme: () => (dark.matches ? 'dark' : 'light'),
  history: deeds,
  error: () => error,
  chosen: () => library.chosen(),
  choose: (name) => library.choose(name),
  link: address.link,
  saveModel() {
    const { config, model, changes } = plan();
    worker.postMessage({ save: { config, model, changes } });
  },
  write: continuation.start,
  stop: continuation.stop,
};

const controls = inputs.map((input) => ({ input, view: input.create(at(input.name), tools) }));
const views = panels.map((panel) => {
  const root = at(panel.name);
  return {
    panel,
    view: panel.create(root, tools),
    optional: /** @type {HTMLElement | null} */ (root.closest('[data-optional]')),
  };
});

/**
 * Gives each panel its data; one that is undefined leaves its view as it was.
 * @param {(panel: typeof panels[number]) => any} dataOf
 */
function show(dataOf) {
  for (const { panel, view, optional } of views) {
    const data = dataOf(panel);
    if (data === undefined) continue;
    if (optional) optional.hidden = data === null; // before the view measures its room
    view.update(data);
  }
}

/** Shows the picture with the present selection; what has not arrived yet is left as it was. */
function draw() {
  keepingFocus(drawAll);
}

function drawAll() {
  const state = store.get();
  const wish = plan();
  const known = description();
  for (const { input, view } of controls) view.update(input.present(state, known, tools));
  notice(wish);
  at('page').hidden = !library.begun();
  if (!library.begun()) return;
  introduce(state.model);
  if (isEmpty(wish) || (error && !picture())) {
    explain(wish.settings);
    return show(({ blank }) => (blank ? blank(wish) : null));
  }
  if (pictures.of(wish)) shown = wish;
  pictures.keep([shown, secondPlan()]);
  const now = picture();
  if (!now || (now.plan.key !== wish.key && !error)) return; // an answer is on its way
  explain(now.plan.settings);
  show((panel) => panel.present(now, state, tools.scheme(), known, tools.pinned()));
}

/** @param {Plan} wish */
function notice(wish) {
  const { model, settings } = store.get();
  const known = description();
  const rest = library.begun()
    ? noticeOf({
        plan: wish,
        model,
        description: known,
        changed: known ? changedSettings(settings, known.config) : [],
        facts: picture()?.facts,
        error,
        busy: slow && runner.busy(),
      })
    : (error?.message ?? '');
  const text = [library.news(), address.news(), rest].filter(Boolean).join(' ');
  if (at('notices').textContent !== text) at('notices').textContent = text;
  at('again').hidden = error?.code !== 'broken';
}

const isRefused = () => plan().key === failed;

function forgetError() {
  error = null;
  failed = '';
}

/** @param {Plan} wish */
const isEmpty = ({ ids, targetIds }) => ids.length === 0 || targetIds?.length === 0;

// ---- What happens outside the views

dark.addEventListener('change', draw);
at('again').addEventListener('click', () => location.reload()); // the address has the state, and all else begins anew
store.subscribe(() => {
  askedAt = performance.now();
  lookAround();
  runner.wake();
  draw();
  address.writeSoon();
});
address.begin();
keepOffline();
