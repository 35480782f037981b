// The model's settings: what each field sets, and the reason of what cannot be, where it is typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { about, settings, settingsFacts, untrained } = await import('../../../../web/explore/features/settings.js');
const { CONTROLS, PRESETS, defaultState } = await import('../../../../web/app/schema.js');

/** @typedef {Awaited<ReturnType<typeof open>>} Page */
/** @param {Page} page @param {string} name */
const field = (page, name) => /** @type {HTMLInputElement} */ (page.root.querySelector(`#set-${name}`));
/** @param {Page} page */
const errors = (page) => page.all('.error');

test('an untrained model has every control by its label; a trained one the switches', async () => {
  const untrained = await open(settings, 'model=untrained&layout=page');
  assert.deepEqual(untrained.needs(), []);
  assert.deepEqual(untrained.all('legend'), ['Size', 'Weights', 'Switches']);
  assert.deepEqual(untrained.all('.buttons button'), ['Default size', 'Base size', 'Reset all']);
  assert.deepEqual(untrained.all('label').sort(), CONTROLS.map(({ label }) => label).sort());
  for (const { name, choices, group } of CONTROLS) {
    const now = /** @type {any} */ (untrained.state().settings)[name];
    assert.equal(untrained.all(`label[for=set-${name}]`).length, 1, name);
    if (group === 'switch') assert.equal(field(untrained, name).checked, now, name);
    else assert.equal(field(untrained, name).value, String(now), name);
    if (choices) assert.deepEqual(untrained.all(`#set-${name} option`), Object.values(choices));
  }
  const trained = await open(settings, 'model=creek');
  assert.deepEqual(trained.all('legend'), ['Switches']);
  assert.deepEqual(trained.all('button'), ['Restore trained settings']);
});

test('numbers, choices, switches, presets and Reset set the model', async () => {
  const page = await open(settings, 'model=untrained');
  const now = () => /** @type {any} */ (page.state().settings);
  const opening = now();
  await page.choose('#set-layers', '3');
  assert.equal(now().layers, 3);
  await page.choose('#set-activation', 'gelu');
  assert.equal(now().activation, 'gelu');
  await page.click('#set-scoreScale');
  assert.equal(now().scoreScale, false);
  await page.choose('#set-keyValueHeads', '1');
  await page.choose('#set-headWidth', '8');
  await page.click('.buttons button:nth-child(2)');
  assert.deepEqual([now().keyValueHeads, now().headWidth], [0, 0], 'a size has keys and values for each head');
  for (const [name, value] of Object.entries(PRESETS.base)) assert.equal(now()[name], value, name);
  await page.click('.wide');
  assert(Number.isInteger(now().seed) && now().seed < 1e6);
  const { text } = page.state();
  await page.change({ text: 'something else' });
  await page.click('.buttons button:nth-child(3)');
  assert.deepEqual([now(), page.state().text], [opening, text], 'Reset all');

  const trained = await open(settings, 'model=creek');
  const made = trained.state().settings;
  await trained.click('#set-scoreScale');
  assert.notDeepEqual(trained.state().settings, made);
  await trained.click('button');
  assert.deepEqual(trained.state().settings, made);
});

