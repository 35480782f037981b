// Connects state, worker and views: the only file that knows them all.

import { attentionKinds, attentionName, makePlan, wantedTensors } from './plan.js';
import { chooseToken, present } from './present.js';
import { createRunner } from './runner.js';
import { PRESETS, changeSettings, clampSelection, createStore, defaultState } from './state.js';
import { MAX_TOKENS } from './tokens.js';
import * as controlsView from './views/controls.js';
import * as factsView from './views/facts.js';
import * as ffnView from './views/ffn.js';
import * as headsView from './views/heads-grid.js';
import * as heatmapView from './views/heatmap.js';
import * as positionsView from './views/positions.js';
import * as tokensView from './views/tokens.js';

/**
 * @typedef {import('./plan.js').Plan} Plan
 * @typedef {import('./worker.js').Answer} Answer
 * @typedef {import('./worker.js').Failure} Failure
 */

const SLOW = 400; // ms

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

const plan = makePlanOnce();

// ---- The worker

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
const runner = createRunner({
  next() {
    const wish = isRefused() ? picture?.plan : plan(); // what was refused is not asked again
    if (!wish || isEmpty(plan())) return null;
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
  send({ id, plan: { key, config, ids, targetIds }, names, masks }) {
    /** @type {import('./worker.js').Request} */
    const request = { id, key, config, ids, targetIds, names, masks };
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
      picture = { plan: asked, tensors, hidden: same?.hidden ?? answer.hidden, facts: answer.facts };
    }
    draw();
    performance.measure('glassformer:update', { start: askedAt });
  },
});
worker.onmessage = ({ data }) => runner.receive(data);
worker.onerror = () => {
  error = { code: 'internal', parameter: '', message: 'The part of the page that computes could not be started. Reload the page to try again.' };
  draw();
};

// ---- The views

const views = {
  encoder: tokensView.create(at('tokens-encoder'), { onSelect: index => store.set(chooseToken(store.get(), 'encoder', index)) }),
  decoder: tokensView.create(at('tokens-decoder'), { onSelect: index => store.set(chooseToken(store.get(), 'decoder', index)) }),
  controls: controlsView.create(at('controls'), {
    onChange: patch => store.set(changeSettings(store.get(), patch)),
    onPreset: name => store.set(changeSettings(store.get(), PRESETS[name])),
    onReset: () => store.set(defaultState()),
  }),
  heads: headsView.create(at('heads'), {
    onSelect: place => store.set({ selection: /** @type {import('./state.js').Selection} */ (place) }),
  }),
  heatmap: heatmapView.create(at('heatmap'), {
    onCursor: ({ row, column }) => moveCursor({ row, key: column }),
    onQuantity: quantity => store.set({ quantity }),
    onColours: colours => store.set({ colours }),
  }),
  ffn: ffnView.create(at('ffn'), {
    onCursor: ({ row, column }) => moveCursor({ row, neuron: column }),
    onQuantity: ffnQuantity => store.set({ ffnQuantity }),
  }),
  positions: positionsView.create(at('positions'), {
    onCursor: ({ row, column }) => moveCursor({ row, dimension: column }),
  }),
  facts: factsView.create(at('facts')),
};

/** @param {Partial<import('./state.js').Cursor>} patch */
const moveCursor = patch => store.set({ cursor: { ...store.get().cursor, ...patch } });

/** Shows the picture with the present selection; what has not arrived yet is left as it was. */
function draw() {
  const state = store.get();
  const wish = plan();
  const empty = isEmpty(wish);
  views.controls.update({ values: state.settings, error });
  at('target-field').hidden = state.settings.kind !== 'encoder-decoder';
  at('text-label').textContent = state.settings.kind === 'encoder-decoder' ? 'Source sentence' : 'Sentence';
  notice(wish);
  if (empty) {
    for (const view of [views.encoder, views.decoder, views.heads, views.heatmap, views.ffn, views.positions]) view.update(null);
    return;
  }
  if (!picture || (picture.plan.key !== wish.key && !error)) return; // an answer is on its way
  at('seed').textContent = String(picture.plan.settings.seed);
  const { encoder, decoder, heads, heatmap, ffn, positions } = present(picture, state, dark.matches ? 'dark' : 'light');
  views.encoder.update(encoder);
  views.decoder.update(decoder);
  views.heads.update(heads);
  if (heatmap) views.heatmap.update(heatmap);
  if (ffn !== undefined) views.ffn.update(ffn);
  if (positions !== undefined) views.positions.update(positions);
  views.facts.update(picture.facts);
}

/** @param {Plan} wish */
function notice(wish) {
  const lines = [];
  if (isEmpty(wish)) lines.push('There is nothing to compute yet: type a word or two.');
  if (wish.tokens.encoder?.truncated || wish.tokens.decoder?.truncated) {
    lines.push(`Only the first ${MAX_TOKENS} tokens are used; the rest of the text is left out.`);
  }
  if (error && !(error.parameter in wish.settings)) lines.push(error.message);
  if (error && picture) lines.push('The pictures show the last settings that worked.');
  if (!error && picture && !picture.facts.finite) {
    lines.push('Some results are not numbers any more (NaN or infinity): with these settings the values grow beyond what 32-bit floats hold.');
  }
  if (slow && runner.busy()) lines.push('Computing…');
  const text = lines.join(' ');
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

/** The plan of the present state, made once for each state. */
function makePlanOnce() {
  /** @type {import('./state.js').State | null} */
  let state = null;
  /** @type {Plan} */
  let made;
  return () => {
    const now = store.get();
    if (now.text !== state?.text || now.targetText !== state.targetText || now.settings !== state.settings) made = makePlan(now);
    state = now;
    return made;
  };
}

// ---- What the reader does

function fillTexts() {
  const { text, targetText } = store.get();
  if (textBox.value !== text) textBox.value = text;
  if (targetBox.value !== targetText) targetBox.value = targetText;
}
textBox.addEventListener('input', () => store.set({ text: textBox.value }));
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

openSettings();
fillTexts();
runner.wake();
draw();
