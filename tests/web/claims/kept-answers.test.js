// The reader's answers: kept by claim, and harmless where the browser keeps nothing or something else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAnswers } from '../../../web/claims/kept-answers.js';

const VERDICT = /** @type {const} */ ({ kind: 'sentence', verdict: 'false', found: '0 kinks.' });
const NOTHING = { params: {}, verdict: null, comparisons: [], seconds: null, when: null };
const UNANSWERED = { ...NOTHING, predicted: null, sure: null, guess: null };
const FOUND = {
  params: { seed: 3 },
  sure: 80,
  guess: 0.3,
  verdict: VERDICT,
  comparisons: [
    {
      label: 'Gain',
      values: [1, Infinity, NaN],
      range: /** @type {[number, number]} */ ([0, 1]),
      allowed: /** @type {[number, number]} */ ([-Infinity, 2]),
      within: false,
    },
    { label: 'Right', values: [0.5], range: [0, 1], allowed: [0, 1], within: true, share: true },
  ],
  seconds: 0.25,
  when: 1.7e12,
};

/** @param {string | null} [text] what is kept to begin with */
function memory(text = null) {
  return {
    text,
    getItem() {
      return this.text;
    },
    /** @param {string} _ @param {string} value */
    setItem(_, value) {
      this.text = value;
    },
    removeItem() {
      this.text = null;
    },
  };
}

/** @param {string} name */
function refuse(name) {
  throw Object.assign(new Error(name), { name });
}

test('prediction and finding are kept by claim, also what is not finite, and read by the next page', () => {
  const storage = memory();
  const answers = createAnswers(() => storage);
  assert.deepEqual(answers.get(7), { number: 7, ...UNANSWERED });
  answers.set(7, { predicted: 2 });
  answers.set(7, FOUND);
  answers.set(20, { predicted: 0 });
  const next = createAnswers(() => storage);
  assert.deepEqual(next.get(7), { number: 7, predicted: 2, ...FOUND });
  assert.deepEqual([...next.all().keys()], [7, 20]);
  assert.equal(next.problem(), undefined);
});

test('what was read once is not read again until it changes, here or in another tab', () => {
  const storage = memory();
  const [one, two] = [createAnswers(() => storage), createAnswers(() => storage)];
  one.set(7, FOUND);
  const first = one.all();
  assert.equal(one.get(7), first.get(7));
  first.clear();
  assert.equal(one.all().size, 1, 'each is given a list of its own');
  two.set(7, { predicted: 1 });
  assert.equal(one.get(7).predicted, 1);
});

test('an answer from before the time of a run was kept is whole', () => {
  const { when, ...old } = { number: 7, predicted: 1, ...FOUND };
  assert(when);
  const answers = createAnswers(() => memory(JSON.stringify([{ ...old, comparisons: [] }])));
  assert.deepEqual(answers.get(7), { ...old, comparisons: [], when: null });
  assert.equal(answers.problem(), undefined);
});

test('an answer from before there were guesses, or with one that is no number, has none', () => {
  for (const guess of [undefined, '0.3', null]) {
    const answers = createAnswers(() =>
      memory(JSON.stringify([{ number: 7, predicted: 1, ...FOUND, comparisons: [], guess }])),
    );
    assert.equal(answers.get(7).guess, null);
    assert.equal(answers.get(7).sure, 80);
  }
});

test('of an answer of version 0.1 the prediction stays: its verdict may have been that of a control', () => {
  const old = { number: 7, predicted: 1, ...FOUND, comparisons: [], verdict: { verdict: 'holds', why: '' } };
  const answers = createAnswers(() => memory(JSON.stringify([old])));
  assert.deepEqual(answers.get(7), { number: 7, ...UNANSWERED, predicted: 1, sure: 80, guess: 0.3 });
  assert.equal(answers.problem(), undefined);
});

