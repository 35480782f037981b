// The state behind a <glass-model>: its file and text, the pass, and what is chosen in all of its parts.

import { GlassformerError } from '../../src/js/errors.js';
import { report } from './element.js';
import { addressOf, openModel } from './opened.js';
import { createPass } from './pass.js';

/** @typedef {import('./types.js').ModelInput} ModelInput */
/** @typedef {import('./pass.js').Pass} Pass */
/** @typedef {ReturnType<typeof createPass>} Passes */

/**
 * Chosen in a pass, all from 0: a head of an attention, a word and the word that it attends to, which is the strongest
 * key unless one is given, and a neuron, if one is chosen.
 * @typedef {{
 *   layer: number, head: number, row: number, key: number, isKeyGiven: boolean,
 *   neuron: {layer: number, index: number} | null,
 * }} Choice
 */

/** Names of the properties that every part has, too. */
export const CHOSEN = /** @type {const} */ (['head', 'word', 'key', 'neuron']);

export class ModelState {
  /** @type {Partial<ModelInput>} */
  #given = {};
  /** @type {unknown} */
  #source;
  /** @type {import('./opened.js').Live | null} */
  #live = null;
  /** @type {Passes | null} */
  #pass = null;
  /** @type {Error | null} */
  #error = null;
  /** @type {Set<() => void>} */
  #listeners = new Set();
  #waits = false;

  /** With the attention of the chosen head. @returns {Pass | null} */
  get pass() {
    const { head } = this.#given;
    return (
      this.#pass?.of(
        head === undefined ? undefined : READ.head(head, this.#pass.of(undefined), this.#pass)?.attention,
      ) ?? null
    );
  }

  get error() {
    return this.#error;
  }

  /** @template {keyof ModelInput} K @param {K} name @returns {ModelInput[K] | undefined} */
  get(name) {
    return this.#given[name];
  }

