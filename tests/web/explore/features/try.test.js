// Try as a reader sees it: what can be changed, the answer before and after, the list, undo, pin; its effect at every
// token. Every number is the module's own, with the same patches.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isIntervention } from '../../../../web/engine/interventions.js';
import { turned } from '../../../../web/explore/shared/before.js';
import { assertShown, compute, shipped } from '../../in-node.js';
import { checkAnswers, numberOf } from '../../checks.js';
import { gf, open } from '../table.js';

const { html } = await import('lit-html'); // once there is a document
const { trying } = await import('../../../../web/explore/features/try.js');
const { effect } = await import('../../../../web/explore/features/effect.js');

const KNOWN = 'the creek was cold and the spunky dog wanted to jump over it .';
const TIRED = 'The dog did not jump over the creek because it was tired.';
/** This document, asked as a browser's page is. @type {any} */
const here = { evaluate: async (/** @type {(argument: any) => any} */ act, /** @type {any} */ all) => act(all) };

/** Try with its effect, as on the page. @type {any} */
const both = {
  ...trying,
  local: effect.local,
  needs: (/** @type {any} */ query) => [trying, effect].flatMap(({ needs }) => needs?.(query) ?? []),
  render: (/** @type {any} */ context, /** @type {any} */ tools) =>
    html`${trying.render(context, tools)}${effect.render(context, tools)}`,
};

/** @param {string} link @param {object[]} changes */
const changed = (link, ...changes) =>
  open(both, `${link}&changes=${encodeURIComponent(JSON.stringify(changes.filter(isIntervention)))}`);
/** @typedef {Awaited<ReturnType<typeof open>>} Page */

/** A button by what it says. @param {Page} page @param {string} name @param {string} [within] */
async function press(page, name, within = '') {
  const found = /** @type {HTMLElement[]} */ ([...page.root.querySelectorAll(`${within} button`)]);
  const button = found.find((each) => (each.ariaLabel ?? each.getAttribute('aria-label') ?? each.textContent) === name);
  (button ?? assert.fail(`${name} of ${found.map((each) => each.textContent)}`)).click();
  await page.show();
}

const head = { what: 'head', kind: 'encoder', layer: 0, head: 1, to: 0 };
const temperature = { what: 'temperature', value: 2.51 };
const off = { patches: [{ name: 'encoder.layers.0.self_attn.head_outputs', index: [0, 1, null, null], value: 0 }] };

const HEAD_LABELS = [
  'This head (layer 1, head 2)',
  'This head at it alone',
  'Selected cell, it → creek',
  'Vector of it on its way into layer 1',
];

test('a table of states: what is asked for, what can be changed', async () => {
  const weights = 'encoder.layers.0.self_attn.weights';
  const of = (/** @type {string[]} */ ...names) => [...names, '@weight//0/0'];
  for (const [link, needs, controls, labels] of /** @type {[string, string[], RegExp, string[]][]} */ ([
    [
      'model=creek&head=1.2&row=12&key=1',
      of('@probabilities', weights),
      /^Try Head on Off at it only Weight it → creek \S+ % Temperature 1 Undo Redo More/,
      HEAD_LABELS,
    ],
    [
      'model=creek&head=1.2&row=12&key=1&part=ffn&neuron=7',
      of('@probabilities', weights),
      /^Try Undo Redo More/, // the neuron's own stands above, see nodes.test.js
      HEAD_LABELS,
    ],
    [
      'model=creek&mean=1&row=12&head=1.1',
      of('@probabilities', weights),
      /^Try Temperature 1/,
      ['Vector of it on its way into layer 1'],
    ],
    [
      'model=untrained',
      of(weights),
      /^Try Head on Off at \S+ only Weight/,
      HEAD_LABELS.with(0, 'This head (layer 1, head 1)'),
    ],
    ['model=untrained&heads=0', of(), /^Try Undo Redo More/, ['Vector of it on its way into layer 1']],
    ['model=creek&residual=0', of('@probabilities', '@before/', weights), /LayerNorm|[Rr]esidual/, []],
  ])) {
    const page = await open(trying, link);
    assert.deepEqual(
      page.needs().map((each) => each.replace(/(@before\/).*/, '$1')),
      needs,
      link,
    );
    assert.match(page.text(), controls);
    const shown = page.all('.intervention > bdi');
    if (labels.length) assert.deepEqual(shown, labels, link);
  }
});

