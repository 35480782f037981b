// The model that is shown, and the one that is fetched: what begins, what is left, what goes along, what is said.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createModelLoader } from '../../../web/engine/model-loader.js';
import { NOTHING, setModel } from '../../../web/models/catalogue.js';

const INFO = /** @type {any} */ ({ vocabulary: ['the', 'dog', 'cat', 'ran', '.'] });
const OWN = { follow: false, written: [1], brush: [2], own: { row: true, key: true } };
const MOVED = { follow: true, written: [], brush: [], own: { row: false, key: false } };

/** @type {unknown[]} */
let seen = [];
/** @param {string} name @param {object} [entry] @param {object} [label] */
const model = (name, entry, label) =>
  setModel(name, {
    label: { label: name.toUpperCase(), does: '', onWait: (waits) => void seen.push(`${name} ${waits}`), ...label },
    entry: { ...NOTHING, text: `the ${name}`, examples: { One: 'the dog ran' }, ...entry },
  });
for (const name of ['one', 'two']) model(name);
model('menus', { input: 'menus' });
model('symbols', { token: /./g });
model('reader', { read: () => null });
model('wanted', {}, { wanted: true });
model('silent', {}, { onWait: undefined });
after(() => ['one', 'two', 'menus', 'symbols', 'reader', 'wanted', 'silent'].forEach((name) => setModel(name, null)));

/** A page without a model. */
function begun() {
  seen = [];
  /** @type {any} */
  let state = { model: 'untrained', text: '' };
  const loader = createModelLoader({
    state: () => state,
    fetch: (name) => void seen.push(`fetch ${name}`),
    openingState: (name, info) =>
      /** @type {any} */ ({ model: name, text: name === 'untrained' ? 'a b' : `the ${name}`, info }),
    begin(next, left) {
      state = next;
      seen.push(left ? [state, left] : state);
    },
    fail: (error) => void seen.push(error),
    draw: () => void seen.push('draw'),
  });
  const choose = /** @type {(name: string, left?: any) => void} */ (loader.choose);
  return {
    ...loader,
    choose,
    state: () => state,
    /** @param {string} name @param {any} [info] */
    come: (name, info = INFO) => loader.receive({ type: 'opened', model: name, info }),
    /** @param {string} name @param {string} code */
    refuse: (name, code) =>
      loader.receive({ type: 'opened', model: name, error: { code, parameter: '', message: 'it is damaged' } }),
    /** @param {object} patch */
    set: (patch) => (state = { ...state, ...patch }),
    seen: () => seen.splice(0),
  };
}
/** A page that shows a model. @param {string} name */
function showing(name) {
  const page = begun();
  page.choose(name);
  page.come(name);
  page.seen();
  return page;
}

test('a model is fetched when it is first chosen, and shown when it has come', () => {
  const page = begun();
  assert.deepEqual([page.begun(), page.chosen(), page.status(), page.failure()], [false, 'untrained', '', '']);
  page.choose('one');
  assert.deepEqual(page.seen(), ['one true', 'fetch one', 'draw']);
  assert.deepEqual([page.begun(), page.chosen(), page.status()], [false, 'one', 'Loading the model ONE…']);
  page.come('two');
  for (const name of ['untrained', 'nobody', 'toString']) page.come(name);
  assert.deepEqual(
    [page.seen(), page.info('two'), page.info('untrained'), page.info('nobody')],
    [[], INFO, undefined, undefined],
  );
  page.choose('one');
  assert.deepEqual(page.seen(), ['fetch one', 'draw'], 'it is waited for already');
  page.come('one');
  const one = { model: 'one', text: 'the one', info: INFO };
  assert.deepEqual(page.seen(), ['one false', one]);
  assert.deepEqual([page.begun(), page.chosen(), page.status()], [true, 'one', '']);
  page.come('one');
  assert.deepEqual(page.seen(), []);
  page.set({ text: 'the one', row: 3 });
  page.choose('two');
  assert.deepEqual(page.seen(), [{ model: 'two', text: 'the two', info: INFO }]);
  page.choose('one');
  assert.deepEqual(page.seen(), [{ ...one, row: 3 }], 'as it was left');
  page.choose('untrained');
  assert.deepEqual(page.seen(), [{ model: 'untrained', text: 'a b', info: undefined }], 'this one needs no file');
  page.forget('two');
  page.choose('two');
  page.choose('silent');
  assert.deepEqual(page.seen(), ['two true', 'fetch two', 'draw', 'two false', 'fetch silent', 'draw']);
  page.choose('wanted');
  assert.deepEqual([page.seen(), page.status(), page.chosen()], [['wanted true', 'draw'], '', 'wanted']);
  page.refuse('wanted', 'format');
  assert.deepEqual([page.seen(), page.failure(), page.chosen()], [[], '', 'wanted'], 'others say why');
  page.choose('one');
  assert.deepEqual(page.seen().slice(0, 1), ['wanted false']);
});

