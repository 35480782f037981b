// The model's settings: what each field sets, and the reason of what cannot be, where it is typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { open } from '../table.js';

const { about, settings, settingsFacts, untrained } = await import('../../../../web/explore/features/settings.js');
const { CATALOGUE, LABELS } = await import('../../../../web/models/catalogue.js');
const { CONTROLS, PRESETS } = await import('../../../../web/app/schema.js');

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
});

test('a trained model is described, of an untrained one the page says that it is and its seed', async () => {
  const { about: words } = CATALOGUE.creek;
  assert.equal((await open(about, 'model=creek')).text(), `${LABELS.creek.label}: ${words}`);
  assert.equal((await open(about, 'model=untrained')).text(), '');
  assert.equal((await open(untrained, 'model=creek')).text(), '');
  for (const link of ['model=untrained&seed=7', 'model=untrained&seed=7&text='])
    assert.match((await open(untrained, link)).text(), /^These weights are untrained: .* seed 7\. /, link);
});
