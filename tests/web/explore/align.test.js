// Where words go in an edited text, which word another text asks about, and what is said of a text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { aligned, createTyping, isReplaced, keptIndices, moveWithText } from '../../../web/explore/shared/typing.js';
import { defaultState, trainedState } from '../../../web/app/schema.js';
import { makePlan } from '../../../web/engine/plan.js';
import { kept } from '../../../web/engine/tokens.js';
import { notesOf, wordAround, wordAtCaret } from '../../../web/explore/shared/notes.js';
import { readModel } from '../../../src/models/measure.mjs';
import { strongest, wordToAsk } from '../../../web/explore/shared/choose.js';
import './table.js'; // which lets the list of completions import its style

const { completions, isWhole, restOf } = await import('../../../web/explore/shared/completion.js');

const words = fc.array(fc.constantFrom('the', 'dog', 'it', 'was', '.'), { maxLength: 12 });
const split = (/** @type {string} */ text) => text.split(' ');

/** The length of the longest common subsequence, by its definition. @param {string[]} a @param {string[]} b */
const common = (a, b) => {
  /** @type {Map<string, number>} */
  const known = new Map();
  const of = (/** @type {number} */ i, /** @type {number} */ j) => {
    if (i === a.length || j === b.length) return 0;
    const name = `${i},${j}`;
    if (!known.has(name)) known.set(name, a[i] === b[j] ? 1 + of(i + 1, j + 1) : Math.max(of(i + 1, j), of(i, j + 1)));
    return /** @type {number} */ (known.get(name));
  };
  return of(0, 0);
};

test('kept places: equal words, in order, as many as can be', () => {
  fc.assert(
    fc.property(words, words, (before, after) => {
      const kept = [...keptIndices(before, after)];
      const pairs = kept.flatMap((to, from) => (to < 0 ? [] : [[from, to]]));
      assert(pairs.every(([from, to]) => before[from] === after[to]));
      assert(pairs.every(([, to], i) => i === 0 || to > pairs[i - 1][1]));
      assert.equal(pairs.length, common(before, after));
    }),
    { numRuns: 500 },
  );
});

test('an edit elsewhere moves a chosen word along: insert, delete, replace', () => {
  fc.assert(
    fc.property(words, words, words, words, (left, old, fresh, right) => {
      const at = aligned([...left, 'chosen', ...old, ...right], [...left, 'chosen', ...fresh, ...right]);
      assert.equal(at(left.length), left.length);
      const behind = aligned([...left, ...old, 'chosen', ...right], [...left, ...fresh, 'chosen', ...right]);
      assert.equal(behind(left.length + old.length), left.length + fresh.length);
    }),
  );
});

test('a place goes to a place, the order stays, and back is where it was', () => {
  fc.assert(
    fc.property(
      words,
      fc.array(fc.constantFrom('a', 'it', 'dog'), { minLength: 1, maxLength: 12 }),
      (before, after) => {
        const to = before.map((_, i) => aligned(before, after)(i));
        assert(to.every((place) => place >= 0 && place < after.length));
        assert(to.every((place, i) => i === 0 || place >= to[i - 1]));
        assert(before.every((_, i) => aligned(before, before)(i) === i));
      },
    ),
  );
});

test('a word that is changed keeps its place, one that is deleted goes to the word before it', () => {
  const before = split('the dog saw it .');
  assert.equal(aligned(before, split('the dog saw them .'))(3), 3);
  assert.equal(aligned(before, split('the dog saw .'))(3), 2);
  assert.equal(aligned(before, split('saw it .'))(0), 0);
});

test('the word that a text asks about', () => {
  for (const [text, word] of [
    ['The girl fed the cat because it was hungry .', 'it'],
    ['it saw them .', 'them'],
    ['The [MASK] sat on the mat .', '[MASK]'],
    ['The cat sat on the mat .', 'mat'],
    ['The cat sat on the .', 'sat'],
    ['the the .', 'the'],
    ['. !', '.'],
    ['Der Hund schläft !', 'schläft'],
  ]) {
    const all = split(text);
    assert.equal(all[wordToAsk(all)], word, text);
  }
  assert.equal(wordToAsk([]), 0);
  fc.assert(
    fc.property(fc.array(fc.constantFrom('.', ',', '!', 'the', 'dog', 'it'), { minLength: 1 }), (all) => {
      const word = all[wordToAsk(all)];
      assert(/\w/.test(word) || all.every((each) => !/\w/.test(each)), `${word} of ${all}`);
    }),
  );
});

