// The base of a model's parts: it follows the model around it, and fetches what draws it.

import { HTMLBase, addStyle, createShadow, drawSoon, report, takeEarly } from './element.js';
import { CHOSEN } from './model-state.js';
import { choose, follow, readText, shareChoice } from './model.js';
import { engineOf, opened } from './opened.js';

/** @import { GlassPartBase } from './types.js' */
const Base = /** @type {new () => GlassPartBase} */ (/** @type {unknown} */ (HTMLBase));

/** The drawing code of each part, a file of its own. */
const VIEWS = {
  sentence: () => import('./parts/sentence.js'),
  heads: () => import('./parts/heads.js'),
  logits: () => import('./parts/logits.js'),
  neurons: () => import('./parts/neurons.js'),
  features: () => import('./parts/features.js'),
  why: () => import('./parts/why.js'),
  training: () => import('./parts/training.js').then(({ load }) => load()),
};

/** @typedef {keyof typeof VIEWS} ViewName */
/**
 * `waits`: whether the element still shows what stands inside it; `early`: fetches what it needs beside a model that is
 * on its way; `ready`: is kept once the numbers of the first drawing are there.
 * @typedef {{
 *   ready?: (shown: Shown) => Promise<unknown> | undefined,
 *   early?: (own: Record<string, any>) => void,
 *   update: (shown: any, tools: PartTools) => void, waits?: (shown: any, tools: PartTools) => boolean,
 *   destroy: () => void,
 * }} View
 */

/**
 * A pass, what is chosen in it, and the part's own properties.
 * @typedef {{
 *   pass: import('./pass.js').Pass, choice: import('./model-state.js').Choice, own: Record<string, any>,
 * }} Shown
 *
 * @typedef {object} PartTools what a view may do
 * @property {'light' | 'dark'} scheme
 * @property {(chosen: Parameters<typeof choose>[1], own?: Record<string, number>) => void} choose as the reader does;
 *   `own`: properties of the part itself
 * @property {() => void} again draws it at the end of the task
 * @property {(text: string) => void} read gives the model another text
 * @property {(text: string) => void} style adds a style sheet
 * @property {(error: unknown) => void} report
 * @property {typeof engineOf} engine the one of the page
 * @property {typeof opened} opened
 */

/** Until the model is there, the element shows the text or the table inside it. */
class GlassPart extends Base {
  /** @type {ViewName} */
  static view;

  /** It needs no model around it. */
  static isAlone = false;

  /** @type {Record<string, any>} */
  #own = {};
  /** @type {import('./model-state.js').ModelState | null} */
  #state = null;
  /** @type {View | null} */
  #view = null;
  #leave = () => {};
  #problem = ''; // which was reported last
  /** @type {ReturnType<typeof createShadow> | null} */
  #shadow = null;

  /** @param {string} name */
  own(name) {
    return this.#own[name];
  }

  /** @param {string} name @param {any} value */
  setOwn(name, value) {
    this.#own[name] = value ?? undefined;
    this.#soon();
  }

  connectedCallback() {
    takeEarly(this);
    this.#shadow = createShadow(this, () => this.#soon());
    this.#shadow.root.prepend(document.createElement('b'), document.createElement('slot'));
    this.#leave = follow(this, (state) => {
      this.#state = state;
      this.#soon();
    });
    const { view } = /** @type {typeof GlassPart} */ (this.constructor);
    import('./parts/base.js').catch(() => {}); // beside what imports it
    VIEWS[view]().then((made) => this.#create(made), report);
  }

  disconnectedCallback() {
    this.#leave();
    this.#view?.destroy();
    this.#view = this.#state = null;
    this.#shadow?.root.replaceChildren();
  }

  /** @param {string} name @param {string | null} _ @param {string | null} value */
  attributeChangedCallback(name, _, value) {
    if (String(Reflect.get(this, name)) !== value) Reflect.set(this, name, value ?? undefined);
  }

  /**
   * Makes the empty view before the model is there: by then it has its width.
   * @param {{create: (body: HTMLElement) => View, style: string}} made
   */
  #create({ create, style }) {
    if (!this.#shadow || !this.isConnected || this.#view) return;
    const { root } = this.#shadow;
    addStyle(root, style);
    const box = root.insertBefore(document.createElement('div'), root.lastChild);
    Object.assign(box.style, { height: 0, overflow: 'hidden' });
    this.#view = create(box.appendChild(document.createElement('div')));
    this.#soon();
  }

  #soon() {
    if (!this.#shadow) return;
    drawSoon(this, {
      read: () => this.#shadow?.schemeOf(),
      draw: (scheme) => this.#draw(scheme),
      isFirst: () => Boolean(this.#state?.pass && this.#shadow?.root.querySelector('slot')),
      ready: () => this.#view?.ready?.(/** @type {Shown} */ (this.#shown())),
    });
  }

  /** Undefined: its model is not there yet. */
  #shown() {
    if (/** @type {typeof GlassPart} */ (this.constructor).isAlone) return { own: this.#own };
    const pass = this.#state?.pass;
    const choice = this.#state?.choice();
    return pass && choice ? { pass, choice, own: this.#own } : undefined;
  }

  /** @param {'light' | 'dark'} scheme */
  #draw(scheme) {
    const { isAlone } = /** @type {typeof GlassPart} */ (this.constructor);
    const root = this.#shadow?.root;
    const state = this.#state;
    if (!root?.firstElementChild || !this.isConnected) return;
    const [title] = root.children;
    title.textContent = state?.error?.message ?? '';
    const box = this.#view && root.lastElementChild?.previousElementSibling;
    box?.toggleAttribute('hidden', !state && !isAlone); // its model was taken away
    const shown = this.#shown();
    if (!shown) this.#view?.early?.(this.#own);
    if (!shown || !this.#view) return;
    const tools = this.#tools(root, scheme);
    try {
      if (this.#view.waits?.(shown, tools)) return;
      const slot = root.querySelector('slot');
      slot?.nextElementSibling?.removeAttribute('style');
      slot?.remove();
      this.#view.update(shown, tools);
      this.#problem = '';
    } catch (problem) {
      title.textContent = /** @type {Error} */ (problem).message;
      if (title.textContent !== this.#problem) report(problem);
      this.#problem = title.textContent;
    }
  }

  /** @param {ShadowRoot} root @param {'light' | 'dark'} scheme @returns {PartTools} */
  #tools(root, scheme) {
    return {
      scheme,
      choose: (chosen, own = {}) => {
        for (const [name, value] of Object.entries(own)) {
          this.setOwn(name, value);
          this.setAttribute(name, String(value));
        }
        choose(this, chosen, own);
      },
      again: () => this.#soon(),
      read: (text) => readText(this, text),
      style: (text) => addStyle(root, text),
      report,
      engine: engineOf,
      opened,
    };
  }
}

/**
 * The class of a part: the properties of the choice and its own, each of them an attribute, too.
 * @param {ViewName} view @param {string[]} names of its own
 * @param {boolean} [isAlone] it needs no model, and so has no choice
 * @returns {any}
 */
export function partOf(view, names, isAlone = false) {
  class Part extends GlassPart {
    static view = view;
    static isAlone = isAlone;
    static observedAttributes = isAlone ? names : [...CHOSEN, ...names];
  }
  if (!isAlone) shareChoice(Part);
  for (const name of names)
    Object.defineProperty(Part.prototype, name, {
      /** @this {GlassPart} */
      get() {
        return this.own(name);
      },
      /** @this {GlassPart} */
      set(value) {
        this.setOwn(name, value);
      },
    });
  return Part;
}
