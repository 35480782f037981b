// A card is found by the words of the texts from which its claim comes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claims } from '../../../src/claims/index.js';
import { findClaims, findQuotes, nearestClaims } from '../../../web/claims/search.js';

const all = claims.map(({ claim }) => claim);
/** @param {string} query */
const found = (query) => findClaims(all, query).map(({ number }) => number);

for (const [query, numbers] of /** @type {[string, number[]][]} */ ([
  ['The animal didn’t cross the street because it was too tired', [21]],
  ['The animal didn’t cross the street, because it was too tired.', [21]],
  ['The cat sat on the mat', [4]],
  ['cat and mat', [4]],
  ['a×b', [10]],
  ['a × b', [10]],
  ['a AND b', [10, 45]],
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
  assert.deepEqual(found('tire'), [21]);
  assert.deepEqual(found('ired'), []);
  assert.deepEqual(found('minsky perceptrons'), [10]);
});

test('every card is found by each word of its sentence, name, who says it and its literature', () => {
  for (const { number, name, sentence, saidBy, literature } of all)
    for (const word of `${name} ${sentence} ${saidBy} ${literature.for} ${literature.against}`
      .split(/\s+/)
      .filter((each) => /[\p{L}\p{N}]/u.test(each)))
      assert(found(word).includes(number), `${word}: ${found(word)}`);
});

test('no card quotes what its sentence says', () => {
  for (const { sentence, quotes = [] } of all)
    for (const { text } of quotes) assert(!sentence.includes(text), `${text} in ${sentence}`);
});

for (const [sentence, ...numbers] of /** @type {[string, ...number[]][]} */ ([
  ['multi-head attention is a linear operation', 11],
  ['residual connections mitigate the vanishing gradient problem', 17],
  ['Attention weights tell us which words the model considers important', 21],
  ['The feed-forward network acts as a key-value memory', 13],
  ['Without positional encodings the Transformer is invariant to the order of its input', 4, 5, 6],
  ['Layer normalization keeps the activations in a bounded range', 9],
  ['The decoder uses a mask so that it cannot look at subsequent words', 18],
  ['Each head learns to focus on a different aspect of the sentence', 14],
  ['Transformers can handle sequences of arbitrary length', 23],
  ['The dot products are scaled to prevent the softmax from saturating', 1],
  ['An MLP with ReLU activations is a universal function approximator', 7],
  ['The FFN expands the dimension by a factor of four', 22],
  ['Skip connections allow us to train very deep networks', 16],
]))
  test(`a lecture’s “${sentence}” is near ${numbers}`, () => {
    const near = nearestClaims(all, sentence).map(({ number }) => number);
    assert.equal(near.length, 3);
    assert(numbers.includes(near[0]) || numbers.includes(near[1]), String(near));
  });

test('what shares no term with a claim is near none', () => {
  assert.deepEqual(nearestClaims(all, 'xylophone'), []);
  assert.deepEqual(nearestClaims(all, ' ?!'), []);
});

test('nothing asked: all in their order; nothing found: none', () => {
  assert.deepEqual(found(' '), all.map(({ number }) => number)); // prettier-ignore
  assert.deepEqual(found('xylophone'), []);
  assert.deepEqual(found('?!'), []);
});

test('the quotes that led to a card can be shown', () => {
  const { quotes = [] } = all.find(({ number }) => number === 3) ?? assert.fail();
  assert.deepEqual(findQuotes(quotes, 'linear function'), [...quotes]);
  assert.deepEqual(findQuotes(quotes, ''), []);
});

test('a card is prepared once, not at every key', () => {
  let read = 0;
  const counted = all.map((claim) => ({
    ...claim,
    get sentence() {
      read++;
      return claim.sentence;
    },
  }));
  for (const query of ['s', 'so', 'sof', 'soft', 'a sentence of no card at all']) {
    findClaims(counted, query);
    nearestClaims(counted, query);
  }
  assert.equal(read, 2 * all.length, 'each once for its words and once for its terms');
});