test('the strongest key is the largest number, the first of equal ones', () => {
  fc.assert(
    fc.property(fc.array(fc.float({ noNaN: true }), { minLength: 1 }), (values) => {
      assert.equal(strongest(values), values.indexOf(values.reduce((a, b) => (b > a ? b : a))));
    }),
  );
});

test('another text, and an edited one', () => {
  const creek = split('The creek was cold and the spunky dog wanted to jump over it .');
  const other = (/** @type {string[]} */ a, /** @type {string[]} */ b) => isReplaced(a, b, keptIndices(a, b));
  assert(other(creek, split('The girl fed the cat because it was hungry .')));
  assert(other(creek, ['T']), 'the first letter over all that was selected');
  assert(other([], split('The dog')));
  assert(other(split('the cat'), split('The girl fed the dog .')));
  assert(!other(creek, creek.with(1, 'river')));
  assert(!other(creek, creek.slice(0, 3)), 'what is deleted is no other text');
  assert(!other(split('the cat'), split('the ca')));
  assert(!other(creek, []));
});

const creek = readModel('creek');
const state = trainedState('creek', creek.config);
/** @param {string} text */
const planOf = (text) => makePlan({ ...state, text }, creek);

test('cursor, sums and set weights move with their words; what was set at a word goes with it', () => {
  const cell = {
    what: /** @type {const} */ ('cell'),
    kind: /** @type {const} */ ('encoder'),
    layer: 0,
    head: 1,
    to: 0,
  };
  const before = planOf('the dog saw the cat .').tokens.encoder;
  const from = {
    ...state,
    cursor: { ...state.cursor, row: 4, key: 1 },
    brush: [1, 4],
    interventions: [
      { ...cell, row: 4, key: 1 },
      { ...cell, row: 0, key: 2 },
    ],
  };
  /** @param {string} text */
  const moved = (text) => {
    const after = planOf(text).tokens.encoder;
    assert(before && after);
    const { cursor, brush, interventions } = moveWithText(from, 'encoder', before, after);
    return [cursor.row, cursor.key, brush, interventions.map((each) => 'row' in each && [each.row, each.key])];
  };
  assert.deepEqual(moved('the dog saw the cat .'), [
    4,
    1,
    [1, 4],
    [
      [4, 1],
      [0, 2],
    ],
  ]);
  assert.deepEqual(moved('so the spunky dog saw the cat .'), [
    6,
    3,
    [3, 6],
    [
      [6, 3],
      [1, 4],
    ],
  ]);
  assert.deepEqual(
    moved('the fox saw the cat .'),
    [
      4,
      1,
      [1, 4],
      [
        [4, 1],
        [0, 2],
      ],
    ],
    'another word in its place',
  );
  assert.deepEqual(moved('the dogx saw the cat .'), [3, 1, [3], [[0, 1]]], 'a word that the model does not read');
  assert.deepEqual(moved('the saw the cat .'), [3, 0, [3], [[0, 1]]]);
  // A head or an FFN that is off at a word goes with that word.
  const part = { kind: cell.kind, layer: 0, row: 1, to: /** @type {const} */ (0) };
  const parts = [
    { what: /** @type {const} */ ('headAt'), head: 1, ...part },
    { what: /** @type {const} */ ('ffnAt'), ...part },
  ];
  for (const [text, row] of /** @type {[string, number | null][]} */ ([
    ['so the spunky dog saw the cat .', 3],
    ['the saw the cat .', null],
  ])) {
    const after = planOf(text).tokens.encoder;
    assert(before && after);
    const { interventions } = moveWithText({ ...from, interventions: parts }, 'encoder', before, after);
    assert.deepEqual(interventions, row === null ? [] : parts.map((each) => ({ ...each, row })), text);
  }
});

