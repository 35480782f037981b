// A trail as a word of a link, as a teacher's list, and the questions that it asks.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync, inflateSync } from 'node:zlib';
import { questionOf, readTrail, stateLink, stepsOf, writeTrail } from '../../../web/kit/trail.js';

const DAMAGED = { message: 'This trail is damaged: its link was cut or changed. Ask for the whole link.' };
/** Numbers that deflate cannot shorten, so that words have all letters and lengths. @param {number} count */
const digits = (count) => Array.from({ length: count }, (_, i) => Math.round(1e9 * Math.abs(Math.sin(i + 1)))).join();

/** @param {unknown} rows */
const packed = (rows) => deflateSync(JSON.stringify(rows)).toString('base64url');
const row = ['A sentence', { model: 'creek' }];
const link = 'model=creek&head=3.2';
/** As a teacher records them. @type {import('../../../web/kit/trail.js').Step[]} */
const STEPS = [
  { sentence: 'The model reads a sentence.', link, question: null },
  { sentence: 'One head.', link, question: { question: 'Is it?', answers: ['yes', 'no'], right: 0 } },
  {
    sentence: 'Its word.',
    link: `${link}&text=a+%26+b`,
    question: { question: '?', answers: ['a', 'b'], right: null },
  },
];

test('a trail is a word of a link and comes back; a cut or changed one says so', async () => {
  for (let count = 0; count < 30; count += 5) {
    const steps = [...STEPS, { sentence: 'x', link: `text=${digits(count).replaceAll(',', '%2C')}`, question: null }];
    const word = await writeTrail(steps);
    assert.match(word, /^[\w-]+$/);
    assert.deepEqual(await readTrail(word), steps);
    assert.deepEqual(JSON.parse(String(inflateSync(Buffer.from(word, 'base64url')))), [
      ['The model reads a sentence.', { model: 'creek', head: '3.2' }],
      ['One head.', { model: 'creek', head: '3.2' }, 'Is it?', ['yes', 'no'], 0],
      ['Its word.', { model: 'creek', head: '3.2', text: 'a & b' }, '?', ['a', 'b'], -1],
      ['x', { text: digits(count) }],
    ]);
  }
  const word = await writeTrail(STEPS);
  for (let at = 0; at < word.length; at++) {
    const other = word[at] === 'A' ? 'B' : 'A';
    const read = await readTrail(word.slice(0, at) + other + word.slice(at + 1)).catch(({ message }) => message);
    if (read !== DAMAGED.message) assert.deepEqual(read, STEPS, `letter ${at} does not count`);
    await assert.rejects(readTrail(word.slice(0, at)), DAMAGED);
  }
  assert.deepEqual(await readTrail(word.padEnd(8000)), STEPS);
  await assert.rejects(readTrail(word.padEnd(8001)), DAMAGED);
});

test('a trail has three to seven steps as they are written; all else of a stranger is refused', async () => {
  /** @param {number} length */
  const long = (length) => 'x'.repeat(length);
  for (const good of [
    ['x', {}],
    [long(200), { model: 'creek' }],
    [...row, long(200), ['one', long(60)], 1],
    [...row, 'Which?', ['1', '2', '3', '4'], -1],
  ])
    assert.equal((await readTrail(packed([row, row, good]))).length, 3, JSON.stringify(good));
  for (const bad of [
    ...['text', 'ab', 7, null, {}, { length: 2 }, [], ['A sentence'], [...row, 'Which?', ['one', 'two']]],
    ...[
      ['', {}],
      [' \n', {}],
      [7, {}],
      [long(201), {}],
    ],
    ...[null, 7, { row: 1 }, { model: 'creek', row: 1 }].map((parts) => ['A sentence', parts]),
    ...['', ' ', null, long(201)].map((question) => [...row, question, ['one', 'two'], 0]),
    ...[
      ...['one', { length: 2 }, ['one'], ['one', 'one'], ['one', 2], ['one', ' ']],
      ...[
        ['1', '2', '3', '4', '5'],
        ['one', long(61)],
        [long(61), 'one'],
      ],
    ].map((answers) => [...row, 'Which?', answers, 0]),
    ...[2, -2, 0.5, '0', null].map((right) => [...row, 'Which?', ['one', 'two'], right]),
    [...row, 'Which?', ['one', 'two'], 0, 0],
  ])
    await assert.rejects(readTrail(packed([row, row, bad])), DAMAGED, JSON.stringify(bad));
  await assert.rejects(readTrail(packed({ length: 3 })), DAMAGED);
  await assert.rejects(readTrail(packed([row, row])), { message: 'This trail has 2 steps; a trail has 3 to 7.' });
  assert.equal((await readTrail(packed(Array(7).fill(row)))).length, 7);
  await assert.rejects(readTrail(packed(Array(8).fill(row))), /has 8 steps/);
  // A small word may unfold to as much as a megabyte.
  const json = JSON.stringify([row, row, row]);
  const padded = (/** @type {number} */ size) => deflateSync(json.padEnd(size)).toString('base64url');
  assert.equal((await readTrail(padded(2 ** 20))).length, 3);
  await assert.rejects(readTrail(padded(2 ** 20 + 1)), DAMAGED);
  await assert.rejects(readTrail(deflateSync(Buffer.from('["\xff"]', 'latin1')).toString('base64url')), DAMAGED);
});

