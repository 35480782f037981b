// A teacher's trail as a word of a link, and as a list that is read step by step.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { questionOf, readTrail, stepsOf, writeTrail } from '../../../web/kit/trail.js';

/** @typedef {import('../../../web/kit/trail.js').Step} Step */

const DEEP = 'The dog did not jump over the creek because it was deep.';
const OFF = [{ what: 'head', kind: 'encoder', layer: 2, head: 1, to: 0 }];

/**
 * @param {string} sentence @param {Record<string, string>} parts @param {Step['question']} [question]
 * @returns {Step}
 */
const step = (sentence, parts, question = null) => ({
  sentence,
  link: String(new URLSearchParams({ model: 'creek', ...parts })),
  question,
});

/** Five steps as a teacher records them. */
const TYPICAL = [
  step('The model reads a sentence, and says what “it” stands for.', { head: '3.2', row: '12', key: '1' }),
  step(
    'One head of the last layer attends from “it” to the creek.',
    { head: '3.2', row: '12', key: '1', quantity: 'scaled' },
    { question: 'Is the score of the creek the highest?', answers: ['yes', 'no'], right: 0 },
  ),
  step('Without that head the answer changes.', { head: '3.2', row: '12', key: '1', changes: JSON.stringify(OFF) }),
  step('One word decides what “it” is.', { text: DEEP, head: '3.2', row: '9', key: '7' }),
  step('And tired is what a dog is.', { text: DEEP.replace('deep', 'tired'), head: '3.2', row: '9', key: '1' }),
];

test('a trail is a word of a link and comes back; a cut, changed or hostile one says so', async (t) => {
  const word = await writeTrail(TYPICAL);
  t.diagnostic(`a trail of five typical steps has ${word.length} characters`);
  assert.match(word, /^[\w-]+$/);
  assert.deepEqual(await readTrail(word), TYPICAL);
  for (let at = 0; at < word.length; at++) {
    const other = word[at] === 'A' ? 'B' : 'A';
    // The last letter may hold nothing but bits that do not count.
    const read = await readTrail(word.slice(0, at) + other + word.slice(at + 1)).catch((error) => error.message);
    if (at < word.length - 1) assert.match(String(read), /damaged/, `letter ${at}`);
    await assert.rejects(readTrail(word.slice(0, at)), /damaged/);
  }
  /** @param {unknown} rows */
  const packed = (rows) => deflateSync(JSON.stringify(rows)).toString('base64url');
  const row = ['A sentence', { model: 'creek' }];
  assert.equal((await readTrail(packed([row, row, row]))).length, 3);
  await assert.rejects(readTrail(packed([row, row])), /has 2 steps; a trail has 3 to 7/);
  await assert.rejects(readTrail(packed(Array(8).fill(row))), /has 8 steps/);
  for (const bad of [
    ...['text', 7, null, {}, [], ['A sentence'], ['', {}], ['A sentence', null], ['A sentence', { row: 1 }]],
    ...[
      ['x'.repeat(201), {}],
      [...row, 'Which?', ['one'], 0],
      [...row, 'Which?', ['one', 'one'], 0],
    ],
    ...[
      [...row, 'Which?', ['one', 'two'], 2],
      [...row, 'Which?', ['one', 2], 0],
      [...row, '', ['one', 'two'], 0],
    ],
    ...[
      [...row, 'Which?', ['1', '2', '3', '4', '5'], 0],
      [...row, 'Which?', ['one', 'x'.repeat(61)], -1],
    ],
  ])
    await assert.rejects(readTrail(packed([row, row, bad])), /damaged/, JSON.stringify(bad));
  await assert.rejects(readTrail(packed([row, row, row, ' '.repeat(3e6)])), /damaged/, 'it would unfold to 3 MB');
  const nested = await readTrail(packed([row, row, ['x', { model: 'creek', trail: word, embed: '1', book: '3' }]]));
  assert.equal(nested[2].link, 'model=creek');
});

test('a list is read step by step; what is wrong with it is said', () => {
  const view = '#/explore?model=creek&head=3.2';
  const list = `https://you.example/page/${view}&embed=1\nOne head.\n\n${view}\nA question.\nIs it?\nyes, no\n`;
  const link = 'model=creek&head=3.2';
  assert.deepEqual(stepsOf(list), {
    steps: [
      { sentence: 'One head.', link, question: null },
      { sentence: 'A question.', link, question: { question: 'Is it?', answers: ['no', 'yes'], right: 1 } },
    ],
    problem: '',
  });
  assert.deepEqual(stepsOf(' \n\n'), { steps: [], problem: '' });
  for (const bad of [
    'A sentence.',
    view,
    `${view}\nOne\nWhich?`,
    `${view}\nOne\nWhich?\nyes`,
    `${view}\n${'x'.repeat(201)}`,
  ])
    assert.match(stepsOf(`${list}\n${bad}`).problem, /^Step 3 needs a link/, bad);
  for (const bad of [
    `${view}\nOne\nWhich?\nyes, yes`,
    `${view}\nOne\nWhich?\na, b\nmore`,
    '#/explore?model=train%3Fx\nOne',
  ])
    assert.match(stepsOf(bad).problem, /^Step 1 needs/, bad);
  const many = stepsOf(Array(8).fill(`${view}\nOne.`).join('\n\n'));
  assert.equal(many.problem, 'A trail has at most 7 steps; this list has 8.');
});

test('what a step asks: the model’s word, the teacher’s question, the likeliest of the teacher’s words', () => {
  const now = { words: ['creek', 'dog', 'ball', 'rug', 'wall'], share: 0.8, word: 'it', isNext: false };
  const own = questionOf(null, now);
  assert.deepEqual([own?.at, own?.choices, own?.right], ['it', ['ball', 'creek', 'dog', 'rug'], 'creek']);
  assert.equal(own?.text, 'What will the model say at');
  assert.equal(questionOf(null, { ...now, isNext: true })?.text, 'What will the model say after');
  assert.equal(questionOf(null, null), null);
  const question = { question: 'Which?', answers: ['wall', 'dog', 'cat'], right: null };
  assert.equal(questionOf(question, now)?.right, 'dog');
  assert.equal(questionOf(question, null)?.right, null);
  assert.equal(questionOf({ ...question, right: 2 }, now)?.right, 'cat');
});
