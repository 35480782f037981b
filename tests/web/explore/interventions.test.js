// The list of changes, undo and redo, and what the worker and the page make of them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readModel } from '../../../web/models/measure.mjs';
import {
  changedSwitches,
  interventionLabel,
  isIntervention,
  put,
  standingAt,
  temperatureOf,
  without,
} from '../../../web/engine/interventions.js';
import { makePlan, pinOf } from '../../../web/engine/plan.js';
import { createLiveModels } from '../../../web/engine/live-models.js';
import { createModelCache } from '../../../web/engine/model-cache.js';
import { UNDO, defaultState, trainedState } from '../../../web/app/schema.js';
import { createStore, createUndo } from '../../../web/kit/store.js';
import { assertShown, point, readout, ready, update, useBrowser } from '../browser.js';

const tools = useBrowser();
const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';

const { weights, ...known } = readModel('creek');
const ids = KNOWN.split(' ').map((word) => known.vocabulary.indexOf(word));

/** Creek in Node, its weights edited by `edit`. */
function creek(edit = () => {}) {
  const model = tools.gf.createModel(known.config);
  model.loadWeights(weights, { strict: false });
  const own = model.weights();
  edit(own);
  model.loadWeights(own);
  return model;
}

const head = { what: 'head', kind: 'encoder', layer: 1, head: 0, to: 0 };
const cell = { what: 'cell', kind: 'encoder', layer: 1, head: 1, row: 2, key: 3, to: 0.25 };
const neuron = { what: 'neuron', kind: 'encoder', layer: 0, neuron: 7, to: 'mean' };
const neurons = { what: 'neurons', kind: 'encoder', layer: 0, first: 24, last: 47, to: 0 };
const patch = { what: 'patch', kind: 'encoder', after: 1, row: 2, from: [3, 4, 5], share: 1 };
const weight = { what: 'weight', name: 'encoder.layers.0.linear1.weight', row: 3, column: 5, value: 1.5 };

test('the list: one change at a place, temperature 1 is none', () => {
  const list = put(put(put([], head), cell), { ...head, to: 'mean' });
  assert.deepEqual(list, [{ ...head, to: 'mean' }, cell]);
  assert.deepEqual(without(list, 0), [cell]);
  assert.equal(standingAt(list, { ...cell, to: 1 }), cell);
  assert.equal(standingAt(list, { ...cell, key: 4 }), undefined);
  const warm = put(list, { what: 'temperature', value: 2 });
  assert.equal(temperatureOf(warm), 2);
  assert.deepEqual(put(warm, { what: 'temperature', value: 1 }), list);
  assert.equal(temperatureOf(list), 1);
  const words = () => ({ rowWords: ['a', 'b', 'c'], columnWords: ['d', 'e', 'f', 'g'] });
  assert.deepEqual(
    [
      head,
      cell,
      neuron,
      neurons,
      patch,
      { ...patch, after: 0, from: 'mean', share: 0.4 },
      weight,
      { ...cell, row: 9 },
    ].map((each) => interventionLabel(each, words)),
    [
      'Encoder layer 2, head 1: off',
      'Encoder layer 2, head 2, c → g: 0.25',
      'Encoder layer 1, neuron 7: average',
      'Encoder layer 1, neurons 24 to 47: off',
      'Encoder layer 1, c: from the other sentence',
      'Embedding, c: 40 % from the mean of the tokens',
      'encoder.layers.0.linear1.weight[3, 5] = 1.5',
      'Encoder layer 2, head 2, row 9 → g: 0.25',
    ],
  );
});

