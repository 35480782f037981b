// Shared by all elements: the base class, the shadow tree with its style and colour scheme, and early properties.

import css from 'elements.css'; // style.css, made small: a rule of emscripten.mk

/** Where there is no DOM, on a server that renders a page, the import must not fail. */
export const HTMLBase = globalThis.HTMLElement ?? class {};

/** @param {unknown} error */
export const report = (error) => (globalThis.reportError ?? console.error)(error);

/** The longest that elements wait for one another's numbers before they are drawn for the first time. */
const PATIENCE = 100; // ms

/**
 * Drawings that wait for the end of the task.
 * @type {Map<object, {read: () => any, draw: (found: any) => void, ready?: () => Promise<unknown> | undefined}>}
 */
const waiting = new Map();

/**
 * Draws an element at the end of this task, with all others that wait: first each reads what it needs of the page, so
 * that the browser computes style and layout once, and not once for each element.
 * @template T
 * @param {object} element @param {() => T} read @param {(found: T) => void} draw
 * @param {() => Promise<unknown> | undefined} [ready] numbers that all wait for a moment, so that the browser lays out
 *   and paints once
 */
export function drawSoon(element, read, draw, ready) {
  if (!waiting.size) queueMicrotask(drawAll);
  waiting.set(element, { read, draw, ready });
}

async function drawAll() {
  const numbers = [...waiting.values()].flatMap(({ ready }) => {
    try {
      return ready?.() ?? [];
    } catch {
      return []; // its drawing fails, too, and is reported
    }
  });
  if (numbers.length)
    await Promise.race([Promise.allSettled(numbers), new Promise((done) => setTimeout(done, PATIENCE))]);
  const all = [...waiting.values()];
  waiting.clear();
  const found = all.map(({ read }) => read());
  all.forEach(({ draw }, i) => {
    try {
      draw(found[i]);
    } catch (error) {
      report(error);
    }
  });
}

/** @type {Map<string, CSSStyleSheet>} made by script, as a strict content policy lets that pass */
const sheets = new Map();

/** @param {string} text */
function styleSheet(text) {
  const sheet = sheets.get(text) ?? new CSSStyleSheet();
  if (!sheets.has(text)) sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}

/**
 * The shadow tree of an element with the elements' style, and the colour scheme there: the page around may be light on
 * a dark system.
 * @param {HTMLElement} element
 * @param {() => void} onScheme called when the scheme has changed
 */
export function createShadow(element, onScheme) {
  const root = element.shadowRoot ?? element.attachShadow({ mode: 'open', delegatesFocus: true });
  const probe = root.appendChild(document.createElement('i'));
  probe.addEventListener('transitionend', onScheme);
  addStyle(root, css);
  return {
    root,
    /** @returns {'light' | 'dark'} */
    schemeOf: () => (getComputedStyle(probe).color === 'rgb(255, 255, 255)' ? 'dark' : 'light'),
  };
}

/** @param {ShadowRoot} root @param {string} text of a style sheet */
export function addStyle(root, text) {
  if (!('adoptedStyleSheets' in root)) return; // jsdom
  const sheet = styleSheet(text);
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
}

/**
 * Values that were set before the class was there: they stand on the element itself, and hide its properties.
 * @param {HTMLElement} element
 */
export function takeEarly(element) {
  const early = /** @type {any} */ ({ ...element });
  for (const name in early) delete (/** @type {any} */ (element)[name]);
  Object.assign(element, early);
}