  /**
   * Sets a property of the model; it takes effect before the page is drawn again.
   * @param {keyof ModelInput} name @param {any} value null and undefined take it away
   */
  set(name, value) {
    if (this.#given[name] === (value ?? undefined)) return;
    this.#given = { ...this.#given, [name]: value ?? undefined };
    this.#error = null;
    this.#soon();
  }

  /** Shows a mistake of the page in all parts. @param {Error} error */
  refuse(error) {
    this.#fail(error);
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener after each change. @param {() => void} listener @returns {() => void} ends it */
  join(listener) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** @returns {Choice | null} null: there is no pass */
  choice() {
    const { pass } = this;
    if (!pass) return null;
    const { layer, head } = this.#read('head', { layer: 0, head: 0 });
    const row = this.#read('word', pass.isCausal ? pass.words.length - 1 : 0);
    const size = pass.columnWords.length;
    const own = pass.head(layer, head).subarray(row * size, (row + 1) * size);
    const key = this.#read('key', strongest(own));
    const isKeyGiven = this.#given.key !== undefined;
    return { ...{ layer, head, row, key, isKeyGiven }, neuron: this.#read('neuron', null) };
  }

  /** @param {typeof CHOSEN[number]} name @param {any} otherwise @returns {any} */
  #read(name, otherwise) {
    const value = this.#given[name];
    return (value === undefined ? undefined : this.#valueOf(name, value)) ?? otherwise;
  }

  /** @param {typeof CHOSEN[number]} name @param {any} value @returns {any} undefined: there is no such thing */
  #valueOf(name, value) {
    return READ[name](value, /** @type {Pass} */ (this.pass), /** @type {Passes} */ (this.#pass));
  }

  #soon() {
    if (this.#waits) return;
    this.#waits = true;
    queueMicrotask(() => {
      this.#waits = false;
      this.#refresh();
    });
  }

  #refresh() {
    try {
      this.#open();
      const before = this.#pass;
      const { text } = this.#given;
      if (!this.#live || text === undefined) this.#pass = null;
      else if (this.#pass?.text !== text) {
        this.#pass = null;
        this.#pass = createPass(this.#live, String(text));
      }
      if (this.#pass) this.#check(before !== null && before !== this.#pass);
    } catch (error) {
      this.#fail(error);
    }
    for (const listener of this.#listeners) listener();
  }

  /**
   * A choice that is none in this pass is dropped, and reported, but for a place in the text before.
   * @param {boolean} isOther the text is another one
   */
  #check(isOther) {
    for (const name of CHOSEN) {
      const value = this.#given[name];
      if (value === undefined || this.#valueOf(name, value) !== undefined) continue;
      delete this.#given[name];
      if (isOther && typeof value === 'number') continue;
      report(new GlassformerError('range', name, value, NEEDED[name](/** @type {Pass} */ (this.pass))));
    }
  }

  #open() {
    const { src, name } = this.#given;
    const source = src ?? (name === undefined ? undefined : addressOf(name));
    if (source === this.#source) return;
    this.#source = source;
    this.#live = this.#pass = null;
    if (source === undefined) return;
    openModel(source).then(
      (live) => {
        if (this.#source !== source) return;
        this.#live = live;
        this.#refresh();
      },
      (error) => {
        if (this.#source !== source) return;
        this.#source = undefined; // the next change tries again
        this.#fail(error);
        for (const listener of this.#listeners) listener();
      },
    );
  }

  /** @param {unknown} error */
  #fail(error) {
    this.#error = /** @type {Error} */ (error);
    report(error);
  }
}

/** @param {Float32Array} weights */
const strongest = (weights) => weights.indexOf(weights.reduce((a, b) => Math.max(a, b)));

/** A number that a list of that length has. @param {number} index @param {number} length */
const within = (index, length) => (Number.isInteger(index) && index >= 0 && index < length ? index : undefined);

/** Two numbers with a dot between. @param {unknown} value @returns {[number, number]} */
function pairOf(value) {
  const [, first, second] = /^(\d+)\.(\d+)$/.exec(String(value)) ?? [];
  return [Number(first), Number(second)];
}

/**
 * A word by its place from 0, or by its text: the first that is written so.
 * @param {any} value @param {readonly string[]} words
 */
function placeOf(value, words) {
  if (typeof value === 'number') return within(value, words.length);
  const text = String(value);
  for (const form of [text, text.toLowerCase()]) {
    const isForm = (/** @type {string} */ word) => word === form || word.toLowerCase() === form;
    const at = words.findIndex((word) => isForm(word) || isForm(word.replace(/^(␣|##)/, '')));
    if (at >= 0) return at;
  }
  return /^\d+$/.test(text) ? within(Number(text), words.length) : undefined;
}

/** Values as they are set, read in a pass; undefined: there is no such thing. */
const READ = {
  /** @param {any} value @param {Pass} _ @param {Passes} passes */
  head(value, _, { views }) {
    const [, kind, place] = /^(?:(\w+) )?(.*)$/.exec(String(value)) ?? [];
    const [layer, head] = pairOf(place);
    const view = views.find(({ attention }) => attention === (kind ?? views[0].attention));
    return view && layer > 0 && layer <= view.layers && head > 0 && head <= view.heads
      ? { layer: layer - 1, head: head - 1, attention: view.attention }
      : undefined;
  },
  /** @param {any} value @param {Pass} pass */
  word: (value, pass) => placeOf(value, pass.words),
  /** @param {any} value @param {Pass} pass */
  key: (value, pass) => placeOf(value, pass.columnWords),
  /** @param {any} value @param {Pass} pass */
  neuron(value, { layers, neurons }) {
    const [layer, index] = pairOf(value);
    return layer > 0 && layer <= layers && index < neurons ? { layer: layer - 1, index } : undefined;
  },
};

/** @type {Record<typeof CHOSEN[number], (pass: Pass) => string>} */
const NEEDED = {
  head: ({ layers, heads, isPair }) =>
    `must be a layer and a head, 1.1 to ${layers}.${heads}${isPair ? ', after cross, decoder or encoder' : ''}`,
  word: ({ words }) => `must be a word of the text, or 0 to ${words.length - 1}`,
  key: ({ columnWords }) => `must be a word of the text, or 0 to ${columnWords.length - 1}`,
  neuron: ({ layers, neurons }) => `must be a layer and a neuron, 1.0 to ${layers}.${neurons - 1}`,
};
