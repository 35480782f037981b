// A card is found by the words of the texts from which its claim comes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from '../../../src/claims/index.js';
import { findClaims, findQuotes } from '../../../web/claims/search.js';

const all = claims.map(({ claim }) => claim);
/** @param {string} query */
const found = (query) => findClaims(all, query).map(({ number }) => number);

for (const [query, numbers] of /** @type {[string, number[]][]} */ ([
  ['The creek was cold and the spunky dog wanted to jump over it', [21]],
  ['The creek was cold, and the spunky dog wanted to jump over it.', [21]],
  ['The cat sat on the mat', [4]],
  ['cat and mat', [4]],
  ['a×b', [10]],
  ['a × b', [10]],
  ['a AND b', [10]],
  ['kinks', [7]],
  ['strictly linear', [11, 10]],
  ['bottleneck', [22]],
  ['PE as a linear function of position', [3]],
  ['PE(pos + k) can be represented as a linear function of PE(pos)', [3]],
  ['W^O', [15]],
  ['√d_k', [1, 2]],
  ['for large values of dk, the dot products grow', [1]],
  ['PEpos+k can be represented as a linear function of PEpos', [3]],
  ['extremely small gradients', [1]],
]))
  test(`“${query}” leads to ${numbers}`, () => assert.deepEqual(found(query), numbers));

test('case, accents and punctuation do not matter, nor a last word that is begun', () => {
  assert.deepEqual(found('velickovic'), [23]);
  assert.deepEqual(found('VELIČKOVIĆ et al'), [23]);
  assert.deepEqual(found('spun'), [21]);
  assert.deepEqual(found('punky'), []);
  assert.deepEqual(found('minsky perceptrons'), [10]);
});

test('every card is found by each word of its sentence, name and source', () => {
  for (const { number, name, sentence, source } of all)
    for (const word of `${name} ${sentence} ${source}`.split(/\s+/).filter((each) => /[\p{L}\p{N}]/u.test(each)))
      assert(found(word).includes(number), `${word}: ${found(word)}`);
});

test('no card quotes what its sentence says', () => {
  for (const { sentence, quotes = [] } of all)
    for (const quote of quotes) assert(!sentence.includes(quote), `${quote} in ${sentence}`);
});

test('nothing asked: all in their order; nothing found: none', () => {
  assert.deepEqual(found(' '), all.map(({ number }) => number)); // prettier-ignore
  assert.deepEqual(found('xylophone'), []);
  assert.deepEqual(found('?!'), []);
});

test('the quotes that led to a card can be shown', () => {
  const { quotes = [] } = all.find(({ number }) => number === 3) ?? assert.fail();
  assert.deepEqual(findQuotes(quotes, 'OF position'), ['PE as a linear function of position']);
  assert.deepEqual(findQuotes(quotes, 'linear function'), [...quotes]);
  assert.deepEqual(findQuotes(quotes, ''), []);
});