test('the rows whose first answer changes, of small tables', () => {
  const [p, q] = [
    [0.6, 0.4, 0.9, 0.1],
    [0.3, 0.7, 0.8, 0.2],
  ].map((each) => Float32Array.from(each));
  assert.deepEqual(
    turned(p, q, 2).map(({ row, from, to }) => [row, from.id, to.id]),
    [[0, 0, 1]],
  );
});

test('creek: a head off, a temperature, a switch: the answers are those of such passes', async () => {
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const options = { ids: ids(KNOWN), capture: true };
  const before = gf.softmax(model.forward(options).logits).data;
  const page = await open(both, 'model=creek&head=1.2&row=12&key=1');
  assert.equal(page.root.querySelector('.try-effect'), null, 'nothing is changed');
  await press(page, 'Switch off', '#change-head');
  const without = gf.softmax(model.forward({ ...options, ...off }).logits).data;
  await checkAnswers(here, before, without, 12, vocabulary);
  assert.equal(page.root.querySelector('[role=switch]')?.getAttribute('aria-checked'), 'false');
  await page.type('.temperature', '0.4');
  const after = gf.softmax(model.forward({ ...options, ...off, temperature: 2.51 }).logits).data;
  await checkAnswers(here, before, after, 12, vocabulary);
  assert.deepEqual(page.all('.chips bdi'), ['Encoder layer 1, head 2: off', 'Temperature 2.51']);
  const others = turned(before, after, vocabulary.length);
  assert(others.length > 0);
  assert.equal(page.all('.effect-turned li').length, others.length);
  await page.click('.effect-turned button');
  assert.equal(page.state().cursor.row, others[0].row);
  await checkAnswers(here, before, after, others[0].row, vocabulary);
  await press(page, 'Remove: Temperature 2.51');
  await checkAnswers(here, before, without, others[0].row, vocabulary);
  await press(page, 'Reset 1 change');
  assert.deepEqual([page.state().interventions, page.all('.chips, .try-effect')], [[], []]);
  const bare = await open(both, 'model=creek&row=12&residual=0');
  const plain = gf.softmax(shipped(gf, 'creek', { residual: false }).model.forward(options).logits).data;
  await checkAnswers(here, before, plain, 12, vocabulary);
  await press(bare, 'Reset 1 change');
  assert.equal(bare.state().settings.residual, true);
});

test('a head off at one word alone is another change than off everywhere, and takes its place', async () => {
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const options = { ids: ids(TIRED.toLowerCase()), capture: true };
  const before = gf.softmax(model.forward(options).logits).data;
  const page = await open(both, `model=creek&head=2.2&row=9&key=11&text=${encodeURIComponent(TIRED)}`);
  await page.click('.switch');
  const name = 'encoder.layers.1.self_attn.head_outputs';
  const everywhere = gf.softmax(
    model.forward({ ...options, patches: [{ name, index: [0, 1, null, null], value: 0 }] }).logits,
  ).data;
  await checkAnswers(here, before, everywhere, 9, vocabulary);
  await page.click('.try-here');
  assert.deepEqual(page.all('.chips bdi'), ['Encoder layer 2, head 2 at it: off']);
  assert.equal(page.root.querySelector('.try-here')?.getAttribute('aria-pressed'), 'true');
  const alone = gf.softmax(model.forward({ ...options, patches: [{ name, index: [0, 1, 9, null], value: 0 }] }).logits);
  await checkAnswers(here, before, alone.data, 9, vocabulary);
  const dog = 9 * vocabulary.length + vocabulary.indexOf('dog');
  assert(everywhere[dog] > 0.8 && alone.data[dog] < 0.2, `${everywhere[dog]} everywhere, ${alone.data[dog]} there`);
  await page.click('.try-here');
  assert.deepEqual(page.state().interventions, []);
});

