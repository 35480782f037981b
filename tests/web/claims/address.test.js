// The address of a card: what it says, and what of it cannot be.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { course } from '../../../src/claims/index.js';
import { readAddress, readValue, writeAddress } from '../../../web/claims/schema.js';

const claims = new Map(course.flatMap((group) => group.claims.map(({ claim }) => [claim.number, claim])));
const read = (/** @type {string} */ hash) => readAddress(hash, claims);

test('the list, a card, its switches and seeds, a view: what is written is read', () => {
  for (const [hash, expected] of /** @type {const} */ ([
    ['#/claims', { view: 'list', number: null, params: {}, predict: false }],
    ['#/claims?cards=3,8&view=list', { view: 'list', number: null, params: {}, predict: false, cards: [3, 8] }],
    ['#/claims?card=7', { view: 'card', number: 7, params: {}, predict: false }],
    [
      '#/claims?card=7&neurons=16&seed=3',
      { view: 'card', number: 7, params: { neurons: 16, seed: 3 }, predict: false },
    ],
    ['#/claims?card=10&target=a%C3%97b+on+%5B0%2C+1%5D%C2%B2&predict=1', null],
    ['#/claims?card=4&view=projector', { view: 'projector', number: 4, params: {}, predict: false }],
    ['#/claims?cards=3,8,21', { view: 'card', number: null, params: {}, predict: false, cards: [3, 8, 21] }],
    [
      '#/claims?cards=8,7&card=7&seed=3&predict=1',
      { view: 'card', number: 7, params: { seed: 3 }, predict: true, cards: [8, 7] },
    ],
    ['#/claims?cards=3,8&view=class', { view: 'class', number: null, params: {}, predict: false, cards: [3, 8] }],
  ])) {
    const { refused, ...address } = read(hash);
    assert.deepEqual(refused, [], hash);
    if (expected) assert.deepEqual(address, expected);
    assert.equal(writeAddress(address, claims.get(address.number ?? 0)), hash);
  }
});

test('every value that a card offers is read from its link; the defaults are left out', () => {
  for (const claim of claims.values())
    for (const { name, values, default: first } of claim.inputs)
      for (const value of values) {
        const hash = writeAddress({ number: claim.number, params: { [name]: value } }, claim);
        const { params, refused } = read(hash);
        assert.deepEqual({ params, refused }, { params: value === first ? {} : { [name]: value }, refused: [] }, hash);
      }
});

test('a link of before to the list, and one to a projector without a card, open the list', () => {
  for (const hash of ['#/claims?view=list', '#/claims?view=projector']) {
    const { refused, ...address } = read(hash);
    assert.deepEqual([refused, writeAddress(address)], [[], '#/claims'], hash);
  }
});

test('what cannot be is named, and leaves the default', () => {
  for (const [hash, params, pattern] of /** @type {[string, object, RegExp][]} */ ([
    ['#/claims?card=99', {}, /^there is no card “99”$/],
    ['#/claims?card=__proto__', {}, /no card/],
    ['#/claims?card=7&neurons=7&seed=2', { seed: 2 }, /^Neurons N: one of 2, 4, 8, 16, 32, not “7”$/],
    ['#/claims?card=7&colour=red', {}, /^this card has no switch “colour”$/],
    ['#/claims?card=7&seeds=0', {}, /^Number of seeds: a whole number from 1 to 20, not “0”$/],
    ['#/claims?card=7&seeds=1e9', {}, /Number of seeds/],
    ['#/claims?card=7&seed=-1', {}, /First seed/],
    ['#/claims?view=nothing', {}, /no view “nothing”/],
    ['#/claims?cards=', {}, /^“cards” lists “”, which is no card$/],
    ['#/claims?cards=3,99', {}, /^“cards” lists “99”, which is no card$/],
    ['#/claims?cards=3,<img src=x>', {}, /^“cards” lists “<img src=x>”, which is no card$/],
    ['#/claims?cards=3,8e0', {}, /“8e0”/],
    ['#/claims?cards=3,8,3', {}, /^“cards” lists card 3 twice$/],
    ['#/claims?view=summary', {}, /^there is no view “summary”$/],
    [
      `#/claims?cards=${[...claims.keys()].join(',')},1`,
      {},
      new RegExp(`^“cards” lists more than ${claims.size} cards$`),
    ],
    ['#/claims?cards=3,8&card=7&seed=1', {}, /^card 7 is not among the cards of your class$/],
  ])) {
    const address = read(hash);
    assert.deepEqual(address.params, params, hash);
    assert.equal(address.refused.length, 1, hash);
    assert.match(address.refused[0], pattern);
  }
});

test('a list of a million cards costs no more than one of each card', () => {
  const { cards, refused } = read(`#/claims?cards=${Array(1e6).fill('x').join(',')}`);
  assert.deepEqual([cards, refused.length], [undefined, claims.size + 1]);
});

test('a field tells what it may be', () => {
  const claim = /** @type {any} */ (claims.get(7));
  assert.deepEqual(readValue(claim, 'seed', '12'), { value: 12 });
  assert.deepEqual(readValue(claim, 'seeds', ''), { problem: 'Number of seeds: a whole number from 1 to 20' });
});
