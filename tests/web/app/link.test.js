// The state as a link: what is written is read again, and garbage does no harm.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { modelOf, openingState, readLink, writeLink } from '../../../web/app/schema.js';
import { readModel } from '../../../src/models/measure.mjs';
import { CATALOGUE } from '../../../web/models/catalogue.js';
import { PATTERNS, compose } from '../../../web/models/sentences.js';
import { pinOf } from '../../../web/engine/plan.js';
import { MAX_CHARACTERS } from '../../../web/engine/tokens.js';

CATALOGUE.translate.compose = compose; // as the page fetches it

const MODELS = /** @type {const} */ (['untrained', 'creek', 'translate', 'continue']);
/** @type {Record<string, any>} */
const files = Object.fromEntries(MODELS.slice(1).map((name) => [name, readModel(/** @type {any} */ (name))]));

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const place = fc.nat(600);
const tensor = fc.constantFrom('encoder.layers.0.linear1.weight', 'embedding.weight');
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0); // JSON has no -0
const at = { kind: fc.constantFrom('encoder', 'decoder', 'cross'), layer: fc.nat(11) };
const change = fc.oneof(
  fc.record({ what: fc.constant('temperature'), value: number }),
  fc.record({ what: fc.constant('head'), ...at, head: fc.nat(9), to: fc.constantFrom(0, 'mean') }),
  fc.record({ what: fc.constant('neuron'), ...at, neuron: place, to: fc.oneof(number, fc.constant('mean')) }),
  fc.record({ what: fc.constant('cell'), ...at, head: fc.nat(9), row: place, key: place, to: number }),
  fc.record({
    ...{ what: fc.constant('feature'), kind: fc.constantFrom('encoder', 'decoder'), layer: fc.nat(11) },
    ...{ part: fc.constantFrom('ffn', 'out'), seed: fc.nat(), feature: place, row: place, to: number },
  }),
  fc.record({ what: fc.constant('weight'), name: tensor, row: place, column: place, value: number }),
);

/** A state as the reader can make it. @param {typeof MODELS[number]} model */
function states(model) {
  const known = files[model];
  const opening = openingState(model, known);
  const switches = {
    scoreScale: fc.boolean(),
    causal: fc.boolean(),
    residual: fc.boolean(),
    positions: fc.constantFrom('sinusoidal', 'learned', 'none'),
    norm: fc.constantFrom('pre', 'post', 'none'),
    activation: fc.constantFrom('relu', 'gelu', 'gelu-tanh', 'none'),
  };
  const sizes = known
    ? {}
    : {
        kind: fc.constantFrom('encoder', 'decoder', 'encoder-decoder'),
        layers: fc.integer({ min: 1, max: 12 }),
        heads: fc.oneof(fc.nat(), fc.constant(NaN)),
        d_model: fc.nat(),
        d_ff: fc.integer(),
        seed: fc.nat(),
      };
  const numbers = {
    text,
    targetText: text,
    interventions: fc.array(change, { maxLength: 3 }),
    settings: fc.record({ ...switches, ...sizes }).map((some) => ({ ...opening.settings, ...some })),
    written: known ? fc.array(fc.nat(known.vocabulary.length - 1), { maxLength: 20 }) : fc.constant([]),
  };
  return fc
    .record(
      {
        ...numbers,
        pinned: fc.option(fc.record(numbers).map((some) => pinOf({ ...opening, ...some }))),
        selection: fc.record({
          kind: fc.constantFrom('encoder', 'decoder', 'cross'),
          layer: fc.nat(11),
          head: fc.nat(63),
          mean: fc.boolean(),
        }),
        cursor: fc.record({ row: place, key: place, neuron: place, feature: place, dimension: place }),
        face: fc.constantFrom('neurons', 'features'),
        found: fc.constantFrom('', 'encoder.1.out.0', 'encoder.1.ffn.0,decoder.12.out.99'),
        graph: fc.record({
          node: fc.constantFrom('tokens', 'attention', 'norm', 'ffn', 'logits'),
          sublayer: fc.nat(3),
          embedding: fc.constantFrom('embedding', 'input'),
          stream: fc.constantFrom('norms', 'changes', 'cosines'),
          stage: place,
        }),
        quantity: fc.constantFrom('weights', 'scores', 'scaled', 'masked'),
        colours: fc.constantFrom('auto', 'linear', 'root'),
        ffnQuantity: fc.constantFrom('activation', 'pre_activation'),
        follow: fc.boolean(),
        weight: fc.record({ name: tensor, row: place, column: place }),
        tensor: fc.option(tensor),
        writing: fc.record({
          temperature: fc.double({ noNaN: true, min: 0, max: 5 }),
          topK: fc.nat(1e6),
          seed: fc.nat(),
          length: fc.integer({ min: 1, max: 100 }),
        }),
        menu: fc.record({
          pattern: fc.constantFrom(...Object.keys(PATTERNS)),
          choices: fc
            .dictionary(fc.constantFrom('agent', 'thing', 'verb'), text)
            .map((some) => ({ ...opening.menu.choices, ...some })),
        }),
      },
      { requiredKeys: [] },
    )
    .map((some) => ({ ...opening, ...some }))
    .map((state) =>
      model === 'translate' && state.text === opening.text ? { ...state, text: compose(state.menu).text } : state,
    );
}

