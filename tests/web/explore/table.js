// Renders a feature of Explore without a browser: state → plan → the real engine → render → text, needs, names.
// A test is a table of states beside what the feature says there.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { JSDOM } from 'jsdom';
import { load } from '../../../dist/js/index.js';
import { clampSelection, isEmpty, makePlan } from '../../../web/engine/plan.js';
import { CATALOGUE, NOTHING, setModel } from '../../../web/models/catalogue.js';
import { entry as sentences } from '../../../web/models/sentences.js';
import { filesIn } from '../../hub.js';

// A late feature imports its style, which only the build turns into a module.
register(
  `data:text/javascript,${encodeURIComponent(`export const load = (url, context, next) => url.endsWith('.css')
    ? { format: 'module', source: 'export default ""', shortCircuit: true } : next(url, context);`)}`,
);
const { window } = new JSDOM('<!doctype html><main></main>', { pretendToBeVisual: true });
for (const name of ['document', 'Element', 'HTMLElement', 'Node', 'CustomEvent', 'getComputedStyle', 'Comment'])
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true });
for (const name of ['requestAnimationFrame', 'cancelAnimationFrame']) Reflect.set(globalThis, name, window[name]);
Reflect.set(globalThis, 'matchMedia', () => ({ matches: false, addEventListener() {} }));
Reflect.set(globalThis, 'devicePixelRatio', 1);
Reflect.set(globalThis, 'innerWidth', 1024);
Reflect.set(globalThis, 'innerHeight', 768);
window.document.documentElement.style.fontSize = '16px';
window.Element.prototype.scrollTo = () => {};
window.HTMLCanvasElement.prototype.getContext = () => null; // jsdom has none, and says so at each call
Reflect.set(
  globalThis,
  'CSSStyleSheet',
  class {
    replaceSync() {}
  },
);
Reflect.set(window.document, 'adoptedStyleSheets', []);
/** Callbacks for parts that the reader has yet to see. @type {Set<() => void>} */
const unseen = new Set();
Reflect.set(
  globalThis,
  'IntersectionObserver',
  class {
    /** @param {(entries: {isIntersecting: boolean}[]) => void} call */
    constructor(call) {
      this.see = () => call([{ isIntersecting: true }]);
    }
    observe() {
      unseen.add(this.see);
    }
    disconnect() {
      unseen.delete(this.see);
    }
  },
);
/** No size changes here. */
class ResizeObserver {
  observe() {}
  disconnect() {}
}
Object.assign(globalThis, { ResizeObserver });
const { fetch } = globalThis;
globalThis.fetch = async (url, options) =>
  /^https?:/.test(String(url))
    ? fetch(url, options)
    : new Response(await readFile(new URL(`../../../web/models/${String(url).split('/').at(-1)}`, import.meta.url)));

const { createModelCache } = await import('../../../web/engine/model-cache.js');
const { createLiveModels } = await import('../../../web/engine/live-models.js');
const { createSession } = await import('../../../web/engine/session.js');
const { loadDerived } = await import('../../../web/engine/derived.js');
const { placeFeature } = await import('../../../web/kit/feature.js');
const { createStore } = await import('../../../web/kit/store.js');
const { requiredBy } = await import('../../../web/explore/place.js');
const { moveCursor, openingState, readLink } = await import('../../../web/app/schema.js');

Object.assign(CATALOGUE.translate, sentences); // as the page fetches it

export const gf = await load();
const cache = createModelCache();
const live = createLiveModels(/** @type {any} */ (gf), cache);
/** Runs wait for one another, as in the worker: a page that a test has left may still have asked for one. */
let last = Promise.resolve();
let waiting = 0;
/** @param {any} request */
const run = (request) => {
  waiting++;
  const turn = last.then(async () => {
    waiting--;
    let response = await live.run(request);
    // Searches of two pages that come in turn would begin anew for ever.
    const isUnfinished = () => Object.values(response.derived).some((each) => each?.unfinished);
    while (waiting && isUnfinished()) response = await live.run(request);
    return response;
  });
  last = turn.then(
    () => {},
    () => {},
  );
  return turn;
};
/** @type {Map<string, any>} */
const infos = new Map();

