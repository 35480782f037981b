// <glass-model>: loads a model, runs it on a text, and holds what is chosen in the parts inside.

import { GlassformerError } from '../../src/js/errors.js';
import { HTMLBase, takeEarly } from './element.js';
import { CHOSEN, ModelState } from './model-state.js';

/** @import { GlassModelBase } from './types.js' */

const Base = /** @type {new () => GlassModelBase} */ (/** @type {unknown} */ (HTMLBase));

const NAMES = /** @type {const} */ (['name', 'src', 'text', ...CHOSEN]);

/** @type {WeakMap<Element, ModelState>} */
const states = new WeakMap();

/**
 * A model and a text; the parts inside show them. Each property is an attribute, too: `name` of a shipped model or
 * `src`, the address of a file; `text`; and the choice that all parts share: `head` (`3.2` is layer 3, head 2), `word`
 * and the word that it attends to, `key` (by text, or by place from 0), `neuron` (`2.88`: layer 2, neuron 88, from 0).
 * Without a choice the parts show head 1.1 at the first word, of a decoder the last, and the key with the most weight.
 *
 * All models of a page share one engine, and those with the same file one copy of it. What a reader chooses becomes an
 * attribute, and fires 'choose' at the part. Setting a property never throws: the parts show the mistake, and it goes
 * to the page's console.
 * @example
 * <glass-model name="creek" text="The dog did not jump over the creek because it was tired." head="3.2" word="it">
 *   <glass-heatmap></glass-heatmap>
 * </glass-model>
 * <script type="module">
 *   import 'glassformer/elements';
 * </script>
 */
export class GlassModel extends Base {
  static observedAttributes = NAMES;

  static {
    for (const name of NAMES) {
      Object.defineProperty(this.prototype, name, {
        get() {
          return states.get(this)?.get(name);
        },
        set(value) {
          // The reader chose a key of the former text: the new one has its own.
          if (name === 'text' && typeof this.key === 'number') {
            this.key = undefined;
            this.removeAttribute('key');
          }
          states.get(this)?.set(name, value);
        },
      });
    }
  }

  constructor() {
    super();
    states.set(this, new ModelState());
  }

  connectedCallback() {
    takeEarly(this);
  }

  /** @param {typeof NAMES[number]} name @param {string | null} _ @param {any} value */
  attributeChangedCallback(name, _, value) {
    if (String(this[name]) !== value) this[name] = value ?? undefined;
  }
}

/** Choices of parts that no model is around yet. @type {WeakMap<Element, Map<string, any>>} */
const kept = new WeakMap();

/**
 * The model that a part was given, with its element, if it has one.
 * @type {WeakMap<Element, {given: any, state: ModelState, element: GlassModel | null}>}
 */
const fed = new WeakMap();
/** One state for each object, so that parts with the same one share a choice. @type {WeakMap<object, ModelState>} */
const ofObjects = new WeakMap();
/** Parts that stand in a page: each call looks for its model again. @type {WeakMap<Element, () => void>} */
const followers = new WeakMap();

/**
 * Gives a part a model that is not around it.
 * @param {Element} part @param {any} given a `<glass-model>`, or a model with its tokenizer and a text; null: none
 */
function feed(part, given) {
  if (fed.get(part)?.given === given) return;
  const of = states.get(given);
  if (given == null) fed.delete(part);
  else fed.set(part, { given, state: of ?? stateOf(given), element: of ? given : null });
  followers.get(part)?.();
}

/** @param {any} given @returns {ModelState} */
function stateOf(given) {
  const known = ofObjects.get(given);
  if (known) return known;
  const state = new ModelState();
  if (given?.model?.[Symbol.toStringTag] === 'GlassformerModel' && typeof given.text === 'string') {
    state.set('src', given);
    state.set('text', given.text);
  } else {
    const needed = 'must be a <glass-model>, or { model, tokenizer, text } with a model of this thread';
    queueMicrotask(() => state.refuse(new GlassformerError('type', 'model', given, needed)));
  }
  if (typeof given === 'object') ofObjects.set(given, state);
  return state;
}

/**
 * Gives a class of parts the choice's properties, which read and write the model around the part, and a model property.
 * @param {{prototype: HTMLElement}} part
 */
export function shareChoice({ prototype }) {
  Object.defineProperty(prototype, 'model', {
    get() {
      return fed.get(this)?.given;
    },
    set(given) {
      feed(this, given);
    },
  });
  for (const name of CHOSEN)
    Object.defineProperty(prototype, name, {
      get() {
        return stateAround(this)?.get(name) ?? kept.get(this)?.get(name);
      },
      set(value) {
        const state = stateAround(this);
        if (state) state.set(name, value);
        else kept.set(this, (kept.get(this) ?? new Map()).set(name, value));
      },
    });
}

/**
 * Follows the model of a part, which begins with what was chosen at the part before.
 * @param {Element} part @param {(state: ModelState | null) => void} onChange null: it was taken away
 * @returns {() => void} ends it
 */
export function follow(part, onChange) {
  /** @type {ModelState | null} */
  let now = null;
  let leave = () => {};
  function join() {
    const state = stateAround(part);
    if (state === now) return;
    leave();
    now = state;
    leave = state?.join(() => onChange(state)) ?? (() => {});
    if (state) {
      kept.get(part)?.forEach((value, name) => state.set(/** @type {typeof CHOSEN[number]} */ (name), value));
      kept.delete(part);
    }
    onChange(state);
  }
  followers.set(part, join);
  join();
  return () => {
    followers.delete(part);
    leave();
  };
}

/**
 * The model that a part was given, else the one around it.
 * @param {Element} part
 * @returns {ModelState | null}
 */
function stateAround(part) {
  const own = fed.get(part);
  if (own) return own.state;
  const model = part.closest('glass-model');
  return (model && states.get(model)) ?? null;
}

/**
 * Gives the model of a part another text. A key that the reader chose was of the former one.
 * @param {Element} part @param {string} text
 */
export function readText(part, text) {
  const given = fed.get(part);
  const model = given ? given.element : /** @type {any} */ (part.closest('glass-model'));
  if (model) return void (model.text = text);
  const state = stateAround(part);
  if (typeof state?.get('key') === 'number') state.set('key', undefined);
  state?.set('text', text);
}

/**
 * Chooses for all parts of a model, as the reader does: it becomes an attribute, and the part fires 'choose'.
 * @param {Element} part
 * @param {Partial<Record<typeof CHOSEN[number], string | number | null>>} chosen null: nothing of its own
 * @param {Record<string, number>} [own] choices of the part itself
 */
export function choose(part, chosen, own) {
  const given = fed.get(part);
  const model = /** @type {GlassModel | null} */ (given ? given.element : part.closest('glass-model'));
  const state = stateAround(part);
  if (!state) return;
  for (const name of CHOSEN) {
    const value = chosen[name];
    if (value === undefined) continue;
    state.set(name, value);
    if (value === null) model?.removeAttribute(name);
    else model?.setAttribute(name, String(value));
  }
  const choice = state.choice();
  if (!choice || !state.pass) return;
  const { layer, head, row, key, neuron } = choice;
  const { words, columnWords, headName } = state.pass;
  const detail = {
    head: headName(layer, head),
    ...{ word: row, text: words[row], key, keyText: columnWords[key] },
    neuron: neuron && `${neuron.layer + 1}.${neuron.index}`,
    ...own,
  };
  part.dispatchEvent(new CustomEvent('choose', { bubbles: true, detail }));
}
