// The dictionary at a node: names of features, the order of their columns, the one at which the card opens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  askedFor,
  changeAt,
  columnsOf,
  factorAt,
  nameOf,
  ofFeature,
  placeOf,
} from '../../../web/explore/shared/dictionary.js';
import { activeAt } from '../../../web/draw/active-features.js';
import { isNameless, tellingOf } from '../../../web/explore/shared/telling-feature.js';

const score = (/** @type {string} */ label, f1 = 0.9) => /** @type {any} */ ({ label, f1 });

test('a name is the label in words: loose below .7, none below .5', () => {
  for (const [label, f1, name] of /** @type {[string, number, string][]} */ ([
    ['word it', 1, '“it”'],
    ['word ␣the', 0.7, '“the”'],
    ['pronoun for animal', 0.69, '≈ pronoun for animal'],
    ['place adjective', 0.5, '≈ place adjective'],
    ['place adjective', 0.49, 'feature 7'],
    ['place 2', 0.8, 'second token'],
    ['after the', 0.8, 'after “the”'],
    ['ends ing', 0.8, 'ends in “-ing”'],
    ['begins un', 0.8, 'begins with “un-”'],
    ['one of a\u2009b\u2009c\u2009d', 0.8, '“a”, “b”, “c” …'],
    ['quoted', 0.8, 'in quotation marks'],
  ]))
    assert.equal(nameOf(score(label, f1), 7), name, label);
  assert.equal(nameOf(undefined, 7), 'feature 7', 'it never fires');
  assert.deepEqual([isNameless(undefined), isNameless(score('word it'))], [true, false]);
});

test('columns: those of the picked row by strength, then the others in the order of the words', () => {
  const size = 6;
  const values = Float32Array.from([
    ...[0, 0, 0, 5, 0, 0], // feature 3 is strongest here
    ...[0, 2, 3, 0, 0, 0], // the picked row
    ...[0, 0, 1, 4, 6, 1],
  ]);
  assert.deepEqual(columnsOf({ values, size }, 1, 9), { columns: [2, 1, 3, 4, 5], own: 2, all: 5 });
  assert.deepEqual(columnsOf({ values, size }, 1, 4).columns, [2, 1, 3, 4], 'the weakest goes');
  assert.deepEqual(columnsOf({ values, size }, 0, 9).columns, [3, 2, 1, 4, 5]);
  assert.deepEqual(activeAt({ values, size }, 2), [4, 3, 2, 5]);
});

test('the card opens at the strongest feature that has a name and says more than the word', () => {
  const scores = [score('word it'), score('pronoun for animal', 0.4), undefined, score('pronoun for wood', 0.6)];
  assert.equal(tellingOf([0, 1, 2, 3], scores), 3);
  assert.equal(tellingOf([1, 0], scores), 1, 'none: the strongest');
  assert.equal(tellingOf([], scores), undefined);
});

test('the place follows node and layer; the seed is that which was asked for', () => {
  const state = (/** @type {string} */ node, found = '') =>
    /** @type {any} */ ({
      selection: { kind: 'encoder', layer: 1, head: 0 },
      settings: { heads: 2 },
      graph: { node },
      cursor: { row: 9, feature: null },
      ready: ['encoder.1.out.3'],
      found,
    });
  assert.deepEqual(placeOf(state('ffn')), {
    ...{ kind: 'encoder', layer: 1, part: 'ffn', seed: 0, name: 'encoder.1.ffn.0', isAsked: false },
  });
  const asked = 'encoder.2.out.0,encoder.1.out.3,odd,encoder.1.out.x';
  for (const node of ['add', 'norm'])
    assert.deepEqual(placeOf(state(node, asked)), {
      ...{ kind: 'encoder', layer: 1, part: 'out', seed: 3, name: 'encoder.1.out.3', isAsked: true },
    });
  assert.deepEqual(askedFor({ found: asked }), ['encoder.2.out.0', 'encoder.1.out.3']);
  assert.deepEqual(ofFeature('feature', state('norm', asked)), ['@feature/encoder.1.out.3//9']);
  assert.deepEqual(ofFeature('feature', state('norm')), [], 'not ready with this seed');
});

test('the factor of a feature: as computed, set, or of another text', () => {
  const place = /** @type {const} */ ({ kind: 'encoder', layer: 1, part: 'out', seed: 0 });
  const state = (/** @type {any[]} */ ...interventions) => /** @type {any} */ ({ interventions });
  const change = changeAt(place, 4, 2);
  assert.equal(factorAt(state(), place, 4, 2), 1);
  assert.equal(factorAt(state(change), place, 4, 2), 0);
  assert.equal(factorAt(state(change), place, 5, 2), 1);
  assert.equal(factorAt(state(change), place, 4, 3), 1);
  assert.equal(factorAt(state({ ...change, to: [1, 2] }), place, 4, 2), null);
  assert.equal(factorAt(state({ ...changeAt(place, null, 2), to: [1, 2] }), place, 4, 2), null);
});
