// Shared by all elements: the base class, the shadow tree with its style and colour scheme, and early properties.

import { frameShown } from '../kit/turn.js';
import css from 'elements.css'; // style.css, made small: a rule of emscripten.mk

/** Where there is no DOM, on a server that renders a page, the import must not fail. */
export const HTMLBase = globalThis.HTMLElement ?? class {};

/** @param {unknown} error */
export const report = (error) => (globalThis.reportError ?? console.error)(error);

/** The longest that elements wait for one another's numbers before they are drawn for the first time. */
const PATIENCE = 100; // ms
/** The least height of most elements once they are drawn. */
const HEIGHT = 150; // px

/**
 * A drawing that waits for the end of the task. `read`: what it needs of the page. `isFirst`: whether the element is
 * drawn for the first time; `ready`: is kept once the numbers for that are there.
 * @typedef {{
 *   read: () => any, draw: (found: any) => void, isFirst?: () => boolean, ready?: () => Promise<unknown> | undefined,
 * }} Drawing
 * @typedef {Map<HTMLElement, Drawing>} Drawings
 */

/** @type {Drawings} */
const waiting = new Map();

/**
 * Draws an element at the end of this task, with all others that wait. First each reads what it needs of the page, so
 * that the browser computes style and layout once, and not once for each element. Those that are drawn for the first
 * time wait for a moment for one another's numbers, and those that will stand below the window for its first frames.
 * @param {HTMLElement} element @param {Drawing} drawing
 */
export function drawSoon(element, drawing) {
  if (!waiting.size) queueMicrotask(() => (last = Promise.all([last, drawAll()])));
  waiting.set(element, drawing);
}

/** Until what waits now is drawn. @type {Promise<unknown>} */
let last = Promise.resolve();
export const drawn = () => last;

/** @param {Drawing} drawing */
function isFirstOf({ isFirst }) {
  try {
    return isFirst?.();
  } catch {
    return false; // its drawing fails, too, and is reported
  }
}

async function drawAll() {
  /** @type {Drawings} */
  const below = new Map();
  [...waiting].forEach(([element, drawing], above) => {
    if (!isFirstOf(drawing)) return;
    const top = element.getBoundingClientRect().top + HEIGHT * above; // once those before it are drawn
    if (top < ('requestAnimationFrame' in globalThis ? innerHeight : Infinity)) return;
    below.set(element, drawing);
    waiting.delete(element);
  });
  const numbers = numbersOf(waiting);
  if (numbers) await numbers;
  drawEach(waiting);
  if (!below.size) return;
  await frameShown();
  const others = numbersOf(below);
  await frameShown(); // with the arcs over the words, which are drawn in the next one
  await others;
  drawEach(below);
}

/** Until the numbers of first drawings are there; undefined: none is needed. @param {Drawings} drawings */
function numbersOf(drawings) {
  const numbers = [...drawings.values()].flatMap(({ isFirst, ready }) => {
    try {
      return (isFirst?.() && ready?.()) || [];
    } catch {
      return []; // its drawing fails, too, and is reported
    }
  });
  if (numbers.length)
    return Promise.race([Promise.allSettled(numbers), new Promise((done) => setTimeout(done, PATIENCE))]);
}

/** @param {Drawings} drawings */
function drawEach(drawings) {
  const all = [...drawings.values()];
  drawings.clear();
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