test('what a link holds may be no change: it is named so, and refused', () => {
  for (const each of [
    head,
    { ...head, to: 'mean' },
    cell,
    neuron,
    neurons,
    patch,
    { ...patch, from: 'mean' },
    weight,
    { what: 'temperature', value: 2 },
  ])
    assert(isIntervention(each), JSON.stringify(each));
  for (const each of [
    {},
    { what: 'constructor' },
    { what: 'head' },
    { ...head, kind: 'x' },
    { ...cell, to: 'mean' },
    { ...cell, row: -1 },
    { ...neuron, to: '1' },
    { ...neurons, first: 48 },
    { ...neurons, last: 1e9 },
    { ...neurons, to: 1 },
    { ...patch, from: 'text' },
    { ...patch, from: [0.5] },
    { ...patch, from: [-1] },
    { ...patch, from: Array(20000).fill(0) },
    { ...patch, share: 1.5 },
    { ...patch, share: [0.5] },
    { ...patch, kind: 'cross' },
    { ...patch, after: -1 },
    { ...weight, value: null },
    { ...weight, name: 3 },
    { ...head, layer: 0.5 },
  ]) {
    assert(!isIntervention(each), JSON.stringify(each));
    assert.equal(
      interventionLabel(/** @type {any} */ (each), () => ({ rowWords: [], columnWords: [] })),
      'Unknown change',
    );
  }
});

test('switches: those that stand otherwise than the model was built, which makes a base', () => {
  const state = defaultState();
  assert.equal(makePlan(state).base, null);
  assert.deepEqual(
    changedSwitches({ ...state.settings, kind: 'decoder', causal: true }, undefined),
    [],
    'a decoder is causal',
  );
  const settings = { ...state.settings, norm: /** @type {const} */ ('none'), heads: 2 };
  assert.deepEqual(changedSwitches(settings, undefined), [{ name: 'norm', label: 'LayerNorm: none', value: 'post' }]);
  const { base, config } = makePlan({ ...state, settings });
  assert.deepEqual([base?.norm, base?.finalNorm, base?.heads, config.norm], ['post', undefined, 2, 'none']);
  const trained = trainedState('creek', known.config);
  assert.equal(makePlan(trained, known).base, null);
  assert.deepEqual(makePlan({ ...trained, interventions: [head] }, known).base, { seed: 0, ...known.config });
});

test('undo and redo: numbers, not the selection; typing at once is one entry', () => {
  const store = createStore(defaultState());
  const { undo, redo, canUndo, canRedo } = createUndo(store, UNDO);
  const first = store.get();
  store.set({ cursor: { ...first.cursor, row: 3 }, written: [] });
  assert.equal(canUndo(), false);
  store.set({ text: 'a' });
  store.set({ text: 'ab' });
  store.set({ interventions: [head] });
  store.set({ interventions: [head, cell] });
  store.set({ settings: { ...first.settings, causal: true } });
  const pinned = pinOf(store.get());
  store.set({ pinned });
  const all = store.get();
  undo();
  assert.deepEqual([store.get().settings.causal, store.get().pinned], [false, pinned], 'a pin is not undone');
  store.set({ pinned: null });
  assert.equal(canRedo(), true, 'nor ends it what can be redone');
  store.set({ pinned });
  undo();
  assert.deepEqual(store.get().interventions, [head]);
  undo();
  undo();
  assert.deepEqual([store.get().text, store.get().cursor.row, canUndo()], [first.text, 3, false]);
  for (let i = 0; i < 4; i++) redo();
  assert.deepEqual([store.get(), canRedo()], [all, false]);
  undo();
  store.set({ text: 'other' });
  assert.equal(canRedo(), false, 'a new deed ends what could be redone');
  store.set({ model: 'creek' });
  assert.equal(canUndo(), false, 'each model begins anew');
});

test('undo of a text goes back to its words; undo of a change leaves the selection', () => {
  const store = createStore({ ...defaultState(), text: 'a b c d' });
  const { undo, redo } = createUndo(store, UNDO);
  const cursor = (/** @type {number} */ row) => ({ ...store.get().cursor, row });
  store.set({ cursor: cursor(3), brush: [3] });
  store.set({ text: 'e', cursor: cursor(0), brush: [], follow: true });
  store.set({ cursor: cursor(1), follow: false });
  undo();
  assert.deepEqual([store.get().text, store.get().cursor.row, store.get().brush], ['a b c d', 3, [3]]);
  redo();
  assert.deepEqual([store.get().text, store.get().cursor.row, store.get().follow], ['e', 1, false]);
  store.set({ interventions: [head] });
  store.set({ cursor: cursor(2) });
  undo();
  assert.deepEqual([store.get().interventions, store.get().cursor.row], [[], 2]);
});

