// A late feature on the page: what stands there while its code is fetched, and where it cannot be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><main></main>');
for (const name of ['window', 'document', 'Node', 'Element', 'HTMLElement'])
  Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });
const { html } = await import('lit-html');
const { placeFeature } = await import('../../../web/kit/feature.js');

const slot = /** @type {HTMLElement} */ (document.querySelector('main'));
const settled = () => new Promise((done) => setTimeout(done, 0));

test('it says that its code is fetched, or could not be, and tries again; unwanted, it shows nothing', async () => {
  let tries = 0;
  const row = {
    name: 'late',
    when: (/** @type {any} */ { view }) => view === 'card',
    load: async () => {
      if (++tries === 1) throw new TypeError('Failed to fetch');
      return { name: 'late', render: () => html`here` };
    },
    /** @param {any} _context @param {(() => void) | null} again */
    wait: (_context, again) => (again ? html`<button @click=${again}>again</button>` : html`waiting`),
  };
  let view = 'list';
  const draw = async () => placed.show({ view });
  const placed = placeFeature(/** @type {any} */ (row), slot, {}, draw);
  await draw();
  assert.deepEqual([slot.textContent, tries], ['', 0]);
  view = 'card';
  draw();
  assert.equal(slot.textContent, 'waiting');
  await settled();
  assert.equal(slot.textContent, 'again');
  await draw();
  assert.deepEqual([slot.textContent, tries], ['again', 1], 'no update tries again by itself');
  slot.querySelector('button')?.click();
  assert.equal(slot.textContent, 'waiting');
  await settled();
  assert.deepEqual([slot.textContent, tries], ['here', 2]);
  view = 'list';
  await draw();
  assert.equal(slot.textContent, '');
});
