// A page in jsdom with the elements, for the tests of this folder, which share one process.
import { readFileSync } from 'node:fs';
import { JSDOM, VirtualConsole } from 'jsdom';

/** Errors that elements reported, and those of jsdom. @type {unknown[]} */
export const problems = [];
const virtualConsole = new VirtualConsole().on('jsdomError', (error) => problems.push(error));
export const { window } = new JSDOM('<!doctype html>', { virtualConsole });
const NAMES = [
  'HTMLElement',
  'Element',
  'CustomEvent',
  'customElements',
  'document',
  'getComputedStyle',
  'Node',
  'innerHeight',
];
for (const name of NAMES) Object.defineProperty(globalThis, name, { value: window[name], configurable: true });
globalThis.devicePixelRatio ??= 1;
globalThis.reportError = (error) => void problems.push(error);
await import('../../../dist/elements.js');

export const creek = new Uint8Array(readFileSync(new URL('../../../dist/models/creek.safetensors', import.meta.url)));
export const TIRED = 'The dog did not jump over the creek because it was tired.';
export const DEEP = TIRED.replace('tired', 'deep');

/**
 * A model with parts, once it has run.
 * @param {string} parts markup
 * @param {Record<string, unknown>} [given] properties of the model
 */
export async function open(parts, given = {}) {
  window.document.body.innerHTML = `<glass-model>${parts}</glass-model>`;
  const model = /** @type {any} */ (window.document.querySelector('glass-model'));
  Object.assign(model, { src: creek, text: TIRED, ...given });
  await settled();
  return { model, find: (/** @type {string} */ name) => /** @type {any} */ (window.document.querySelector(name)) };
}

/** Until the model is there and its parts are drawn. */
export const settled = () => new Promise((resolve) => setTimeout(resolve, 100));

/** Waits for something that takes the engine's time. @param {() => unknown} isThere */
export async function until(isThere) {
  for (let tries = 0; !isThere(); tries++) {
    if (tries > 300) throw new Error(`waited in vain for ${isThere}`);
    await settled();
  }
}

/** @param {any} part @param {string} selector @returns {any[]} */
export const all = (part, selector) => [...part.shadowRoot.querySelectorAll(selector)];

// The engine and the model take their time once; then each test waits for its own passes alone.
await open('<glass-sentence></glass-sentence>');
while (!all(window.document.querySelector('glass-sentence'), '.token').length) await settled();