test('the reason of a number that cannot be stands at its field while it is typed', async () => {
  const page = await open(settings, 'model=untrained');
  const divide = (/** @type {number} */ width, /** @type {number} */ heads) =>
    `Heads must divide d_model = ${width}, not ${heads}.`;
  for (const [name, text, said] of /** @type {const} */ ([
    ['heads', '5', divide(64, 5)],
    ['heads', '4', undefined],
    ['heads', '', 'Heads must be an integer from 0 to 65536, not empty.'],
    ['heads', '1.5', 'Heads must be an integer from 0 to 65536, not 1.5.'],
    ['d_model', '63', divide(63, 4)],
    ['d_model', '0', 'd_model must be an integer from 1 to 65536, not 0.'],
    ['d_model', '64', undefined],
    ['seed', '-1', 'Seed must be an integer from 0, not -1.'],
    ['seed', '0', undefined],
    ['heads', '0', undefined],
    ['heads', '65536', divide(64, 65536)],
    ['heads', '65537', 'Heads must be an integer from 0 to 65536, not 65537.'],
    ['d_model', '1', divide(1, 4)],
    ['d_ff', '63', undefined],
    ['d_ff', '', 'd_ff must be an integer from 0 to 1048576, not empty.'],
    ['headWidth', '5', undefined],
    ['keyValueHeads', '3', 'Key-value heads must divide the 4 heads, not 3.'],
    ['keyValueHeads', '2', undefined],
    ['keyValueHeads', '0', undefined],
  ])) {
    await page.type(`#set-${name}`, text);
    assert.deepEqual(page.set, []);
    assert.equal(errors(page).length, said ? 1 : 0, `${name} ${text}: ${errors(page)}`);
    if (said) assert(errors(page)[0].startsWith(said), errors(page)[0]);
    assert.equal(field(page, name).value, text);
    assert.equal(field(page, name).getAttribute('aria-invalid'), String(Boolean(said)));
    assert.equal(field(page, name).getAttribute('aria-describedby'), said ? `error-${name}` : null);
  }
  await page.type('#set-d_model', '63');
  await page.click('.buttons button:nth-child(3)');
  assert.deepEqual([errors(page), field(page, 'd_model').value], [[], '64'], 'Reset all');
});

test('what is typed stays as typed once it is set, and goes when the setting becomes another', async () => {
  const page = await open(settings, 'model=untrained');
  const before = page.state();
  await page.type('#set-d_ff', '032');
  await page.choose('#set-d_ff', '032');
  assert.deepEqual([page.state().settings.d_ff, field(page, 'd_ff').value], [32, '032']);
  page.put(before); // as Undo does
  await page.show();
  assert.equal(field(page, 'd_ff').value, String(before.settings.d_ff));
  assert.deepEqual(errors(page), []);
});

test('the reason that the worker gives stands at its field, and opens the fold around it once', async () => {
  const page = await open(settings, 'model=untrained');
  const box = document.createElement('details');
  page.root.replaceWith(box);
  box.append(page.root);
  const error = { parameter: 'd_ff', message: 'd_ff must be at most 16,384 on this page, not 65536.' };
  await page.refuse(error);
  assert.deepEqual(errors(page), [error.message]);
  assert.equal(field(page, 'd_ff').getAttribute('aria-describedby'), 'error-d_ff');
  assert.equal(box.open, true);
  box.open = false;
  await page.refuse(error);
  assert.equal(box.open, false, 'the reader has closed it');
  await page.refuse({ parameter: 'ids', message: 'no field of these' });
  assert.deepEqual([errors(page), box.open], [[], false]);
});

test('the settings in one line', async () => {
  for (const [link, line] of [
    ['model=untrained', '2 layers, 4 heads, d_model 64, post LayerNorm, relu'],
    ['model=untrained&layers=1&heads=1&norm=none&activation=gelu', '1 layer, 1 head, d_model 64, no LayerNorm, gelu'],
    ['model=creek', /^\d layers, \d heads, d_model \d+, \w+ LayerNorm, \w+$/],
  ]) {
    const text = (await open(settingsFacts, String(link))).text();
    if (typeof line === 'string') assert.equal(text, line);
    else assert.match(text, line);
  }
  const page = await open(settingsFacts, 'model=untrained&text='); // settings that cannot be have no run
  const { settings: now } = page.state();
  for (const [patch, line] of /** @type {[object, string][]} */ ([
    [{ heads: NaN, d_model: NaN }, '2 layers, empty heads, d_model empty, post LayerNorm, relu'],
    [
      { keyValueHeads: 2, positions: 'rotary', normKind: 'rms', norm: 'pre', ffn: 'gated', activation: 'silu' },
      '2 layers, 4 heads (2 of keys and values), d_model 64, rotary, pre RMSNorm, gated silu',
    ],
  ])) {
    await page.change({ settings: { ...now, ...patch } });
    assert.equal(page.text(), line);
  }
});

test('a trained model is described, of an untrained one the page says that it is and its seed', async () => {
  assert.match((await open(about, 'model=creek')).text(), /^Pronouns: trained with this engine to predict /);
  assert.equal((await open(about, 'model=untrained')).text(), '');
  assert.equal((await open(untrained, 'model=creek')).text(), '');
  for (const link of ['model=untrained&seed=7', 'model=untrained&seed=7&text='])
    assert.match((await open(untrained, link)).text(), /^These weights are untrained: .* seed 7\. /, link);
});

