// The one address codec by the schema of each place: what is written is read again, and garbage does no harm.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { claims as modules } from '../../../src/claims/index.js';

import * as explore from '../../../web/app/schema.js';
import * as cards from '../../../web/claims/schema.js';
import { valueAt } from '../../../web/kit/address.js';
import { guided } from '../../../web/lessons/guided.js';
import { writeRun } from '../../../web/train/comparison.js';
import { TASKS, recipeOf } from '../../../web/train/run/recipes.js';
import * as train from '../../../web/train/schema.js';
import { LIVE, withChange } from '../../../web/train/settings/changes.js';
import { FIELDS, problemOf, unnamed } from '../../../web/train/settings/settings.js';

const claims = new Map(modules.map(({ claim }) => [claim.number, claim]));
const recipes = new Map(Object.keys(TASKS).map((name) => [name, recipeOf(name)]));

/** A value of a control. @param {import('../../../web/train/settings/settings.js').Field} field */
function valueOf({ kind, low, high, choices }) {
  if (kind === 'flag') return fc.boolean();
  if (kind === 'choice') return fc.constantFrom(...choices.map(([value]) => value));
  return kind === 'integer' ? fc.integer({ min: low, max: high }) : fc.double({ min: low, max: high, noNaN: true });
}

/** Objects as those of the page. @template T @param {T} value @returns {T} */
const plain = (value) => structuredClone(value);

/** @param {readonly string[]} names @param {readonly string[]} texts */
const garbage = (names, texts) =>
  fc
    .array(
      fc.tuple(
        fc.oneof(fc.constantFrom(...names, '__proto__', 'constructor', 'toString', ''), fc.string()),
        fc.oneof(fc.constantFrom(...texts, '', '-1', '1e9', 'NaN', '1.5', '[]', '{}', '%', '%zz'), fc.string()),
      ),
      { maxLength: 6 },
    )
    .map((parts) => parts.map(([name, text]) => `${name}=${text}`).join('&'));

/** The settings of a task with some of other values, where all of them fit together. @param {string} task */
const settingsOf = (task) => {
  const recipe = unnamed(recipeOf(task));
  const fields = FIELDS.filter(({ name }) => name in recipe);
  return fc
    .record(Object.fromEntries(fields.map((field) => [field.name, valueOf(field)])), { requiredKeys: [] })
    .map((some) => ({ ...recipe, ...some }))
    .filter((all) => fields.every((field) => !problemOf(field, all[field.name], all)));
};

/** A moment of a run as Train may show it. */
const moments = fc.constantFrom(...recipes.keys()).chain((task) =>
  settingsOf(task).chain((settings) => {
    const live = FIELDS.filter(({ name }) => LIVE.includes(name) && name in settings);
    const change = fc
      .constantFrom(...live)
      .chain((field) =>
        fc.tuple(fc.integer({ min: 1, max: 20_000 }), valueOf(field)).map(([step, value]) => ({ step, field, value })),
      );
    const changes = fc.array(change, { maxLength: 3 }).map((all) =>
      all
        .filter(({ field, value }) => !problemOf(field, value, settings))
        .sort((a, b) => a.step - b.step)
        .reduce(
          (list, { step, field, value }) => withChange(settings, list, step, { [field.name]: value }),
          /** @type {import('../../../web/train/settings/changes.js').Change[]} */ ([]),
        ),
    );
    const comparison = fc.record({
      changes: fc.constant([{ dropout: settings.dropout === 0.25 ? 0.5 : 0.25 }]),
      seeds: fc.integer({ min: 1, max: 10 }),
      within: fc.integer({ min: 1, max: 2000 }),
      threshold: fc.constantFrom(0.5, 0.9, 0.99, 1),
    });
    return fc.record({
      task: fc.constant(task),
      settings: fc.constant(settings),
      changes,
      step: fc.nat(20_000),
      lesson: task === 'reverse' ? fc.constantFrom('', ...guided.map(({ link }) => link)) : fc.constant(''),
      comparison: 'layers' in settings ? fc.option(comparison) : fc.constant(null),
    });
  }),
);

/** A card, list or projector as Claims may show it. */
const addresses = fc
  .tuple(fc.constantFrom(...claims.values()), fc.subarray([...claims.keys()]), fc.boolean(), fc.boolean())
  .chain(([claim, others, isClass, isCard]) => {
    const seeds = claim.seeded ? { seed: fc.nat(2 ** 30), seeds: fc.integer({ min: 1, max: 20 }) } : {};
    const switches = Object.fromEntries(claim.inputs.map((each) => [each.name, fc.constantFrom(...each.values)]));
    const list = isClass ? [...new Set([claim.number, ...others])] : [];
    return fc.record({
      view: fc.constantFrom('list', 'class', ...(isCard || isClass ? ['card'] : []), ...(isCard ? ['projector'] : [])),
      number: fc.constant(isCard ? claim.number : null),
      params: fc
        .record(isCard ? { ...switches, ...seeds } : {}, { requiredKeys: [] })
        .map((params) => cards.changedParams(claim, /** @type {any} */ (params))),
      predict: fc.boolean(),
      ...(list.length && { cards: fc.constant(list) }),
    });
  });

