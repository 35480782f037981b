// Controls, fields, folds and directives in templates: what a reader sees and does, and what follows from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JSDOM } from 'jsdom';

const { window } = new JSDOM('<!doctype html><main></main>');
for (const name of ['document', 'Node', 'Element', 'HTMLElement', 'CustomEvent', 'Event'])
  Object.defineProperty(globalThis, name, { value: /** @type {any} */ (window)[name], configurable: true });
Reflect.set(globalThis, 'requestAnimationFrame', (/** @type {() => void} */ draw) => draw());
const { html, nothing, render } = await import('lit-html');
const { menu } = await import('../../../web/kit/controls.js');
const { field } = await import('../../../web/kit/field.js');
const { figure, inSight, reveal } = await import('../../../web/kit/figure.js');
const { fold } = await import('../../../web/kit/fold.js');

const main = /** @type {HTMLElement} */ (document.querySelector('main'));
const settled = () => new Promise(setImmediate);
/** @param {unknown} template */
async function draw(template) {
  render(template, main);
  await settled();
}
/** @param {string} selector @returns {any} */
const find = (selector) => main.querySelector(selector);
/** @param {string} selector @param {string} names */
const attributes = (selector, names) => names.split(' ').map((name) => find(selector).getAttribute(name));
/** @param {string} selector @param {'input' | 'change'} type @param {object} how */
const use = (selector, type, how) => Object.assign(find(selector), how).dispatchEvent(new Event(type));

test('a menu has its choices, one of them chosen, and says which is chosen then', async () => {
  /** @type {string[]} */
  const chosen = [];
  const choices = { a: 'First', b: 'Second' };
  const onChoose = (/** @type {string} */ choice) => void chosen.push(choice);
  await draw(menu('Label', choices, 'b', onChoose));
  assert.deepEqual(
    [...main.querySelectorAll('option')].map(({ value, text, selected }) => [value, text, selected]),
    [['a', 'First', false], ['b', 'Second', true]], // prettier-ignore
  );
  assert.deepEqual([find('label').hidden, find('select').hasAttribute('class')], [false, false]);
  use('select', 'change', { value: 'a' });
  assert.deepEqual(chosen, ['a']);
  await draw(nothing);
  await draw(menu('Label', choices, 'a', onChoose, { className: 'own', hidden: true }));
  assert.deepEqual([find('label').hidden, find('select').className, find('select').value], [true, 'own', 'a']);
});

test('a field has its label, its value, why that cannot be, and gives what the reader sets', async () => {
  /** @type {unknown[]} */
  const given = [];
  const onChange = (/** @type {unknown} */ value) => void given.push(value);
  const common = { id: 'x', label: 'Width', className: 'own', onChange };
  const ABOUT = 'aria-describedby aria-invalid';
  const [low, high] = [1, 8];
  await draw(
    field({ ...common, kind: 'number', value: 3, low, high, step: 1, onInput: (text) => given.push('typed', text) }),
  );
  assert.deepEqual([find('div').className, find('label').htmlFor, find('label').textContent], ['own', 'x', 'Width']);
  assert.deepEqual(attributes('input', `${ABOUT} inputmode step min max`), [null, 'false', 'numeric', '1', '1', '8']);
  assert.deepEqual([find('input').value, find('.error')], ['3', null]);
  use('input', 'input', { value: '5' });
  use('input', 'change', {});
  assert.deepEqual(given.splice(0), ['typed', '5', '5']);
  const problem = 'Heads must divide it.';
  await draw(field({ ...common, kind: 'number', value: 3, problem }));
  assert.deepEqual(attributes('input', `${ABOUT} inputmode step min max`), [
    ...['x-problem', 'true', 'decimal', 'any', null, null],
  ]);
  assert.deepEqual([find('#x-problem').textContent, find('.error').getAttribute('role')], [problem, 'alert']);
  use('input', 'input', {});
  assert.deepEqual(given, []);

  const choices = /** @type {const} */ ([['1', 'One'], ['2', 'Two']]); // prettier-ignore
  const choice = { ...common, kind: /** @type {const} */ ('choice'), choices };
  await draw(field({ ...choice, value: 2, problem, problemId: 'other', described: 'y' }));
  assert.deepEqual(attributes('select', ABOUT), ['other y', 'true']);
  assert.deepEqual([find('select').value, find('#other').textContent], ['2', problem]);
  assert.equal(find('option[selected]').textContent, 'Two');
  use('select', 'change', { value: '1' });
  assert.deepEqual(given.splice(0), ['1']);
  await draw(field({ ...choice, value: 2, described: 'y' }));
  assert.deepEqual([...attributes('select', ABOUT), find('select').value, find('.error')], ['y', 'false', '2', null]);

  for (const value of [true, false]) {
    await draw(field({ ...common, kind: 'flag', value, ...(value && { problem }) }));
    assert.deepEqual([find('input').type, find('input').checked], ['checkbox', value]);
    assert.deepEqual(attributes('input', ABOUT), value ? ['x-problem', 'true'] : [null, 'false']);
    assert.equal(Boolean(find('.error')), value);
    use('input', 'change', { checked: !value });
    assert.deepEqual(given.splice(0), [!value]);
  }
});