test('translate: one pass over the words shown, and the translation written again', async () => {
  const page = await changed('model=translate', { what: 'temperature', value: 10 });
  const { model, targetVocabulary } = shipped(gf, 'translate');
  const [begin, end] = ['[BOS]', '[EOS]'].map((word) => targetVocabulary.indexOf(word));
  const { plan } = page.result();
  const sourceIds = plan.ids;
  const words = [...model.generateSync({ targetIds: [begin], maxTokens: 24, endId: end, sourceIds }).newIds];
  const input = { sourceIds, targetIds: [begin, ...words.slice(0, -1)], capture: true };
  const [before, after] = [{}, { temperature: 10 }].map(
    (options) => gf.softmax(model.forward({ ...input, ...options }).logits).data,
  );
  const again = [begin];
  while (again.length <= 24 && again.at(-1) !== end) {
    const { data } = model.forward({ sourceIds, targetIds: again, temperature: 10 }).logits;
    const last = data.subarray(-targetVocabulary.length);
    again.push(last.indexOf(Math.max(...last)));
  }
  const text = (/** @type {number[]} */ list) =>
    list
      .filter((id) => id !== begin && id !== end)
      .map((id) => targetVocabulary[id])
      .join(' ');
  assert.deepEqual([page.all('.effect-before'), page.all('.effect-after')], [[text(words)], [text(again)]]);
  assert.notEqual(text(again), text(words));
  await page.change({ selection: { kind: 'encoder', layer: 0, head: 0 } });
  assert.match(page.text(), /Choose a token of the output to see the predictions there\./);
  await page.click('.effect-turned button');
  assert.equal(page.state().selection.kind, 'cross', 'where a token of the output is a row');
  await checkAnswers(here, before, after, page.state().cursor.row, targetVocabulary);
});

test('untrained: no words, but how far the output moved', async () => {
  const page = await open(both, 'model=untrained&row=12&scoreScale=0');
  const [before, after] = [{}, { scoreScale: false }].map(
    (settings) => compute(gf, settings).model.tensor('output').data,
  );
  const moved = after.subarray(12 * 64, 13 * 64).map((value, i) => value - before[12 * 64 + i]);
  assertShown(numberOf(page.all('.effect-moved')[0]), Math.hypot(...moved));
});

test('where only one layer of a long text is computed, there is no effect at every token', async () => {
  const part = {
    ...effect,
    render: (/** @type {any} */ context, /** @type {any} */ tools) => {
      const { result, state } = context;
      const facts = { ...result.facts, part: state.cursor.row === 3 ? 0 : null };
      return effect.render({ ...context, result: { ...result, facts } }, tools);
    },
  };
  const page = await open(part, `model=creek&row=12&changes=${encodeURIComponent(JSON.stringify([head]))}`);
  assert.equal(page.all('.try-effect').length, 1);
  await page.change({ cursor: { ...page.state().cursor, row: 3 } });
  assert.equal(page.text(), '');
});

test('a number out of range is refused in words beside its field, and changes nothing', async () => {
  const page = await open(trying, 'model=creek&layout=page&head=3.2&row=4&key=3');
  /** @param {string} field @param {string} number @param {RegExp} refused */
  async function refuses(field, number, refused) {
    await page.choose(field, number);
    assert.match(page.all('.error[role=alert]')[0], refused);
    const input = /** @type {HTMLInputElement} */ (page.root.querySelector(field));
    assert.equal(input.getAttribute('aria-invalid'), 'true');
    assert(document.getElementById(String(input.getAttribute('aria-describedby'))));
    assert.equal(input.value, number, 'it can be corrected');
    assert.deepEqual(page.state().interventions, []);
  }
  const field = /** @type {HTMLInputElement} */ (page.root.querySelector('#change-head input'));
  field.value = '3';
  field.dispatchEvent(new document.defaultView.Event('change', { bubbles: true }));
  await new Promise(setImmediate);
  assert.equal(page.all('.error').length, 1, 'before anything else changes');
  await refuses('#change-head input', '2', /^2 is not possible\. Enter a number from 0 to 1\.$/);
  await page.choose('#change-head input', '0.5');
  assert.deepEqual([page.all('.error'), page.all('.chips bdi')], [[], ['Encoder layer 3, head 2, and → cold: 0.5']]);
  assert.match(page.text(), /Weight and → cold 50 %.*Computed weight/);
  await page.choose('#change-head input', '');
  assert.deepEqual(page.state().interventions, []);
  const [rows, columns] = /of (\d+) × (\d+); value/.exec(page.text())?.slice(1).map(Number) ?? [];
  for (const [field, most] of /** @type {[string, number][]} */ ([
    ['.weight-row', rows - 1],
    ['.weight-column', columns - 1],
  ]))
    for (const [number, shown] of [
      [-1, '−1'],
      [most + 1, most + 1],
    ])
      await refuses(
        field,
        String(number),
        new RegExp(`^${shown} is not possible\\. Enter a whole number from 0 to ${most}\\.$`),
      );
  await page.choose('.weight-column', String(columns - 1));
  assert.equal(page.state().weight.column, columns - 1);
});

