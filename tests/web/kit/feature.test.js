// A feature's memory is drawn once, after the listener that changed it, and never stale.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><main></main>');
for (const name of ['window', 'document', 'Node', 'Element', 'HTMLElement'])
  Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });
const { html } = await import('lit-html');
const { component } = await import('../../../web/kit/component.js');
const { placeFeature } = await import('../../../web/kit/feature.js');

const settled = () => new Promise((done) => setTimeout(done, 0));

/** A feature that writes its local and the state, and what its listeners use. */
function placed() {
  const slot = document.createElement('div');
  /** @type {any} */
  let tools;
  const renders = { count: 0 };
  const feature = {
    name: 'written',
    local: { word: '-' },
    begin: (/** @type {any} */ given) => void (tools = given),
    render: (/** @type {any} */ { state, local }) => {
      renders.count++;
      return html`${state} ${local.word}`;
    },
    blank: () => html`blank`,
  };
  const { show, blank } = placeFeature(/** @type {any} */ (feature), slot, {}, async () => {});
  const remember = (/** @type {string} */ word) => tools.local({ word });
  return { show, blank, remember, renders, text: () => slot.textContent };
}

test('what a listener remembers is drawn with what it sets, in one go', async () => {
  const { show, remember, renders, text } = placed();
  show({ state: 'a' });
  remember('one');
  remember('two');
  show({ state: 'b' });
  assert.deepEqual([text(), renders.count], ['b two', 2]);
  await settled();
  assert.deepEqual([text(), renders.count], ['b two', 2]);
  remember('three');
  remember('four');
  await settled();
  assert.deepEqual([text(), renders.count], ['b four', 3]);
});

test('after any order of updates it shows the last of each', async () => {
  const word = fc.string({ minLength: 1, maxLength: 3 });
  const step = fc.tuple(fc.constantFrom('show', 'remember', 'blank', 'wait'), word);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { show, blank, remember, text } = placed();
      let [state, local, expected] = ['', '-', () => ''];
      for (const [what, to] of steps) {
        if (what === 'wait') await settled();
        else if (what === 'remember') remember((local = to));
        else if (what === 'show') {
          show({ state: (state = to) });
          assert.equal(text(), `${state} ${local}`, 'an update is drawn at once');
          expected = () => `${state} ${local}`;
        } else {
          blank({});
          expected = () => 'blank';
        }
      }
      await settled();
      assert.equal(text(), expected());
    }),
  );
});

test('a view reads its options when it needs them, and then the latest', async () => {
  let reads = 0;
  /** @type {any} */
  let given;
  const view = component((_root, options) => {
    given = options;
    return { update() {} };
  });
  const { show } = placeFeature(
    /** @type {any} */ ({
      name: 'view',
      render: (/** @type {any} */ { state }) =>
        html`${view(null, {
          get height() {
            reads++;
            return state;
          },
          call: () => state,
        })}`,
    }),
    /** @type {any} */ (document.querySelector('main')),
    {},
    async () => {},
  );
  show({ state: 1 });
  await settled();
  show({ state: 2 });
  await settled();
  assert.equal(reads, 0, 'as a height, that would make the browser lay out the page');
  assert.deepEqual([given.height, given.call(), Object.keys(given)], [2, 2, ['height', 'call']]);
});