/** Without a difference between no and false. @param {any} state */
const plain = (state) =>
  JSON.parse(
    JSON.stringify({ ...state, selection: { ...state.selection, mean: Boolean(state.selection.mean) } }, (_, value) =>
      Number.isNaN(value) ? 'NaN' : value,
    ),
  );

for (const model of MODELS) {
  test(`any state of ${model} comes back from its link`, () => {
    const opening = openingState(model, files[model]);
    fc.assert(
      fc.property(states(model), (state) => {
        const link = writeLink(state, opening);
        assert.equal(modelOf(link), model);
        const { state: found, refused } = readLink(link, opening, files[model]);
        assert.deepEqual([plain(found), refused], [plain(state), []]);
        assert.equal(writeLink(found, opening), link);
      }),
      { numRuns: 300 },
    );
  });

  test(`garbage never throws, and leaves ${model} as it opens or with values that it may have`, () => {
    const opening = openingState(model, files[model]);
    const names = [
      ...writeLink({ ...opening, pinned: pinOf({ ...opening, text: 'x' }) }, opening).matchAll(/[\w.]+(?==)/g),
    ].map(([name]) => name);
    const name = fc.oneof(
      fc.constantFrom(
        ...names,
        ...Object.keys(opening),
        ...Object.keys(opening.settings),
        'head',
        'row',
        'target',
        'menu',
        'menu.agent',
        'written',
        'pinned',
        'pinned.model',
        'pinned.layers',
        'pinned.row',
        '__proto__',
        'constructor',
        'toString',
      ),
      fc.string(),
    );
    const value = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom(
        '',
        '-1',
        '1e9',
        'NaN',
        '0.0',
        '2.3',
        '[]',
        '{}',
        'null',
        '[{}]',
        '[null]',
        '%',
        '%zz',
        'x'.repeat(50000),
      ),
    );
    const hash = fc.oneof(
      fc.string().map((some) => `#${some}`),
      fc
        .array(fc.tuple(name, value), { maxLength: 6 })
        .map((parts) => `#${parts.map(([key, some]) => `${key}=${some}`).join('&')}`),
    );
    fc.assert(
      fc.property(hash, (some) => {
        const { state } = readLink(some, opening, files[model]);
        for (const [key, like] of Object.entries(opening))
          assert(
            like === null ||
              (key === 'follow' && state.follow === 'row') ||
              (Array.isArray(like) === Array.isArray(/** @type {any} */ (state)[key]) &&
                typeof like === typeof (/** @type {any} */ (state)[key])),
            key,
          );
        assert(state.settings.layers >= 1 && state.settings.layers <= 12);
        const { state: again } = readLink(writeLink(state, opening), opening, files[model]);
        assert.deepEqual(plain(again), plain(state));
      }),
      { numRuns: 500 },
    );
  });
}

test('a link is short and can be read', () => {
  const creek = openingState('creek', files.creek);
  assert.equal(writeLink(creek, creek), '#/explore?model=creek');
  assert.equal(
    writeLink(
      {
        ...creek,
        follow: false,
        selection: { kind: 'encoder', layer: 1, head: 2 },
        cursor: { ...creek.cursor, row: 12 },
      },
      creek,
    ),
    '#/explore?model=creek&head=2.3&row=12',
  );
  const translate = openingState('translate', files.translate);
  const menu = { ...translate.menu, choices: { ...translate.menu.choices, agent: 'fox' } };
  assert.equal(
    writeLink({ ...translate, menu, text: compose(menu).text }, translate),
    '#/explore?model=translate&menu.agent=fox',
  );
  const long = { ...creek, text: '\u{1f98a} '.repeat(9000) };
  const { state, cut } = readLink(writeLink(long, creek), creek, files.creek);
  assert.deepEqual([state.text, cut], [long.text.slice(0, MAX_CHARACTERS), 27_000], 'of a long text the beginning');
  const most = { ...creek, text: '\u4e2d'.repeat(MAX_CHARACTERS), interventions: [] };
  const whole = readLink(writeLink({ ...most, pinned: pinOf(most) }, creek), creek, files.creek);
  assert.deepEqual([whole.state.text, whole.state.pinned?.text, whole.cut], [most.text, most.text, 0]);
  const endless = readLink(`#model=creek&text=${'x'.repeat(1e6)}`, creek, files.creek);
  assert.deepEqual(endless.refused, ['a link longer than this page reads']);
});

test('what cannot be read is named, and the rest stands', () => {
  const creek = openingState('creek', files.creek);
  const { state, refused } = readLink(
    '#model=creek&head=2.x&row=3&layers=9&nonsense=1&written=99999&text=The+cat',
    creek,
    files.creek,
  );
  assert.deepEqual(refused, ['head', 'layers', 'nonsense', 'written']);
  const writing = readLink(
    '#model=continue&temperature=NaN&topK=-3&draw=0.5&length=0',
    openingState('continue', files.continue),
    files.continue,
  );
  assert.deepEqual(writing.refused, ['temperature', 'topK', 'draw', 'length']);
  assert.deepEqual(
    [state.cursor.row, state.text, state.settings.layers, state.follow],
    [3, 'The cat', creek.settings.layers, false],
  );
});