test('what is said of a text: unknown words when they are finished, shortened; nothing of one being typed', () => {
  /** @param {string} text @param {object} [rest] */
  const said = (text, rest) =>
    notesOf({
      plan: planOf(text),
      model: 'creek',
      vocabulary: creek.vocabulary.length,
      typed: null,
      pasted: 0,
      ...rest,
    });
  assert.equal(said('the dog was cold .'), '');
  assert.equal(
    said('the zebra and the Wien .'),
    '“zebra” and “Wien” are not in this model’s vocabulary (147 tokens) and left out.',
  );
  assert.equal(said('the zeb', { typed: 'zeb' }), '');
  assert.equal(said('t', { typed: 't' }), '');
  const nothing = 'Type a sentence: there is no text yet.';
  for (const empty of ['', '   ']) assert.equal(said(empty), nothing);
  const state = defaultState();
  const pair = { ...state, settings: { ...state.settings, kind: /** @type {const} */ ('encoder-decoder') } };
  for (const [targetText, wanted] of [
    ['', nothing],
    ['Hund', ''],
  ])
    assert.equal(said('', { model: 'untrained', plan: makePlan({ ...pair, targetText }, undefined) }), wanted);
  assert.match(said('t'), /^“t” is not in .* left out\.$/);
  assert.equal(
    said(`the ${'x'.repeat(5000)} dog .`),
    `“${'x'.repeat(23)}…” is not in this model’s vocabulary (147 tokens) and left out.`,
  );
  assert.match(said('a b c d e f g h i j'), /^“a”, “b”, “c”, “d”, “e”, “f”, and 4 more are not/);
  assert.match(said('the '.repeat(600)), /^Only the first 512 tokens .* Longer than any .*\(17 tokens\)/);
  assert.equal(
    said('dog .', { pasted: 1_048_576 }),
    'The first 20,000 of 1,048,576 characters are kept; the rest is left out.',
  );
});

test('the word at the caret', () => {
  assert.equal(wordAtCaret('the cre', 7), 'cre');
  assert.equal(wordAtCaret('the cre was', 7), 'cre');
  assert.equal(wordAtCaret('the creek', 7), null, 'inside a word');
  assert.equal(wordAtCaret('the ', 4), null);
  for (const caret of [4, 5, 9]) assert.equal(wordAround('the creek.', caret), 'creek');
  assert.equal(wordAtCaret('the [MA', 7), '[MA');
  assert.equal(wordAtCaret('.', 1), null);
});

test('a long text is kept to 20,000 characters, none of them cut in two', () => {
  fc.assert(
    fc.property(fc.integer({ min: 19_990, max: 20_005 }), fc.boolean(), (length, odd) => {
      const text = (odd ? 'x' : '') + '🦊'.repeat(length / 2);
      const some = kept(text);
      assert(some.length <= 20_000 && text.startsWith(some) && some.isWellFormed());
      assert(some.length >= Math.min(text.length, 19_999));
    }),
  );
  assert.equal(defaultState().text, kept(defaultState().text));
});

test('a beginning and the words of the model that it may become', () => {
  const { vocabulary } = creek;
  assert.deepEqual(completions('cree', vocabulary), ['creek', 'creeks']);
  assert.deepEqual(completions('Cree', vocabulary), ['creek', 'creeks']);
  assert.deepEqual(completions('[', vocabulary), ['[MASK]']);
  assert.deepEqual(completions('zeb', vocabulary), []);
  assert.deepEqual(completions('creeks', vocabulary), []);
  assert.equal(completions('s', vocabulary).length, 6);
  fc.assert(
    fc.property(fc.constantFrom(...vocabulary.filter((word) => /^[a-z]/.test(word))), fc.nat(8), (word, length) => {
      const typed = word.slice(0, length + 1);
      for (const each of completions(typed, vocabulary)) {
        assert(each.startsWith(typed) && each !== typed && vocabulary.includes(each));
        assert.equal(typed + restOf(typed, each, ''), `${each} `);
        assert.equal(typed + restOf(typed, each, ' was'), each);
        assert.equal(typed + restOf(typed, each, '.'), each);
      }
    }),
  );
  assert(isWhole('The', vocabulary) && isWhole('[MASK]', vocabulary) && !isWhole('cree', vocabulary));
});

test('a prompt that is typed on asks for its end, until the reader has chosen a word', () => {
  let state = trainedState('continue', readModel('continue').config);
  const tools = {
    get: () => state,
    set: (/** @type {Partial<typeof state>} */ patch) => void (state = { ...state, ...patch }),
    plan: (of = state) => makePlan(of, readModel('continue')),
  };
  const { edit } = createTyping(tools);
  const landed = () => tools.set({ follow: false, cursor: { ...state.cursor, row: 1 } }); // of a text of two words
  edit('decoder', { text: 'the fox saw' });
  assert(state.follow);
  landed();
  edit('decoder', { text: 'the fox saw a' });
  assert(state.follow, 'also when a result came late');
  tools.set({ follow: false, own: { row: true, key: false } });
  edit('decoder', { text: 'the fox saw a red' });
  assert(!state.follow);
});
