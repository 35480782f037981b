// Connects state, worker and views: the only file that knows them all.

import { answersAt, follow } from './answers.js';
import { LABELS, isModel } from './catalogue.js';
import { createContinuation } from './continuation.js';
import { createViews } from './desk.js';
import { showInput } from './input.js';
import { createLibrary } from './library.js';
import { noticeOf } from './notices.js';
import { attentionKinds, attentionName, changedSettings, firstWords, makePlan, planOnce, wantedTensors, withTarget } from './plan.js';
import { moveWithText, present } from './present.js';
import { createRunner } from './runner.js';
import { sheetOf } from './sheet.js';
import { clampSelection, createStore, defaultState } from './state.js';
import { visible } from './tokens.js';

/**
 * @typedef {import('./plan.js').Plan} Plan
 * @typedef {import('./worker.js').Answer} Answer
 * @typedef {import('./worker.js').Failure} Failure
 */

const SLOW = 400; // ms
const FIRST = 'creek';

/** @param {string} id */
const at = id => /** @type {HTMLElement} */ (document.getElementById(id));
const textBox = /** @type {HTMLTextAreaElement} */ (at('text'));
const targetBox = /** @type {HTMLTextAreaElement} */ (at('target-text'));
const dark = matchMedia('(prefers-color-scheme: dark)');
const wide = matchMedia('(min-width: 62rem)');

const store = createStore(defaultState());
/** @type {import('./present.js').Picture | null} what the views show */
let picture = null;
/** @type {Failure['error'] | null} */
let error = null;
let failed = ''; // the plan that was refused
let askedAt = 0;
let slowTimer = 0;
let slow = false; // so slow that the page says that it computes

const description = () => library.get(store.get().model)?.description;
const plan = planOnce(store.get, description);

// ---- The worker

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
const runner = createRunner({
  next() {
    const wish = isRefused() ? picture?.plan : plan(); // what was refused is not asked again
    if (!library.begun() || !wish || isEmpty(plan())) return null;
    const names = wantedTensors(wish, { ...store.get(), selection: selectionIn(wish) });
    const held = picture?.plan.key === wish.key ? picture.tensors : new Map();
    const missing = names.filter(name => !held.has(name));
    if (!missing.length) {
      if (!isRefused()) forgetError();
      return null;
    }
    const masks = Object.fromEntries(attentionKinds(wish.settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]));
    return { plan: wish, names: missing, masks };
  },
  /** @param {{id: number, plan: Plan, names: string[], masks: Record<string, string>}} request */
  send({ id, plan: { key, config, ids, targetIds, model, generate }, names, masks }) {
    /** @type {import('./worker.js').Request} */
    const request = { id, key, config, ids, targetIds, names, masks, model, generate };
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
    if ('error' in answer) {
      error = answer.error;
      failed = asked.key;
    } else {
      if (!isRefused()) forgetError();
      const same = picture?.plan.key === asked.key ? picture : null;
      const tensors = new Map(same?.tensors);
      for (const [name, tensor] of Object.entries(answer.tensors)) tensors.set(name, tensor);
      const known = description();
      const filled = answer.written && known ? withTarget(asked, answer.written, known) : asked;
      picture = { plan: same?.plan ?? filled, tensors, hidden: same?.hidden ?? answer.hidden, facts: answer.facts };
      if (store.get().follow && known && asked.key === plan().key) store.set(follow(picture, store.get(), known));
    }
    draw();
    performance.measure('glassformer:update', { start: askedAt });
  },
});
worker.onmessage = ({ data }) => {
  if ('opened' in data) library.opened(data);
  else if ('wrote' in data) continuation.receive(data);
  else runner.receive(data);
};
worker.onerror = () => {
  error = { code: 'internal', parameter: '', message: 'The part of the page that computes could not be started. Reload the page to try again.' };
  draw();
};

// ---- Models

const library = createLibrary({
  state: store.get, draw,
  fetch: name => worker.postMessage({ open: name }),
  begin(state) {
    continuation.stop();
    forgetError();
    picture = null;
    document.body.dataset.model = state.model;
    history.replaceState(null, '', `#model=${state.model}`);
    store.set(state);
  },
});
const continuation = createContinuation({
  store, plan, description,
  send: request => worker.postMessage(request),
  fail(problem) {
    error = problem;
    draw();
  },
});

// ---- The views

const views = createViews({
  at, store, answers, description,
  choose: library.choose, write: continuation.start,
  tokens: () => current()?.plan.tokens ?? null,
  selection: () => selectionIn(plan()),
});

/** The picture with the words as they stand now; what cannot be read changes no number. */
function current() {
  const wish = plan();
  return picture && picture.plan.key === wish.key && !wish.generate ? { ...picture, plan: wish } : picture;
}