test('a fold opens or closes when its key changes, and is the reader’s between', async () => {
  const show = (/** @type {unknown} */ key, /** @type {boolean | undefined} */ isOpen) =>
    draw(html`<details><p ${fold({ key, isOpen })}></p></details><i ${fold({ key, isOpen })}></i>`);
  const isOpen = () => find('details').open;
  await show('a', true);
  assert.equal(isOpen(), true);
  find('details').open = false;
  await show('a', true);
  assert.equal(isOpen(), false);
  await show('b', true);
  assert.equal(isOpen(), true);
  await show('c', undefined);
  assert.equal(isOpen(), true);
  await show('d', false);
  assert.equal(isOpen(), false);
});

test('a figure is announced where it is drawn: the element, one in it or one elsewhere, or none', async () => {
  /** @type {any[]} */
  const heard = [];
  main.addEventListener('figurechange', (event) => heard.push(/** @type {CustomEvent} */ (event).detail));
  const tables = () => [];
  const show = async (/** @type {any} */ shown) => {
    await draw(html`<div id="own" ${figure(shown)}><b></b></div><i id="other"></i>`);
    return heard.splice(0);
  };
  const of = (/** @type {string} */ selector) => [{ name: 'Norms', element: find(selector), tables }];
  const own = { name: 'Norms', tables };
  assert.deepEqual(await show(own), of('#own'));
  assert.deepEqual(await show({ ...own, select: 'b' }), of('b'));
  assert.deepEqual(await show({ ...own, select: 'u' }), [null]);
  assert.deepEqual(await show({ ...own, of: 'other' }), of('#other'));
  assert.deepEqual(await show({ ...own, of: 'nowhere' }), [null]);
  assert.deepEqual(await show(null), [null]);
  await show(own);
  await draw(nothing);
  assert.deepEqual(heard.splice(0), [null], 'it leaves the page');
  render(html`<div ${figure(own)}></div>`, main);
  render(nothing, main);
  await settled();
  assert.deepEqual(heard, [null], 'it was gone before it was drawn');
});

test('a table keeps its row in sight when that changes', async () => {
  const show = (/** @type {unknown} */ row, scroller = 'table-scroll') =>
    draw(
      html`<div class=${scroller}><table ${reveal(row)}><tr></tr><tr class=${row ? 'here' : ''}></tr></table></div>`,
    );
  let [top, bottom] = [0, 0]; // of the row; the table is at 100 to 200
  window.Element.prototype.getBoundingClientRect = function () {
    return /** @type {any} */ (this.localName === 'tr' ? { top, bottom } : { top: 100, bottom: 200 });
  };
  const at = async (/** @type {unknown} */ row, /** @type {number} */ from, /** @type {number} */ to) => {
    [top, bottom] = [from, to];
    find('div').scrollTop = 50;
    await show(row);
    return find('div').scrollTop;
  };
  await show(0);
  assert.deepEqual(
    [await at(1, 120, 140), await at(2, 180, 210), await at(3, 90, 110), await at(4, 102, 198), await at(5, 103, 199)],
    [50, 62, 38, 50, 51],
  );
  assert.equal(await at(5, 180, 210), 50, 'the same row again: the reader has scrolled');
  assert.equal(await at(0, 180, 210), 50);
  await show(1, 'other');
});

test('it is called once, when the element comes near', async () => {
  /** @type {any[]} */
  const observers = [];
  class Observer {
    /** @param {(entries: object[]) => void} call @param {object} options */
    constructor(call, options) {
      Object.assign(this, { call, options, state: 'made' });
      observers.push(this);
    }
    /** @param {Element} element */
    observe(element) {
      Object.assign(this, { state: element.localName });
    }
    disconnect() {
      Object.assign(this, { state: 'ended' });
    }
  }
  Reflect.set(globalThis, 'IntersectionObserver', Observer);
  let calls = 0;
  for (let i = 0; i < 2; i++) await draw(html`<u ${inSight(() => calls++)}></u>`);
  assert.equal(observers.length, 1);
  const [{ call, options, state }] = observers;
  assert.deepEqual([state, options], ['u', { rootMargin: '300px' }]);
  call([{ isIntersecting: false }]);
  assert.deepEqual([calls, observers[0].state], [0, 'u']);
  call([{ isIntersecting: false }, { isIntersecting: true }]);
  assert.deepEqual([calls, observers[0].state], [1, 'ended']);
  Reflect.deleteProperty(globalThis, 'IntersectionObserver');
});