test('a step is a state alone: nothing of the page around it, nor a trail in a trail', async () => {
  assert.equal(stateLink('trail=x&model=creek&step=2&embed=1&text=a+b&book=3'), 'model=creek&text=a+b');
  const parts = { model: 'creek', trail: 'x', step: '2', embed: '1', book: '3' };
  assert.equal((await readTrail(packed([row, row, ['x', parts]])))[2].link, 'model=creek');
});

test('a list is read step by step; a wrong one says what is wrong', () => {
  const view = '#/explore?model=creek&head=3.2';
  const list = `\n https://you.example/page/${view}&embed=1 \r\n One head. \n \n\t\n${view}\nA question.\nIs it?\nyes ,no\n`;
  const steps = [
    { sentence: 'One head.', link, question: null },
    { sentence: 'A question.', link, question: { question: 'Is it?', answers: ['no', 'yes'], right: 1 } },
  ];
  assert.deepEqual(stepsOf(list), { steps, problem: '' });
  for (const nothing of ['', ' \n\n']) assert.deepEqual(stepsOf(nothing), { steps: [], problem: '' });
  const needs = 'a link of this page, a sentence and, if you like, a question and 2 to 4 answers with commas';
  for (const bad of [
    ...['A sentence.', view, `${view}\nOne\nWhich?`, `${view}\nOne\nWhich?\nyes`, `${view}\n${'x'.repeat(201)}`],
    ...[`${view}\nOne\nWhich?\nyes, yes`, `${view}\nOne\nWhich?\na, b\nmore`, 'https://you.example/\nOne'],
    ...['train%3Fx', '%3Fcreek', ''].map((model) => `#/explore?model=${model}\nOne`),
    '#/explore?head=3.2\nOne',
  ]) {
    assert.deepEqual(stepsOf(`${list}\n${bad}`), { steps, problem: `Step 3 needs ${needs}, each on a line.` }, bad);
    assert.match(stepsOf(bad).problem, /^Step 1 needs/, bad);
  }
  const many = (/** @type {number} */ count) => stepsOf(Array(count).fill(`${view}\nOne.`).join('\n\n'));
  assert.equal(many(7).problem, '');
  assert.equal(many(8).problem, 'A trail has at most 7 steps; this list has 8.');
});

test('what a step asks: the model’s word, the teacher’s question, the likeliest of the teacher’s words', () => {
  const now = { words: ['creek', 'dog', 'ball', 'rug', 'wall'], share: 0.8, word: 'it', isNext: false };
  const choices = ['ball', 'creek', 'dog', 'rug'];
  assert.deepEqual(questionOf(null, now), { text: 'What will the model say at', at: 'it', choices, right: 'creek' });
  assert.equal(questionOf(null, { ...now, isNext: true })?.text, 'What will the model say after');
  assert.equal(questionOf(null, null), null);
  const answers = ['wall', 'dog', 'cat'];
  const asked = (/** @type {number | null} */ right, /** @type {typeof now | null} */ of) =>
    questionOf({ question: 'Which?', answers, right }, of);
  assert.deepEqual(asked(null, now), { text: 'Which?', at: '', choices: answers, right: 'dog' });
  assert.equal(asked(null, null)?.right, null);
  assert.equal(asked(null, { ...now, words: ['rug'] })?.right, null);
  assert.equal(asked(2, now)?.right, 'cat');
  assert.equal(asked(0, null)?.right, 'wall');
});