/**
 * The worker's result for creek with these interventions.
 * @param {ReturnType<typeof createLiveModels>} live
 * @param {any[]} interventions
 * @param {string[]} names
 */
function ask(live, interventions, names) {
  const state = { ...trainedState('creek', known.config), text: KNOWN, interventions };
  const { key, config, ids: own, targetIds, model, generate } = makePlan(state, known);
  const query = { config, ids: own, targetIds, interventions, model, generate };
  return live.run({ type: 'run', id: 1, key, names, maskNames: {}, plans: 1, focus: { layer: 0, row: 0 }, ...query });
}

test('the worker runs the model with interventions, and takes each back exactly', async () => {
  const live = createLiveModels(tools.gf, { ...createModelCache(), weights: () => weights });
  const own = creek();
  const plain = own.forward({ ids, capture: true }).logits;
  const name = 'encoder.layers.0.ffn.activation';
  const { data } = own.tensor(name);
  const mean = ids.reduce((sum, _, row) => sum + data[row * known.config.d_ff + 7], 0) / ids.length;
  const {
    data: heads,
    shape: [, , rows, width],
  } = own.tensor('encoder.layers.1.self_attn.head_outputs');
  const means = Float32Array.from(
    { length: rows * width },
    (_, i) =>
      Array.from({ length: rows }, (__, row) => heads[row * width + (i % width)]).reduce((a, b) => a + b) / rows,
  );
  const part = 'encoder.layers.1.self_attn';
  for (const [changes, options] of /** @type {[any[], any][]} */ ([
    [[head], { patches: [{ name: `${part}.head_outputs`, index: [0, 0, null, null], value: 0 }] }],
    [
      [{ ...head, to: 'mean' }],
      { patches: [{ name: `${part}.head_outputs`, index: [0, 0, null, null], value: means }] },
    ],
    [[neuron], { patches: [{ name, index: [0, null, 7], value: mean }] }],
    [
      [{ what: 'temperature', value: 3 }, cell],
      { temperature: 3, patches: [{ name: `${part}.weights`, index: [0, 1, 2, 3], value: 0.25 }] },
    ],
  ])) {
    assert.deepEqual(
      (await ask(live, changes, ['logits'])).tensors.logits.data,
      own.forward({ ids, capture: true, ...options }).logits.data,
      JSON.stringify(changes),
    );
  }
  const edited = creek((all) => {
    all.get(weight.name).data[3 * known.config.d_model + 5] = 1.5;
  }).forward({ ids }).logits;
  const { tensors, derived } = await ask(live, [weight], ['logits', `@weight/${weight.name}/3/5`]);
  assert.deepEqual(tensors.logits.data, edited.data);
  assert.equal(derived[`@weight/${weight.name}/3/5`].value, 1.5);
  await assert.rejects(ask(live, [{ ...weight, row: 96 }], []), { code: 'range' });
  await assert.rejects(ask(live, [{ ...weight, name: 'nobody' }], []), { code: 'unknown' });
  await assert.rejects(ask(live, [{ what: 'nothing' }], []), { code: 'unknown' });
  // What is refused changes nothing, and of a cell that is edited twice the first number comes back.
  const twice = await ask(live, [weight, { ...weight, value: 2 }], ['logits']);
  await assert.rejects(ask(live, [{ ...weight, value: 1e39 }], []), { code: 'range' });
  const again = await ask(live, [weight, { ...weight, value: 2 }], ['logits']);
  assert.deepEqual(again.tensors.logits.data, twice.tensors.logits.data);
  assert.deepEqual((await ask(live, [], ['logits'])).tensors.logits.data, plain.data, 'undone, to the bit');
});

