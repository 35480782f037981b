// The menus of translate: the words and rules of its grammar, nothing beyond.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  ADJECTIVES as TASK_ADJECTIVES,
  NOUNS as TASK_NOUNS,
  VERBS as TASK_VERBS,
} from '../../../src/tasks/translate-lexicon.js';
import { translate } from '../../../src/tasks/translate.js';
import { FIELDS } from '../../../web/app/schema.js';
import { ADJECTIVES, NOUNS, PATTERNS, VERBS, compose } from '../../../web/models/sentences.js';

test('the words are those of the task', () => {
  assert.deepEqual(
    Object.entries(NOUNS).flatMap(([kind, list]) => list.map(([singular, plural]) => ({ kind, singular, plural }))),
    TASK_NOUNS.map(({ kind, en }) => ({ kind, ...en })),
  );
  assert.deepEqual(
    ADJECTIVES,
    TASK_ADJECTIVES.map(({ en, kinds }) => [en, kinds]),
  );
  assert.deepEqual(
    VERBS,
    TASK_VERBS.map(({ base, past, kinds }) => [base.join(' '), past.join(' '), kinds]),
  );
});

test('the first sentence is the one that was never trained on', () => {
  assert.equal(compose({ pattern: 'crossing', choices: {} }).text, translate.sentences[0].source);
});

test('every choice of every menu keeps to the vocabulary and fits', () => {
  for (const pattern of Object.keys(PATTERNS)) {
    let count = 0;
    const state = { pattern, choices: {} };
    for (const part of compose(state).parts) {
      if (typeof part === 'string') continue;
      for (const value of part.options) {
        const { text, parts } = compose({ pattern, choices: { ...state.choices, [part.name]: value } });
        const { unknown } = translate.vocabulary.encode(text);
        assert.deepEqual(unknown, [], text);
        assert(text.split(' ').length <= 15, text);
        assert(parts.every((each) => typeof each === 'string' || each.options.includes(each.value)));
        count++;
      }
    }
    assert(count > 20, pattern);
  }
});

test('the grammar makes sentences of these forms', () => {
  const pool = new Set(translate.pool(0).map(({ source }) => source.join(' ')));
  const forms = { way: ['wanted to', 'did not', '(past)'], state: ['cold', 'deep', 'wide', 'black'] };
  let found = 0;
  for (const agent of ['dog', 'cows', 'king'])
    for (const thing of ['creek', 'walls', 'road'])
      for (const way of forms.way)
        for (const state of forms.state) {
          const base = { agent, thing, way, state, verb: 'see', 'agent-adjective': '(no adjective)', reason: 'tired' };
          for (const pattern of ['action', 'state', 'crossing'])
            found += Number(pool.has(compose({ pattern, choices: base }).text));
        }
  assert(found > 5, `${found} of the composed sentences are in the training pool`);
});

test('a link may name each pattern, and no other', () => {
  const codec = FIELDS.find(({ address }) => address === 'menu')?.codec;
  const names = [...Object.keys(PATTERNS), 'other'];
  assert.deepEqual(
    names.map((name) => codec?.read(name)),
    [...Object.keys(PATTERNS), undefined],
  );
});
