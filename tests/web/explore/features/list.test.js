// A late feature is the one that its row of the list names.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { open } from '../table.js';

const { features } = await import('../../../../web/explore/index.js');
const window = /** @type {any} */ (document.defaultView);

test('each feature has a name of its own', () => {
  const names = features.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test('each late row fetches the feature of its name, which can be shown', async () => {
  const rows = features.filter((feature) => 'load' in feature);
  assert(rows.length > 10);
  document.body.innerHTML = '<div id="explore"></div><details id="settings-box" open></details>';
  for (const row of rows) {
    const loading = row.load();
    document.getElementById('explore')?.dispatchEvent(new window.Event('pointerover')); // which one of them waits for
    const feature = /** @type {any} */ (await loading);
    assert.equal(feature?.name, row.name);
    assert(feature.render ?? feature.create, row.name);
  }
});

test('whatever the features need of a model, the worker has, and each shows it', async () => {
  document.body.innerHTML = '<details id="settings-box" open></details>';
  const rows = /** @type {any[]} */ (features).filter(({ input, name }) => !input && name !== 'glossary');
  const all = await Promise.all(rows.map((row) => ('load' in row ? row.load() : row)));
  let shows = 0;
  for (const name of ['creek', 'translate', 'continue']) {
    /** By feature. @type {Map<any, string[]>} */
    let needs = new Map();
    /** @param {any} query */
    function needsOf(query) {
      needs = new Map(all.map((feature) => [feature, feature.needs?.(query) ?? []]));
      return [...needs.values()].flat();
    }
    const whole = await open({ name: 'all', needs: needsOf, render: () => null }, `model=${name}`);
    const result = whole.result();
    for (const feature of all) {
      const missing = needs.get(feature)?.filter((need) => !result.tensors.has(need) && !result.derived.has(need));
      assert.deepEqual(missing, [], `${feature.name} of ${name}`);
      let shown;
      const render = (/** @type {any} */ context, /** @type {any} */ tools) => {
        const { getComputedStyle } = globalThis;
        const measures = () => assert.fail(`${feature.name} measures while it makes its template`);
        Object.assign(globalThis, { getComputedStyle: measures });
        shown = feature.render({ ...context, result }, { ...tools, result: () => result });
        Object.assign(globalThis, { getComputedStyle });
        return shown;
      };
      await open({ ...feature, needs: () => [], render }, `model=${name}`);
      assert.notEqual(shown, undefined, `${feature.name} of ${name}`);
      shows++;
    }
  }
  assert(shows > 60, String(shows));
});

test('no input reads a result, so one that comes need not draw them', async () => {
  let shows = 0;
  for (const row of /** @type {any[]} */ (features).filter(({ input }) => input)) {
    document.body.innerHTML = '<div id="explore"><div data-slot="page"></div></div><button id="book-button"></button>';
    const feature = 'load' in row ? await row.load() : row;
    for (const link of ['model=creek', 'model=translate&row=2', 'model=continue&text=once', 'model=untrained']) {
      let isRendering = false;
      const unread = (/** @type {any} */ read) => () => (isRendering ? assert.fail(`${row.name} reads it`) : read());
      const render = (/** @type {any} */ context, /** @type {any} */ tools) => {
        const { result, presentResult, pinned } = tools;
        isRendering = true;
        const shown = feature.render(context, {
          ...tools,
          result: unread(result),
          presentResult: unread(presentResult),
          pinned: unread(pinned),
        });
        isRendering = false;
        assert.deepEqual(
          Object.keys(context).sort(),
          ['chosenModel', 'error', 'local', 'modelInfo', 'scheme', 'state'],
          'what Explore compares',
        );
        return shown;
      };
      await open({ ...feature, input: true, slot: undefined, render }, link);
      shows++;
    }
  }
  assert(shows > 40, String(shows));
});

test('what waits for a fold to open, or for the pointer, is fetched then and not before', async () => {
  const { opened, pointed } = await import('../../../../web/kit/feature.js');
  document.body.innerHTML = '<div id="explore"><b></b></div><details id="box"></details>';
  /** @type {string[]} */
  const all = [];
  opened('box').then(() => all.push('opened'));
  pointed('explore').then(({ target }) => all.push(/** @type {Element} */ (target).tagName));
  const turn = () => new Promise(setImmediate);
  document.body.dispatchEvent(new window.Event('pointerover', { bubbles: true }));
  await turn();
  assert.deepEqual(all, []);
  document.querySelector('b')?.dispatchEvent(new window.Event('focusin', { bubbles: true }));
  await turn();
  assert.deepEqual(all, ['B']);
  /** @type {HTMLDetailsElement} */ (document.getElementById('box')).open = true;
  for (let i = 0; i < 5 && all.length < 2; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(all, ['B', 'opened']);
});

/** Other files that Explore fetches late, and why no row can. */
const OTHERS = {
  'features/computation.js': 'rows before its own, in models that turn queries and keys',
  'features/lessons.js': 'the book opens without a result',
  'features/share.js': 'a fold in it',
  'place.js': 'the highlight, at the first move of the pointer',
  'features/text.js': 'what the text box does at its first focus',
  'features/trail.js': 'a bar that the reader may open',
};

test('one way to load late: a row of the list with `load`; no file lists what another fetches', () => {
  const folder = new URL('../../../../web/explore/', import.meta.url);
  const files = readdirSync(folder, { recursive: true }).map(String);
  const scripts = files.filter((name) => name.endsWith('.js'));
  const late = scripts.filter((name) => /(await|=|\() ?import\('/.test(readFileSync(new URL(name, folder), 'utf8')));
  assert.deepEqual(
    late.filter((name) => !(name in OTHERS)),
    ['derived.js', 'index.js'],
  );
  for (const name of ['derived.js', 'index.js'])
    for (const [call] of readFileSync(new URL(name, folder), 'utf8').matchAll(/^.*\bawait import\(.*$/gm))
      assert.match(call, /\bload: async \(\) =>|glossary/, name);
  for (const name of scripts) {
    const code = readFileSync(new URL(name, folder), 'utf8').replace(/\/\/.*|\/\*[^]*?\*\//g, '');
    assert(!/^\s*(export \{[^}]*\} from [^;]*;\s*)+$/.test(code), `${name} only lists others`);
  }
});