test('the page: a weight is shown, edited, and a refusal is a notice', async () => {
  const page = await tools.open({ model: 'creek' });
  await ready(page);
  await page.getByText('Edit a weight').click();
  await update(page, () => page.selectOption('.weight-name', weight.name));
  for (const [side, value] of [
    ['row', '3'],
    ['column', '5'],
  ])
    await update(page, () =>
      page
        .locator(`.weight-${side}`)
        .fill(value)
        .then(() => page.keyboard.press('Tab')),
    );
  /** @param {string} text */
  const shows = (text) =>
    page.waitForFunction(
      (each) => document.querySelector('.weight-value')?.textContent?.replace('−', '-') === each,
      text,
    );
  const own = creek();
  await shows(own.tensor(weight.name).data[3 * known.config.d_model + 5].toFixed(4));
  await update(page, () =>
    page
      .locator('.weight-new')
      .fill('1.5')
      .then(() => page.keyboard.press('Enter')),
  );
  await shows('1.5000');
  await point(page, '#ffn', 4, 3, 'click');
  const ffn = creek((all) => {
    all.get(weight.name).data[3 * known.config.d_model + 5] = 1.5;
  });
  ffn.forward({ ids, capture: true });
  const layer =
    Number(((await page.locator('#ffn .view-title').first().innerText()).match(/layer (\d+)/i) ?? [])[1]) - 1;
  const shown = await readout(page, '#ffn');
  const at = Number(/neuron (\d+)/.exec(shown.place)?.[1]);
  assertShown(shown.number, ffn.tensor(`encoder.layers.${layer}.ffn.activation`).data[4 * known.config.d_ff + at]);
  const mean = page.locator('#change-neuron').getByRole('button', { name: 'Replace with average' });
  await update(page, () => mean.click());
  const { data } = ffn.tensor(`encoder.layers.${layer}.ffn.activation`);
  const wanted = ids.reduce((sum, _, row) => sum + data[row * known.config.d_ff + at], 0) / ids.length;
  // the corpus is read meanwhile, part by part, and each part updates the page as well
  await page.waitForFunction(
    ([value]) => {
      const text = document.querySelector('#ffn .map-readout strong')?.textContent ?? '';
      return Math.abs(Number(text.replace('−', '-')) - value) < 1e-3;
    },
    [wanted],
  );
  assertShown((await readout(page, '#ffn')).number, wanted, 'its mean');
  assert.equal(await mean.getAttribute('aria-pressed'), 'true');
  await update(page, () => mean.click());
  await update(page, () => page.getByRole('button', { name: 'Remove' }).click());
  await shows(own.tensor(weight.name).data[3 * known.config.d_model + 5].toFixed(4));
  await point(page, '#heatmap', 13, 13, 'click');
  await update(page, () => page.getByRole('button', { name: 'Set to 0' }).click());
  await update(page, () => page.locator('#text').fill('the dog was cold'));
  assert.match(
    await page.locator('#notices').innerText(),
    /“Encoder layer \d, head \d, row 13 → column 13: 0” does not exist in this text\. .*last valid settings/,
  );
  await update(page, () => page.getByRole('button', { name: 'Remove' }).click());
  assert.equal(await page.locator('#notices').innerText(), '');
  const second = JSON.stringify([{ what: 'head', kind: 'encoder', layer: 1, head: 2, to: 0 }]);
  await page.goto(`${tools.url}#model=untrained&layers=1&changes=${encodeURIComponent(second)}`);
  await page
    .getByText('“Encoder layer 2, head 3: off” does not exist in this model. Remove it or choose other settings.')
    .waitFor();
  await update(page, () => page.getByRole('button', { name: 'Remove' }).click());
  assert.equal(await page.locator('#notices').innerText(), '');
  await tools.close(page);
});