test('a width of the heads lets any number of them be; key-value heads still divide them', async () => {
  const page = await open(settings, 'model=untrained&heads=6&headWidth=8&keyValueHeads=3&text=');
  for (const [name, text, said] of /** @type {const} */ ([
    ['headWidth', '0', 'Heads must divide d_model = 64, not 6.'],
    ['headWidth', '9', undefined],
    ['heads', '9', undefined],
    ['heads', '7', 'Key-value heads must divide the 7 heads, not 3.'],
    ['heads', '0', undefined],
    ['d_model', '63', undefined],
    ['keyValueHeads', '4', 'Key-value heads must divide the 6 heads, not 4.'],
    ['d_ff', '5', undefined],
  ])) {
    await page.type(`#set-${name}`, text);
    assert.deepEqual(errors(page), said ? [said] : [], `${name} ${text}`);
    if (said) assert.equal(field(page, name).getAttribute('aria-describedby'), `error-${name}`);
  }
  // Settings that cannot be are said at the fields that make them so, not at the one that is typed in.
  const { settings: now } = page.state();
  for (const bad of [{ headWidth: 0 }, { keyValueHeads: 4 }]) {
    page.put({ settings: { ...now, ...bad } });
    await page.type('#set-d_ff', '6');
    assert.deepEqual(errors(page), [], JSON.stringify(bad));
  }
});

test('each field is of its kind and has its bounds', async () => {
  const page = await open(settings, 'model=untrained&text=');
  for (const { name, choices, group, low, high } of CONTROLS) {
    const { type, parentElement, min, max, step } = field(page, name);
    const isNumber = group !== 'switch' && !choices;
    assert.equal(type, group === 'switch' ? 'checkbox' : choices ? 'select-one' : 'number', name);
    assert.equal(parentElement?.className, group === 'switch' ? 'field check' : 'field', name);
    if (isNumber) assert.deepEqual([min, max, step], [String(low), String(high ?? ''), '1'], name);
  }
  await page.choose('#set-norm', 'pre');
  assert.equal(page.state().settings.norm, 'pre', 'a word stays one');
  await page.choose('#set-d_ff', '');
  assert.deepEqual([page.state().settings.d_ff, field(page, 'd_ff').value], [NaN, '']);
});

test('presets, a random seed and the reset set exactly that', async (t) => {
  const page = await open(settings, 'model=untrained&layout=page&layers=3&text=a+b&norm=pre');
  await page.click('.buttons button:nth-child(1)');
  const { settings: sized } = page.state();
  assert.deepEqual([sized.layers, sized.norm, page.state().text], [2, 'pre', 'a b']);
  t.mock.method(crypto, 'getRandomValues', (/** @type {Uint32Array} */ array) => array.fill(4_123_456_789));
  await page.click('.wide');
  assert.deepEqual(page.state().settings, { ...sized, seed: 456_789 });
  await page.click('.buttons button:nth-child(3)');
  assert.deepEqual(page.state(), { ...defaultState(), layout: 'page' });
  const trained = await open(settings, 'model=creek&text=the+dog');
  await trained.click('button');
  assert.deepEqual(trained.set.map(Object.keys), [['settings']]);
});

test('the fold opens on the page of a wide window; the workspace closes it', async (t) => {
  const asked = /** @type {string[]} */ ([]);
  let isWide = true;
  t.mock.method(globalThis, 'matchMedia', (/** @type {string} */ query) => {
    asked.push(query);
    return { matches: isWide, addEventListener() {} };
  });
  const page = await open(settings, 'model=untrained');
  const box = document.createElement('details');
  page.root.replaceWith(box);
  box.append(page.root);
  for (const [layout, wide, isOpen] of /** @type {const} */ ([
    ['page', true, true],
    ['workspace', true, false],
    ['page', false, false],
  ])) {
    isWide = wide;
    await page.change({ layout });
    assert.equal(box.open, isOpen, `${layout} ${wide}`);
  }
  box.open = true;
  await page.change({ text: 'a b' });
  assert.equal(box.open, true, 'between it is the reader’s');
  assert.deepEqual([...new Set(asked)], ['(min-width: 62rem)']);
});