test('a map speaks and marks labels as its options say, points elsewhere and hears Enter; a legend', async () => {
  Reflect.set(globalThis, 'devicePixelRatio', 1);
  Reflect.set(globalThis, 'getComputedStyle', window.getComputedStyle);
  window.HTMLCanvasElement.prototype.getContext = () => null;
  const { map, markedMap } = await import('../../../web/kit/map.js');
  const { legend } = await import('../../../web/kit/chart.js');
  /** @type {unknown[]} */
  const seen = [];
  const scale = { low: 0, high: 1, table: new Uint32Array(2) };
  const matrix = /** @type {any} */ ({ rows: 2, columns: 3, data: new Float32Array(6), scale, scheme: 'light' });
  const axis = (/** @type {string} */ part) => ({
    title: part,
    noun: part,
    label: (/** @type {number} */ i) => `${i} .`,
    part,
  });
  const data = {
    ...{ name: 'Weights', matrix, scaleTitle: 'weight', cursor: { row: 1, column: 2 } },
    ...{ rowAxis: axis('query'), columnAxis: axis('key') },
  };
  const options = { min: 9, max: 9, height: 99, empty: 'Nothing yet.', onCursor: () => {} };
  const more = {
    ...options,
    onHover: (/** @type {unknown} */ cell) => seen.push(cell),
    onEnter: (/** @type {Element} */ cells) => seen.push(cells.className),
  };
  const cells = () => find('.map-cells');
  const pointed = (/** @type {string} */ type) =>
    cells().dispatchEvent(new window.MouseEvent(type, { clientX: 19, clientY: 1 }));
  main.addEventListener('point', (event) => seen.push(/** @type {CustomEvent} */ (event).detail));
  main.addEventListener('mapchange', () => seen.push('drawn'));

  await draw(html`<p>${markedMap([data, [{ row: 1, column: 0, text: 'set' }], [0, 1]], more)}</p>`);
  assert.deepEqual([find('p > div').className, seen.splice(0)], ['map', ['drawn']]);
  assert.deepEqual([main.querySelectorAll('.map-mark').length, main.querySelectorAll('.map-frame').length], [1, 1]);
  assert.deepEqual([cells().hasAttribute('data-lights'), cells().getAttribute('aria-keyshortcuts')], [true, 'Enter']);
  assert.equal(find('.map-rows .here').dataset.query, '1');
  window.Element.prototype.getBoundingClientRect = () => /** @type {any} */ ({ left: 0, top: 0 });
  pointed('pointermove');
  assert.deepEqual(seen.splice(0), [
    { query: 0, key: 2 },
    { row: 0, column: 2 },
  ]);
  pointed('pointerleave');
  assert.deepEqual(seen.splice(0), [null]);
  for (const key of ['Enter', 'a']) cells().dispatchEvent(new window.KeyboardEvent('keydown', { key }));
  assert.deepEqual(seen.splice(0), ['map-cells']);
  await draw(html`<p>${markedMap(null, more)}</p>`);
  await draw(html`<b>${markedMap([data, []], more)}</b>`);
  assert.equal(main.querySelectorAll('.map-frame').length, 0);
  const root = find('b > div');
  await draw(nothing);
  assert.equal(root.childElementCount, 0);
  await draw(html`<i>${markedMap(null, options)}</i>`);
  assert.deepEqual([find('.map-empty').hidden, cells().hasAttribute('aria-keyshortcuts')], [false, false]);

  const own = {
    say: (/** @type {string} */ text) => `said ${text}`,
    mark: (/** @type {any} */ label) => (label.id = 'own'),
  };
  for (const [how, said, id] of /** @type {[object, RegExp, string][]} */ ([
    [{}, /full stop/, ''],
    [own, /^said (?!.*full stop)/, 'own'],
  ])) {
    await draw(nothing);
    await draw(map(data, { ...options, ...how }));
    cells().dispatchEvent(new Event('focus'));
    await new Promise((done) => setTimeout(done, 160));
    assert.match(find('[aria-live]').textContent, said);
    assert.equal(find('.map-rows bdi').id, id);
    pointed('pointermove');
  }
  await draw(legend('Probability', matrix));
  assert.match(main.textContent ?? '', /^Probability00\.51/);
});