test('a model that cannot be opened says so: the untrained one stands in, and a module that is broken is told', () => {
  const said =
    'The model ONE could not be opened: it is damaged. ' +
    'Its file is missing or damaged; the untrained playground works without it.';
  const page = begun();
  page.choose('one');
  page.seen();
  page.refuse('two', 'format');
  assert.deepEqual(page.seen(), []);
  page.refuse('one', 'format');
  assert.deepEqual(page.seen(), [{ model: 'untrained', text: 'a b', info: undefined }, 'draw']);
  assert.deepEqual([page.failure(), page.chosen(), page.status()], [said, 'untrained', '']);
  page.choose('two');
  assert.equal(page.failure(), '');
  page.come('two');
  page.choose('one');
  page.seen();
  page.refuse('one', 'format');
  assert.deepEqual([page.seen(), page.failure(), page.chosen()], [['draw'], said, 'two'], 'what is shown stays');
  page.choose('one');
  page.refuse('one', 'unsupported');
  assert.equal(page.failure(), '');
  page.choose('one');
  page.seen();
  page.refuse('one', 'broken');
  assert.deepEqual(
    [page.seen(), page.chosen()],
    [[{ code: 'broken', parameter: '', message: 'it is damaged' }], 'two'],
  );
});

test('the reader’s own text goes along to a model that reads all of it; a text of the page stays', () => {
  /** @param {string} from @param {string} text @param {string} to @param {any} [info] */
  const moved = (from, text, to, info = INFO) => {
    const page = showing('one');
    page.come(to, info);
    if (from !== 'one') {
      page.come(from);
      page.choose(from);
    }
    page.set({ text, ...OWN });
    page.seen();
    page.choose(to);
    const [next] = /** @type {any[]} */ (page.seen());
    if (next.text === text && next.follow) assert.deepEqual(next, { model: to, text, info: next.info, ...MOVED });
    else assert.deepEqual(next, { model: to, text: to === 'untrained' ? 'a b' : `the ${to}`, info: next.info });
    return Boolean(next.follow);
  };
  for (const [from, text, to, isMoved] of /** @type {[string, string, string, boolean][]} */ ([
    ['one', 'the cat ran .', 'two', true],
    ['one', 'The CAT', 'two', true],
    ['one', 'the bird', 'two', false],
    ['one', 'the bird', 'reader', true],
    ['one', 'the bird', 'untrained', true],
    ['untrained', 'the cat', 'two', true],
    ['one', ' \n', 'two', false],
    ['one', 'the two', 'reader', false],
    ['one', 'the dog ran', 'two', false],
    ['one', 'the one', 'untrained', false],
    ['one', 'a b', 'reader', false],
    ['one', 'the cat', 'menus', false],
    ['menus', 'the cat', 'one', false],
    ['one', 'the cat', 'symbols', false],
    ['symbols', 'the cat', 'one', false],
  ]))
    assert.equal(moved(from, text, to), isMoved, `${from} → ${to}: ${text}`);

  const first = begun();
  first.set({ text: 'the cat' });
  first.choose('untrained');
  assert.equal(first.state().text, 'a b', 'before a model is shown there is no text of the reader’s');
});

test('a reader who goes elsewhere with a text leaves the state of before, and comes with it', () => {
  const page = showing('one');
  const left = { model: 'one', text: 'left' };
  page.set({ text: 'the dog ran' });
  page.choose('two', left);
  assert.deepEqual([page.isTyped(), page.seen()], [true, ['two true', 'fetch two', 'draw']]);
  page.come('two');
  const two = { model: 'two', text: 'the dog ran', info: INFO, ...MOVED };
  assert.deepEqual(page.seen(), ['two false', [two, left]]);
  page.set({ text: 'the two' });
  page.choose('one');
  assert.deepEqual([page.isTyped(), page.seen()], [false, [left]]);
  page.choose('silent', left);
  assert.equal(page.isTyped(), true);
  page.choose('silent');
  assert.equal(page.isTyped(), true, 'the same one is chosen again');
  page.choose('two');
  assert.equal(page.isTyped(), false);
});

test('a model whose sentence needs code of its own is shown once that is here too', async () => {
  let come = () => {};
  const code = new Promise((resolve) => (come = () => resolve(null)));
  model('composed', { load: () => code });
  const page = begun();
  page.choose('composed');
  page.come('composed');
  assert.deepEqual(page.seen(), ['composed true', 'fetch composed', 'draw'], 'not yet');
  come();
  await code;
  assert.deepEqual(page.seen(), ['composed false', { model: 'composed', text: 'the composed', info: INFO }]);

  model('composed', { load: () => Promise.reject(new TypeError('Failed to fetch it')) });
  const other = begun();
  other.choose('composed');
  other.come('composed');
  await new Promise((done) => setTimeout(done));
  assert.match(other.failure(), /^The model COMPOSED could not be opened: A file of the page could not be fetched/);
  assert.equal(other.state().model, 'untrained');
  setModel('composed', null);
});