test('two tabs do not overwrite each other’s answers', () => {
  const storage = memory();
  const [one, two] = [createAnswers(() => storage), createAnswers(() => storage)];
  one.set(1, { predicted: 1 });
  two.set(2, { predicted: 0 });
  one.set(3, { predicted: 0 });
  assert.deepEqual([...two.all().keys()], [1, 2, 3]);
});

test('cleared answers are gone from the storage, and can be brought back beside new ones', () => {
  const storage = memory();
  const answers = createAnswers(() => storage);
  answers.set(1, { predicted: 1 });
  answers.set(2, { predicted: 0 });
  const undo = answers.clear();
  assert.equal(storage.text, null);
  assert.equal(answers.all().size, 0);
  answers.set(2, { predicted: 2 });
  undo();
  assert.deepEqual(
    [...answers.all()].map(([number, { predicted }]) => [number, predicted]),
    [
      [1, 1],
      [2, 2],
    ],
  );
});

for (const [what, open, problem] of /** @type {[string, () => any, string][]} */ ([
  ['that may not be read', () => refuse('SecurityError'), 'refused'],
  ['that is full', () => ({ ...memory(), setItem: () => refuse('QuotaExceededError') }), 'full'],
  ['that refuses to write', () => ({ ...memory(), setItem: () => refuse('SecurityError') }), 'refused'],
]))
  test(`a storage ${what} is a problem, and the answers last as long as the page`, () => {
    const answers = createAnswers(open);
    assert.equal(answers.problem(), undefined);
    answers.set(7, { predicted: 1 });
    answers.set(7, FOUND);
    answers.set(8, { predicted: 0 });
    assert.deepEqual(answers.get(7), { number: 7, predicted: 1, ...FOUND });
    assert.equal(answers.all().size, 2);
    answers.clear()();
    assert.equal(answers.all().size, 2);
    assert.equal(answers.problem(), problem);
  });

test('a storage that is full for a while keeps everything afterwards', () => {
  const storage = memory();
  let isFull = true;
  const open = () => ({
    ...storage,
    getItem: () => storage.text,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) =>
      isFull ? refuse('QuotaExceededError') : storage.setItem(name, value),
  });
  const answers = createAnswers(open);
  answers.set(1, { predicted: 1 });
  isFull = false;
  answers.set(2, { predicted: 0 });
  assert.deepEqual(
    [
      ...createAnswers(() => storage)
        .all()
        .keys(),
    ],
    [1, 2],
  );
});

const whole = { number: 7, predicted: 1, ...FOUND };
const written = JSON.stringify([{ ...whole, comparisons: [] }]);
for (const [what, text, kept] of /** @type {[string, string, number][]} */ ([
  ['is cut off', written.slice(0, -5), 0],
  ['is no list', '{"7": 1}', 0],
  ['holds nothing', 'null', 0],
  [
    'holds an entry without a claim',
    JSON.stringify([
      { ...whole, number: 'seven' },
      { number: 8, ...UNANSWERED },
    ]),
    1,
  ],
  ['has a verdict of its own', JSON.stringify([{ ...whole, verdict: { verdict: 'maybe', found: '' } }]), 0],
  ['predicts half a choice', JSON.stringify([{ ...whole, predicted: 0.5 }]), 0],
  ['has switches that are lists', JSON.stringify([{ ...whole, params: { seed: [1] } }]), 0],
  [
    'has text for a number',
    JSON.stringify([{ ...whole, comparisons: [{ ...FOUND.comparisons[0], values: ['x'] }] }]),
    0,
  ],
  ['has half a range', JSON.stringify([{ ...whole, comparisons: [{ ...FOUND.comparisons[0], range: [1] }] }]), 0],
]))
  test(`content that ${what} is left out, and a problem; what is whole stays`, () => {
    const storage = memory(text);
    const answers = createAnswers(() => storage);
    assert.equal(answers.all().size, kept);
    assert.equal(answers.problem(), 'damaged');
    answers.set(9, { predicted: 0 });
    const next = createAnswers(() => storage);
    assert.equal(next.all().size, kept + 1);
    assert.equal(next.problem(), undefined);
  });