test('what is changed is marked where it is shown, for the eye and for the ear', async () => {
  const list = [
    { what: 'head', kind: 'encoder', layer: 0, head: 1, to: 0 },
    { what: 'head', kind: 'encoder', layer: 1, head: 0, to: 'mean' },
    { what: 'cell', kind: 'encoder', layer: 2, head: 1, row: 4, key: 3, to: 0.5 },
    { what: 'neuron', kind: 'encoder', layer: 2, neuron: 12, to: 0 },
  ];
  const page = await tools.open({
    model: `creek&head=3.2&row=4&key=3&neuron=12&neurons=index&changes=${encodeURIComponent(JSON.stringify(list))}`,
  });
  await ready(page);
  const heads = () =>
    page
      .locator('.head')
      .evaluateAll((all) => all.map((each) => [each.ariaLabel?.split(', head ')[1], each.textContent]));
  assert.deepEqual(await heads(), [
    ['1', ''],
    ['2, off', 'off'],
    ['1, replaced by its average', 'mean'],
    ['2', ''],
    ['1', ''],
    ['2', ''],
  ]);

  /** Where the marks of a map lie, as shares of its cells. @param {string} view */
  const marks = (view) =>
    page.locator(`${view} .map-cells`).evaluate((cells) => {
      const box = cells.getBoundingClientRect();
      return [...cells.querySelectorAll('.map-mark')].map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        return [(x - box.x) / box.width, (y - box.y) / box.height, width / box.width, height / box.height].map(
          (share) => Number(share.toFixed(2)),
        );
      });
    });
  const share = (/** @type {number} */ value) => Number(value.toFixed(2));
  assert.deepEqual(await marks('#heatmap'), [[share(3 / 14), share(4 / 14), share(1 / 14), share(1 / 14)]]);
  assert.equal(
    await page.locator('#heatmap .map-cells').evaluate((cells) => cells.ariaDescription),
    'Set by hand: Encoder layer 3, head 2, and → cold: 0.5.',
  );
  assert.deepEqual(await marks('#ffn'), [[share(12 / 96), 0, share(1 / 96), 1]]);
  assert.match(await page.locator('#ffn .map-readout bdi').innerText(), /neuron 12 off$/);

  await page.selectOption('#ffn .arrangement', 'token');
  assert.match(
    await page.locator('#ffn .map-note').innerText(),
    /^\[\d+, 12\] pinned/,
    'the index in the tensor, wherever it stands',
  );
  const [left] = await page
    .locator('#ffn .map-cells')
    .evaluate((cells) => [
      (Number(cells.querySelector('.map-pin')?.getBoundingClientRect().x) - cells.getBoundingClientRect().x) /
        cells.getBoundingClientRect().width,
    ]);
  assert(left > 0.01 && Math.abs(left - 12 / 96) > 0.01, 'it stands elsewhere');
  assert.deepEqual(
    (await marks('#ffn')).map(([x, ...rest]) => [Math.abs(x - left) < 0.006, ...rest]),
    [[true, 0, share(1 / 96), 1]],
    'the mark goes with its neuron',
  );
  await update(page, () => page.getByRole('button', { name: 'Reset 4 changes' }).click());
  assert.deepEqual(
    [await marks('#heatmap'), await marks('#ffn'), (await heads()).filter(([, mark]) => mark)],
    [[], [], []],
  );
  assert.equal(await page.locator('#heatmap .map-cells').evaluate((cells) => cells.ariaDescription), '');
  await tools.close(page);
});

test('a number that is out of range is refused in words beside its field, and changes nothing', async () => {
  const page = await tools.open({ model: 'creek&layout=page&head=3.2&row=4&key=3' });
  await ready(page);
  await page.getByText('Edit a weight').click();
  /**
   * @param {ReturnType<import('playwright-core').Page['locator']>} field
   * @param {string} number
   * @param {RegExp} refused
   */
  async function refuses(field, number, refused) {
    await field.fill(number);
    await field.press('Enter');
    assert.match(await page.locator('.error[role=alert]').innerText(), refused);
    assert.equal(await field.getAttribute('aria-invalid'), 'true');
    const id = await field.getAttribute('aria-describedby');
    assert.equal(await page.evaluate((each) => document.getElementById(`${each}`)?.textContent?.slice(-1), id), '.');
    assert.equal(await field.inputValue(), number, 'it can be corrected');
    assert.equal(await page.locator('#changes li').count(), 0);
  }
  const cell = page.locator('#change-head input');
  await refuses(cell, '2', /^2 is not possible\. Enter a number from 0 to 1\.$/);
  await update(page, () => cell.fill('0.5').then(() => cell.press('Enter')));
  assert.equal(await page.locator('.error[role=alert]').count(), 0);
  await update(page, () => cell.fill('').then(() => cell.press('Enter')));
  assert.equal(await page.locator('#changes li').count(), 0);
  await refuses(page.locator('.weight-row'), '-1', /^−1 is not possible\. Enter a whole number from 0 to \d+\.$/);
  await tools.close(page);
});