test('an update leaves alone what is being typed in a field, until it is used, left or another', async () => {
  const page = await open(trying, 'model=creek&layout=page&head=3.2&row=4&key=3');
  const input = () => /** @type {HTMLInputElement} */ (page.root.querySelector('#change-head input'));
  await page.type('#change-head input', '0.2');
  assert.equal(input().value, '0.2');
  await page.change({ interventions: [{ what: 'temperature', value: 2 }] });
  assert.equal(input().value, '0.2');
  await page.choose('#change-head input', '0.25');
  assert.deepEqual([input().value, page.state().interventions.length], ['0.25', 2]);
  await page.choose('#change-head input', '2');
  await page.type('#change-head input', '0.7'); // corrects what was refused
  const cell = page.state().interventions.filter(({ what }) => what === 'cell');
  await page.change({ interventions: [...cell, { what: 'temperature', value: 3 }] });
  assert.equal(input().value, '0.7');
  input().dispatchEvent(new document.defaultView.Event('blur'));
  await page.change({ interventions: [] });
  assert.equal(input().value, '', 'of a head that is as computed');
  await page.type('#change-head input', '0.6');
  await page.change({ selection: { ...page.state().selection, head: 0 } });
  assert.equal(input().value, '', 'of another head');
});

test('a weight is shown, edited, and taken back', async () => {
  const name = 'encoder.layers.0.linear1.weight';
  const page = await open(trying, 'model=creek');
  await page.choose('.weight-name', name);
  await page.choose('.weight-row', '3');
  await page.choose('.weight-column', '5');
  assert.deepEqual(page.state().weight, { name, row: 3, column: 5 });
  assert.equal(/** @type {HTMLSelectElement} */ (page.root.querySelector('.weight-name')).value, name);
  const { model, config } = shipped(gf, 'creek');
  const value = () => numberOf(page.all('.weight-value')[0]);
  const own = model.tensor(name).data[3 * config.d_model + 5];
  assertShown(value(), own);
  assert.match(page.text(), new RegExp(`of ${config.d_ff} × ${config.d_model}; value`));
  await page.choose('.weight-new', '1.5');
  assert.equal(value(), 1.5);
  assert.deepEqual(page.all('.chips bdi'), [`${name}[3, 5] = 1.5`]);
  await press(page, `Remove: ${name}[3, 5] = 1.5`);
  assertShown(value(), own);
});

test('the vector of a token gives way to another sentence’s, or to the mean, and comes back', async () => {
  const page = await open(trying, `model=creek&text=${encodeURIComponent(TIRED)}&head=1.1&row=11`);
  const group = '#change-vector';
  await press(page, 'From the sentence with deep', group);
  assert.deepEqual(page.all('.chips bdi'), ['Embedding of tired: that of deep']);
  await press(page, 'Average of the tokens', group);
  assert.deepEqual(page.all('.chips bdi'), ['Embedding, tired: from the mean of the tokens'], 'the other gave way');
  assert.equal(page.root.querySelector(`${group} [aria-pressed=true]`)?.textContent, 'Average of the tokens');
  await press(page, 'Average of the tokens', group);
  assert.deepEqual(page.state().interventions, []);
  for (const [link, label, of] of /** @type {[string, string, object][]} */ ([
    ['translate&attention=encoder&head=2.1&row=1', 'creek on its way into layer 2', { kind: 'encoder', after: 1 }],
    ['translate&attention=decoder&head=1.1&row=1', 'le on its way into layer 1', { kind: 'decoder', after: 0 }],
    ['translate&attention=cross&head=2.1&row=1', 'le on its way into layer 2', { kind: 'decoder', after: 1 }],
    ['continue&head=1.1&row=1', 'day on its way into layer 1', { kind: 'decoder', after: 0 }],
  ])) {
    const other = await open(trying, `model=${link}`);
    assert.deepEqual(other.all(`${group} bdi`), [`Vector of ${label}`], link);
    assert.equal(/** @type {HTMLElement} */ (other.root.querySelector(group)).hidden, false);
    await press(other, 'Average of the tokens', group);
    assert.deepEqual(other.state().interventions, [{ what: 'patch', ...of, row: 1, from: 'mean', share: 1 }], link);
  }
});