/** What the model says at the cursor, for its view. */
function answers() {
  const known = description();
  const now = current();
  const said = known && now?.plan.model === known.name ? answersAt(now, store.get(), known) : null;
  if (!said?.look) return said && { ...said, look: null };
  const { kind, layer, head, mean } = selectionIn(plan());
  const { selection } = said.look;
  return { ...said, look: { ...said.look, shown: !mean && kind === selection.kind && layer === selection.layer && head === selection.head } };
}

/** Shows the picture with the present selection; what has not arrived yet is left as it was. */
function draw() {
  const state = store.get();
  const wish = plan();
  const known = library.get(state.model);
  views.models.update({ labels: LABELS, selected: library.chosen() });
  notice(wish);
  at('page').hidden = !library.begun();
  if (!library.begun()) return;
  views.controls.update({ values: state.settings, error, fixed: Boolean(known) });
  showInput({ at, views, state, description: known?.description });
  if (isEmpty(wish)) {
    for (const view of [views.encoder, views.decoder, views.heads, views.heatmap, views.ffn, views.positions, views.answers]) view.update(null);
    const shown = wish.tokens.encoder?.shown;
    if (shown?.words.length) views.encoder.update({ title: 'Tokens', words: shown.words.map(visible), ids: shown.ids, fresh: 0, selected: null });
    return;
  }
  const now = current();
  if (!now || (now.plan.key !== wish.key && !error)) return; // an answer is on its way
  at('seed').textContent = String(now.plan.settings.seed);
  explain(now.plan.settings);
  const { encoder, decoder, heads, heatmap, ffn, positions } = present(now, state, dark.matches ? 'dark' : 'light');
  views.encoder.update(encoder);
  views.decoder.update(decoder);
  if (wish.generate && decoder) views.translation.update({ words: decoder.words });
  views.answers.update(answers());
  views.heads.update(heads);
  if (heatmap) views.heatmap.update(heatmap);
  if (ffn !== undefined) views.ffn.update(ffn);
  if (positions !== undefined) views.positions.update(positions);
  views.facts.update(now.facts);
  views.sheet.update(known ? sheetOf(known.description, known.bytes, now.facts.parameters) : null);
}

/** Shows the sentences that hold for these settings: data-when="setting=value value". @param {Plan['settings']} settings */
function explain(settings) {
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('[data-when]'))) {
    const [name, values] = String(part.dataset.when).split('=');
    part.hidden = !values.split(' ').includes(String(settings[/** @type {keyof typeof settings} */ (name)]));
  }
}

/** @param {Plan} wish */
function notice(wish) {
  const { model, settings } = store.get();
  const known = description();
  const rest = library.begun() ? noticeOf({
    plan: wish, model, description: known, changed: known ? changedSettings(settings, known.config) : [],
    facts: picture?.facts, error, busy: slow && runner.busy(),
  }) : error?.message ?? '';
  const text = [library.news(), rest].filter(Boolean).join(' ');
  if (at('notices').textContent !== text) at('notices').textContent = text;
}

/** @param {{settings: import('./state.js').Settings}} wish */
const selectionIn = wish => clampSelection(store.get().selection, wish.settings);

const isRefused = () => plan().key === failed;

function forgetError() {
  error = null;
  failed = '';
}

/** @param {Plan} wish */
const isEmpty = ({ ids, targetIds }) => ids.length === 0 || targetIds?.length === 0;

// ---- What the reader does

function fillTexts() {
  const { text, targetText } = store.get();
  if (textBox.value !== text) textBox.value = text;
  if (targetBox.value !== targetText) targetBox.value = targetText;
}
textBox.addEventListener('input', () => {
  continuation.stop();
  const change = { text: textBox.value, written: [] };
  const before = firstWords(plan());
  const after = firstWords(makePlan({ ...store.get(), ...change }, description()));
  const { settings, cursor } = store.get();
  store.set({ ...change, ...(settings.kind === 'encoder-decoder' ? {} : { cursor: moveWithText(cursor, before, after) }) });
});
targetBox.addEventListener('input', () => store.set({ targetText: targetBox.value }));
const openSettings = () => {
  if (wide.matches) at('settings-box').setAttribute('open', '');
};
wide.addEventListener('change', openSettings);
dark.addEventListener('change', draw);
store.subscribe(() => {
  askedAt = performance.now();
  fillTexts();
  runner.wake();
  draw();
});
const named = () => {
  const name = new URLSearchParams(location.hash.slice(1)).get('model') ?? '';
  return isModel(name) ? name : FIRST;
};
addEventListener('hashchange', () => {
  if (named() !== library.chosen()) library.choose(named());
});

openSettings();
library.choose(named());