/**
 * Opens a folder of tests/checkpoints as a model of one's own, without its tokenizer: a text is a row of ids.
 * @param {string} name
 */
export async function openFolder(name) {
  const files = filesIn(new URL(`../../checkpoints/${name}/`, import.meta.url));
  const [config, weights] = ['config.json', 'model.safetensors'].map((each) => new Blob([files[each]]));
  infos.set(name, await cache.open(/** @type {any} */ (gf), name, { config, weights }));
  const entry = /** @type {const} */ ({ ...NOTHING, input: 'prompt', token: /\S+/g, longest: Infinity });
  setModel(name, { label: { label: name, does: 'your own' }, entry: { ...entry, text: '5 9 12 7 9 30 2', facts: [] } });
  return infos.get(name);
}

/** Opens a model that comes with its file, as from Train or Claims. @param {any} given */
export async function openGiven({ name, label, entry, file }) {
  setModel(name, { label, entry });
  infos.set(name, await cache.open(/** @type {any} */ (gf), name, file));
}

/** A feature whose derived value is given instead of computed. @param {any} feature @param {any} value */
export const given = (feature, value) => ({
  ...feature,
  needs: (/** @type {any} */ query) => feature.needs(query).filter((/** @type {string} */ name) => name[0] !== '@'),
  render: (/** @type {any} */ context, /** @type {any} */ tools) =>
    feature.render({ ...context, result: { ...context.result, derived: { get: () => value } } }, tools),
});

/** A feature's text as a reader sees it. @param {Element} root */
const textOf = (root) => {
  const shown = /** @type {Element} */ (root.cloneNode(true));
  for (const each of shown.querySelectorAll('[hidden], option:not(:checked)')) each.remove();
  return (shown.textContent ?? '').replace(/\s+/g, ' ').trim();
};

/**
 * @param {any} feature @param {string} link the part of an address behind 'explore?', such as 'model=creek&row=3'
 * @returns what the reader sees and can do; `set`: the patches that actions made so far
 */