test('undo and redo are the page’s; a pin keeps the state; a text takes changes of its words along', async () => {
  const page = await changed('model=creek&head=1.2&row=12&key=1', head, temperature);
  await press(page, 'Pin this state');
  assert.equal(JSON.stringify(page.state().pinned).includes('temperature'), true);
  await press(page, 'Undo');
  assert.deepEqual(page.set.at(-1), { undo: true });
  await press(page, 'Unpin');
  assert.equal(page.state().pinned, null);
  await page.change({ text: '' });
  assert.deepEqual(page.all('.chips bdi'), ['Encoder layer 1, head 2: off', 'Temperature 2.51']);
  assert(/** @type {HTMLElement} */ (page.root.querySelector('#try')).hidden);
  assert.equal(page.all('.intervention').length, 0);
});

/** @param {Page} page */
const made = (page) => page.state().interventions;
/** @param {Page} page @param {string} selector @returns {any} */
const found = (page, selector) => page.root.querySelector(selector);

test('each control of the head makes its change and takes it back; undo waits for one', async () => {
  const page = await open(trying, 'model=creek&layout=page&head=2.2&row=12&key=1');
  const place = { kind: 'encoder', layer: 1, head: 1 };
  const disabled = () =>
    [...page.root.querySelectorAll('#try .buttons button')].map((each) => Reflect.get(each, 'disabled'));
  const computed = () => found(page, '#try .buttons button:last-child');
  assert.deepEqual(disabled(), [true, true, false]);
  assert.deepEqual(
    [found(page, '.switch').ariaLabel ?? found(page, '.switch').getAttribute('aria-label')],
    ['Head on: layer 2, head 2'],
  );
  for (const [selector, name, isPressed, off, change] of /** @type {[string, string, string, string, object][]} */ ([
    ['.switch', 'aria-checked', 'false', 'true', { what: 'head', ...place, to: 0 }],
    ['.try-here', 'aria-pressed', 'true', 'false', { what: 'headAt', ...place, row: 12, to: 0 }],
    [
      '#change-head .intervention:nth-of-type(1) button:nth-of-type(1)',
      'aria-pressed',
      'true',
      'false',
      { what: 'head', ...place, to: 0 },
    ],
    [
      '#change-head .intervention:nth-of-type(1) button:nth-of-type(2)',
      'aria-pressed',
      'true',
      'false',
      { what: 'head', ...place, to: 'mean' },
    ],
    [
      '#change-head .intervention:nth-of-type(2) button:nth-of-type(2)',
      'aria-pressed',
      'true',
      'false',
      { what: 'headAt', ...place, row: 12, to: 'mean' },
    ],
    [
      '#change-head .intervention:nth-of-type(3) button:nth-of-type(1)',
      'aria-pressed',
      'true',
      'false',
      { what: 'cell', ...place, row: 12, key: 1, to: 0 },
    ],
    [
      '#change-head .intervention:nth-of-type(3) button:nth-of-type(2)',
      'aria-pressed',
      'true',
      'false',
      { what: 'cell', ...place, row: 12, key: 1, to: 1 / 14 },
    ],
  ])) {
    assert.equal(found(page, selector).getAttribute(name), off, selector);
    await page.click(selector);
    assert.deepEqual(made(page), [change], selector);
    assert.deepEqual([found(page, selector).getAttribute(name), ...disabled()], [isPressed, false, true, false]);
    const isCell = 'key' in change;
    assert.equal(computed().hidden, !isCell);
    const { text } = page;
    assert.equal(/Computed value/.test(text()), isCell);
    assert.match(text(), selector === '.switch' ? /Head off/ : /Head o/);
    const isOff = Reflect.get(change, 'what') === 'head';
    assert.equal(found(page, '.try-weight').closest('label').className, isOff ? 'idle' : '', selector);
    await page.click(selector);
    assert.deepEqual(made(page), [], selector);
  }
  await page.type('.try-weight', '0.3');
  assert.deepEqual(made(page), [{ what: 'cell', ...place, row: 12, key: 1, to: 0.3 }]);
  assert.equal(found(page, '#change-head input').value, '0.3');
  assert(Math.abs(found(page, '.try-weight').value - 0.3) < 0.01);
  computed().click();
  await page.show();
  assert.deepEqual(made(page), []);
  await page.type('.temperature', '-0.5');
  assert.deepEqual(made(page), [{ what: 'temperature', value: 0.316 }]);
  assert.equal(found(page, '.temperature').getAttribute('aria-valuetext'), '0.316');
  assert(Math.abs(Number(found(page, '.temperature').value) + 0.5) < 0.02);
  assert.equal(found(page, '.try-more').open, true);
  assert.equal(page.all('#change-head .hint').length, 2);
  for (const [part, isHidden] of /** @type {[string, boolean][]} */ ([
    ['attention', false],
    ['heads', false],
    ['ffn', true],
  ])) {
    const own = await open(trying, `model=creek&row=12&part=${part}`);
    assert.equal(found(own, '.try-controls').hidden, isHidden, part);
    assert.equal(found(own, '.try-more').open, false);
  }
  const whole = await open(trying, 'model=creek&row=12&part=ffn&layout=page');
  assert.equal(found(whole, '.try-controls').hidden, false, 'the page has no node that is open');
});