describe('any state comes back from its link', () => {
  test('of Explore’s playground: each row on its own and several together', () => {
    const opening = explore.defaultState();
    const linked = explore.FIELDS.filter(
      ({ address, codec }) => codec && !['model', 'puzzle'].includes(String(address)),
    );
    const rows = fc.subarray(linked).map((some) => new Set(some));
    const texts = fc.constantFrom(
      '0',
      '1',
      '2',
      '2.3',
      'decoder',
      'norm',
      'none',
      'root',
      '[]',
      'a',
      '',
      '3.1.2',
      '0.5',
    );
    fc.assert(
      fc.property(rows, fc.infiniteStream(texts), (some, stream) => {
        const link = `#/explore?${[...some].map(({ address }) => `${address}=${stream.next().value}`).join('&')}`;
        const { state } = explore.readLink(link, opening);
        const written = explore.writeLink(state, opening);
        const again = explore.readLink(written, opening);
        assert.deepEqual([again.refused, explore.writeLink(again.state, opening)], [[], written]);
        for (const { path, codec } of linked)
          assert.equal(codec?.write(valueAt(again.state, path)), codec?.write(valueAt(state, path)), path);
      }),
      { numRuns: 1000 },
    );
  });

  test('of Train', () =>
    fc.assert(
      fc.property(moments.map(plain), (moment) => {
        const recipe = /** @type {any} */ (recipes.get(moment.task));
        const link = train.writeAddress(moment, recipe);
        const { refused, ...found } = train.readAddress(link, recipes);
        assert.deepEqual([found, refused], [moment, []], link);
        assert.equal(train.writeAddress(found, recipe), link);
        if (moment.comparison) assert(link.includes(writeRun(moment.comparison.changes[0])));
      }),
      { numRuns: 500 },
    ));

  test('of Claims', () =>
    fc.assert(
      fc.property(addresses.map(plain), (address) => {
        const claim = claims.get(address.number ?? 0);
        const link = cards.writeAddress(/** @type {any} */ (address), claim);
        const { refused, ...found } = cards.readAddress(link, claims);
        assert.deepEqual([found, refused], [address, []], link);
        assert.equal(cards.writeAddress(found, claim), link);
      }),
      { numRuns: 500 },
    ));
});

test('what a link of Train or Claims may say is a state of the place, whatever it is', () => {
  const names = ['task', 'at', 'step', 'guide', 'runs', 'seeds', 'twins', ...FIELDS.map(({ name }) => name)];
  const texts = [
    ...recipes.keys(),
    '20:clip=2',
    '1:cut=1.1',
    '3:75:50:norm=pre',
    'norm=pre',
    'unseen',
    'FFN',
    '1',
    '8',
  ];
  // 3 stands beside an empty d_model, and no longer beside the 32 that takes the place of it.
  const { settings, refused } = train.readAddress('#/train?heads=3&d_model=', recipes);
  assert.equal(settings.heads, recipes.get('reverse')?.heads);
  assert.equal(refused.length, 2);
  fc.assert(
    fc.property(garbage(names, texts), (query) => {
      const found = { ...train.readAddress(`#/train?${query}`, recipes), refused: [] };
      const recipe = /** @type {any} */ (recipes.get(found.task));
      for (const field of FIELDS)
        if (field.name in recipe) assert.equal(problemOf(field, found.settings[field.name], found.settings), '');
      const again = train.readAddress(train.writeAddress(found, recipe), recipes);
      const lesson = /guide/.test(found.lesson) ? found.lesson : '';
      assert.deepEqual(again, { ...found, lesson });
    }),
    { numRuns: 2000 },
  );
  assert.equal(train.readAddress('#/train?guide=', recipes).lesson, '');
  const switches = [...claims.values()].flatMap(({ inputs }) => inputs);
  const others = ['card', 'cards', 'view', 'predict', 'own', 'seed', 'seeds', ...switches.map(({ name }) => name)];
  const values = [
    '7',
    '3,8',
    '7,7,99',
    'list',
    'projector',
    'codes',
    ...switches.flatMap((each) => each.values.map(String)),
  ];
  fc.assert(
    fc.property(garbage(others, values), (query) => {
      const found = { ...cards.readAddress(`#/claims?${query}`, claims), refused: [] };
      const again = cards.readAddress(cards.writeAddress(found, claims.get(found.number ?? 0)), claims);
      assert.deepEqual(again, found);
    }),
    { numRuns: 2000 },
  );
});