export async function open(feature, link) {
  const name = /** @type {any} */ (new URLSearchParams(link).get('model') ?? 'untrained');
  if (name !== 'untrained' && !infos.has(name)) infos.set(name, await cache.open(/** @type {any} */ (gf), name));
  const modelInfo = infos.get(name);
  const { state, refused } = readLink(`#/explore?${link}`, openingState(name, modelInfo), modelInfo);
  assert.deepEqual(refused, [], link);
  const store = createStore(state);
  /** @type {object[]} */
  const set = [];
  const root = window.document.createElement('div');
  root.dataset.slot = 'page';
  window.document.body.replaceChildren(root);
  /** @type {any} */
  let problem = null;
  const session = createSession({
    state: store.get,
    modelInfo: (model) => infos.get(model),
    required: (query) => requiredBy([feature], /** @type {any} */ ({ ...query, modelInfo })),
    isReady: () => true,
    send: (/** @type {any} */ request) => void answer(request),
    onResult() {},
    onSlow() {},
  });
  /** @param {any} request */
  async function answer(request) {
    try {
      const { corpus } = await loadDerived(request.names);
      if (corpus) await cache.fetchCorpus(request.model);
      session.receive(structuredClone(await run(request)));
    } catch (error) {
      problem = error;
      session.receive({ type: 'refused', id: request.id, error: /** @type {any} */ (error) });
    }
  }
  const tools = {
    get: store.get,
    plan: session.plan,
    result: session.result,
    presentResult: session.presentResult,
    pinned: session.pinned,
    selection: session.selection,
    modelInfo: () => modelInfo,
    /** @param {any} patch */
    set(patch) {
      set.push(patch);
      store.set(patch);
    },
    /** @param {any} patch */
    moveCursor: (patch) => tools.set(moveCursor(store.get(), patch)),
    saveModel: (/** @type {string} */ format) => void set.push({ save: format }),
    link: () => `https://example.org/#/explore?${link}`,
    chooseModel: (/** @type {string} */ chosen, /** @type {any} */ left) =>
      void set.push({ choose: chosen, ...(left && { left }) }),
    openOwn: () => void set.push({ openOwn: true }),
    generate: () => void set.push({ generate: true }),
    viewShown: async () => {},
    history: {
      undoChange: () => void set.push({ undo: true }),
      redoChange: () => void set.push({ redo: true }),
      canUndoChange: () => set.length > 0,
      canRedoChange: () => false,
    },
    stopGenerating: () => void set.push({ stop: true }),
  };
  const placed = placeFeature(feature, root, tools, async () => {});
  /** Shows the present state. @param {{parameter: string, message: string} | null} [error] of an input */
  async function show(error = null) {
    for (let asked = !isEmpty(session.plan()); asked && !problem;) {
      session.update();
      await new Promise(setImmediate);
      asked = session.isPending() || requiredMissing();
    }
    if (problem) throw problem;
    const now = store.get();
    const result = isEmpty(session.plan()) ? null : session.result();
    if (feature.input) placed.show({ state: now, scheme: 'light', modelInfo, error, chosenModel: name });
    else if (!result) placed.blank({ plan: session.plan() });
    else placed.show({ result, state: now, scheme: 'light', modelInfo, pinned: session.pinned() });
    await new Promise(setImmediate);
  }
  const needs = () => {
    const plan = makePlan(store.get(), modelInfo);
    const selection = clampSelection(store.get().selection, plan.settings);
    return requiredBy([feature], { plan, state: { ...store.get(), selection }, modelInfo });
  };
  function requiredMissing() {
    const result = session.presentResult();
    return needs().some((each) => {
      if (each[0] !== '@') return !result?.tensors.has(each);
      return result?.derived.get(each)?.unfinished ?? !result?.derived.has(each);
    });
  }
  await show();
  return {
    root,
    set,
    session,
    result: () => /** @type {NonNullable<ReturnType<typeof session.result>>} */ (session.result()),
    state: store.get,
    modelInfo,
    needs,
    show: () => show(),
    refuse: show,
    /** Changes the state elsewhere. @param {any} patch */
    put: (patch) => store.set(patch),
    text: () => textOf(root),
    /** @param {string} selector */
    all: (selector) => [...root.querySelectorAll(selector)].map((each) => textOf(each)),
    /** The reader comes to what was out of sight. */
    async see() {
      for (const each of [...unseen]) each();
      await show();
    },
    /** Another feature changes the state. @param {Partial<import('../../../web/app/schema.js').State>} patch */
    async change(patch) {
      store.set(patch);
      await show();
    },
    /** @param {string} selector */
    async click(selector) {
      /** @type {any} */ (root.querySelector(selector)).click();
      await show();
    },
    /** @param {string} selector @param {string} value */
    async choose(selector, value) {
      const control = /** @type {any} */ (root.querySelector(selector));
      control.value = value;
      control.dispatchEvent(new window.Event('change', { bubbles: true }));
      await show();
    },
    /** Types over what a field has. @param {string} selector @param {string} value */
    async type(selector, value) {
      const field = /** @type {any} */ (root.querySelector(selector));
      field.value = value;
      field.dispatchEvent(new window.Event('input', { bubbles: true }));
      await show();
    },
    /** @param {string} selector @param {string} keys such as 'End' or 'Control+End' */
    async press(selector, keys) {
      const [key, held] = keys.split('+').reverse();
      const how = { key, ctrlKey: held === 'Control', bubbles: true, cancelable: true };
      const event = new window.KeyboardEvent('keydown', how);
      /** @type {any} */ (root.querySelector(selector)).dispatchEvent(event);
      await show();
    },
  };
}