test('an even weight is one of those that the mask leaves', async () => {
  for (const [link, share] of /** @type {[string, number][]} */ ([
    ['causal=1&row=3&key=1', 4],
    ['causal=1&row=0&key=0', 1],
    ['kind=encoder&row=3&key=1', 14],
  ])) {
    const page = await open(trying, `model=untrained&${link}`);
    await press(page, `Uniform (1/${share})`, '#change-head');
    assert.deepEqual(
      made(page).map((each) => Reflect.get(each, 'to')),
      [1 / share],
    );
  }
});

test('changes go one by one, switches first; reset counts them', async () => {
  const page = await changed('model=creek&head=1.2&row=12&key=1&residual=0', head, temperature);
  const remove = (/** @type {number} */ at) => page.click(`.chips li:nth-child(${at}) button`);
  const [first] = page.all('.chips bdi');
  assert.deepEqual(page.all('.chips bdi'), [first, 'Encoder layer 1, head 2: off', 'Temperature 2.51']);
  assert.match(page.text(), /Reset 3 changes/);
  await remove(1);
  assert.equal(page.state().settings.residual, true);
  assert.deepEqual(page.all('.chips bdi'), ['Encoder layer 1, head 2: off', 'Temperature 2.51']);
  await remove(2);
  assert.deepEqual(made(page), [head]);
  assert.match(page.text(), /Reset 1 change(?!s)/);
  await remove(1);
  assert.deepEqual([made(page), page.all('.chips')], [[], []]);
  const button = /** @type {any} */ (
    [...page.root.querySelectorAll('#interventions button')].find((each) => /^\s*Reset/.test(String(each.textContent)))
  );
  assert.deepEqual([button.textContent.trim(), button.disabled], ['Reset', true]);
});

test('the lines of the answers, and the table that is saved, are the two probabilities', async () => {
  /** @type {any} */
  let saved;
  document.addEventListener('figurechange', (event) => {
    const { detail } = /** @type {CustomEvent} */ (event);
    if (detail?.name.startsWith('Predictions')) saved = detail;
  });
  const page = await changed('model=creek&head=1.2&row=12&key=1', head, temperature);
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const options = { ids: ids(KNOWN), capture: true };
  const [before, after] = [{}, { ...off, temperature: 2.51 }].map(
    (more) => gf.softmax(model.forward({ ...options, ...more }).logits).data,
  );
  const words = page.all('.try-answers bdi');
  assert.equal(words.length, 4);
  const [table] = saved.tables();
  assert.equal(saved.name, 'Predictions at it before and after');
  assert.deepEqual([table.columns, table.rows], [['before', 'after', 'difference'], words]);
  words.forEach((word, i) => {
    const [p, q] = [before, after].map((each) => each[12 * vocabulary.length + vocabulary.indexOf(word)]);
    const near = (/** @type {number} */ shown, /** @type {number} */ value) =>
      assert(Math.abs(shown - value) < 1e-3, `${word}: ${shown}, ${value}`);
    const rects = [...page.root.querySelectorAll('.try-answers li')][i].querySelectorAll('rect');
    const [, way, was, is] = [...rects].map((each) => ['x', 'width'].map((name) => Number(each.getAttribute(name))));
    near(way[0], 100 * Math.min(p, q));
    near(way[1], 100 * Math.abs(q - p));
    near(was[0], Math.max(0, 100 * p - 0.4));
    near(is[0], Math.max(0, 100 * q - 0.6));
    [p, q, q - p].forEach((value, at) => near(table.data[3 * i + at], value));
  });
});
