// A feature's memory is drawn once, after the listener that changed it, and never stale.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><main></main>');
for (const name of ['window', 'document', 'Node', 'Element', 'HTMLElement'])
  Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });
const { html, render } = await import('lit-html');
const { component } = await import('../../../web/kit/component.js');
const { opened, placeFeature, pointed } = await import('../../../web/kit/feature.js');

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

/** @param {any} row @param {object} [more] */
function placedIn(row, { before = null, tools = {}, refresh = async () => {} } = /** @type {any} */ ({})) {
  const slot = document.createElement('div');
  slot.innerHTML = '<i>a</i><u>z</u>';
  const placed = placeFeature({ name: 'own', ...row }, slot, tools, refresh, before && slot.querySelector(before));
  return { ...placed, slot, text: () => slot.textContent };
}

test('it stands before a node or at the end, with its frame and its style, and is hidden with all its elements', () => {
  /** @type {string[]} */
  const sheets = [];
  class Sheet {
    replaceSync = (/** @type {string} */ css) => void sheets.push(css);
  }
  Reflect.set(globalThis, 'CSSStyleSheet', Sheet);
  const first = new Sheet();
  Reflect.set(document, 'adoptedStyleSheets', [first]);
  const row = {
    frame: () => html`<b></b>frame<s></s>`,
    begin: (/** @type {any} */ { given }) => void sheets.push(`begun ${given}`),
    style: 'p {}',
    render: (/** @type {any} */ { has }) => (has === undefined ? undefined : has && html`<b></b>shown`),
    needs: (/** @type {any} */ { plan }) => [plan],
  };
  const { slot, text, hide, show, blank, needs, feature } = placedIn(row, { before: 'u', tools: { given: 'tools' } });
  assert.deepEqual([sheets, document.adoptedStyleSheets.length], [['p {}', 'begun tools'], 2]);
  assert.equal(document.adoptedStyleSheets[0], /** @type {any} */ (first));
  assert.deepEqual([text(), feature.name, needs({ plan: 'x' })], ['aframez', 'own', ['x']]);
  const away = () => [...slot.querySelectorAll('[data-away]')].map(({ localName }) => localName).join();
  hide(true);
  assert.equal(away(), 'b,s');
  hide(false);
  assert.equal(away(), '');
  for (const [has, shown] of [
    [true, 'ashownz'],
    [undefined, 'ashownz'],
    [null, 'az'],
  ]) {
    // prettier-ignore
    show({ has });
    assert.equal(text(), shown);
  }
  show({ has: true });
  blank({});
  assert.equal(text(), 'az', 'without a blank there is nothing');
  const last = placedIn({ render: () => html`end` });
  last.show({});
  assert.deepEqual([last.text(), last.needs({}), sheets.length], ['azend', [], 2]);
});

test('blank is given what it asks for; without a template what stands there stays, and is drawn again', async () => {
  /** @type {any} */
  let own;
  const { show, blank, text } = placedIn({
    local: { word: 'x' },
    begin: (/** @type {any} */ tools) => void (own = tools),
    render: (/** @type {any} */ { local }) => html`${local.word}`,
    blank: (/** @type {any} */ { is }, /** @type {any} */ tools) => is && html`${is} ${tools === own}`,
  });
  show({});
  blank({});
  own.local({ word: 'y' });
  await settled();
  assert.equal(text(), 'azy');
  blank({ is: 'blank' });
  own.local({ word: 'z' });
  await settled();
  assert.equal(text(), 'azblank true');
});

test('a late feature fetches its code once, when it is wanted, and then asks for what it needs', async () => {
  const wanted = { result: { plan: 'wanted' }, plan: 'wanted' };
  const when = (/** @type {any} */ { plan }) => plan === 'wanted';
  for (const [by, row, isFetched] of /** @type {['show' | 'blank' | 'needs', object, boolean][]} */ ([
    ['show', {}, true],
    ['needs', {}, true],
    ['blank', {}, true],
    ['show', { when }, true],
    ['needs', { when }, true],
    ['blank', { when }, false],
  ])) {
    let [loads, refreshed] = [0, 0];
    const code = { name: 'own', render: () => html`here`, needs: () => ['x'], blank: () => html`blank` };
    const load = async () => (loads++, code);
    const placed = placedIn({ ...row, load }, { refresh: async () => void refreshed++ });
    if ('when' in row) {
      placed.show({ result: { plan: 'other' } });
      assert.deepEqual(placed.needs({ plan: 'other' }), []);
    }
    assert.equal(loads, 0);
    for (let i = 0; i < 2; i++) placed[by](by === 'show' ? { result: wanted.result } : wanted);
    assert.equal(placed.text(), 'az');
    await settled();
    assert.deepEqual([loads, refreshed], isFetched ? [1, 1] : [0, 0], `${by} ${Object.keys(row)}`);
    if (!isFetched) continue;
    assert.deepEqual(placed.needs(wanted), ['x']);
    placed.show(wanted);
    assert.equal(placed.text(), 'azhere');
    placed.blank(wanted);
    assert.deepEqual([placed.text(), loads], ['azblank', 1]);
  }
});

test('a fold that is opened, an element that is pointed at', async () => {
  document.body.innerHTML = '<details id="closed"></details><details id="open" open></details><p id="p"></p>';
  /** @type {string[]} */
  const seen = [];
  const closed = /** @type {any} */ (document.getElementById('closed'));
  opened('closed').then(() => seen.push('closed'));
  opened('open').then(() => seen.push('open'));
  closed.dispatchEvent(new window.Event('toggle'));
  await settled();
  assert.deepEqual(seen, ['open']);
  closed.open = true;
  closed.dispatchEvent(new window.Event('toggle'));
  await settled();
  assert.deepEqual(seen, ['open', 'closed']);
  for (const type of ['pointerover', 'focusin', 'pointerdown']) {
    const event = new window.Event(type);
    const isPointed = pointed('p');
    document.getElementById('p')?.dispatchEvent(event);
    assert.equal(await isPointed, event);
  }
  pointed('nowhere');
});

test('a view is made once it stands on the page, ends with it, and is made again', async () => {
  /** @type {string[]} */
  const seen = [];
  const view = component((root, { name }) => {
    seen.push(`made ${root.isConnected} ${name}`);
    root.textContent = 'view';
    return { update: (data) => void seen.push(`update ${data}`), destroy: () => void seen.push('destroyed') };
  });
  const bare = component(() => ({ update: () => void seen.push('bare') }));
  const main = document.body.appendChild(document.createElement('main'));
  const draw = (/** @type {unknown} */ child) => render(html`<p>${child}</p>`, main);
  const heard = () => seen.splice(0).join(', ');
  const part = draw(view(1, { name: 'x' }));
  assert.equal(heard(), '', 'there is nothing to measure yet');
  await settled();
  assert.equal(heard(), 'made true x, update 1');
  draw(view(2, { name: 'y' }));
  assert.equal(heard(), 'update 2');
  part.setConnected(false);
  assert.deepEqual([heard(), main.textContent], ['destroyed', '']);
  part.setConnected(true);
  await settled();
  assert.deepEqual([heard(), main.textContent], ['made true y, update 2', 'view']);
  draw('gone');
  assert.equal(heard(), 'destroyed');
  draw(view(3));
  draw('gone');
  await settled();
  assert.equal(heard(), '', 'one that is gone before it stands there is not made');
  draw(bare(1));
  await settled();
  draw('gone');
  assert.equal(heard(), 'bare');
});
