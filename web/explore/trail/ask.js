// What the reader is asked before a step is shown, and what the model says there.

import { answersAt } from '../shared/answers.js';
import { descending } from '../shared/order.js';
import { lookedAt } from '../shared/words.js';
import { PROBABILITIES } from '../../engine/plan.js';

/**
 * What the model says: `words` and `shares` of the likeliest, `word` and `isNext`: at or after which word;
 * `likeliest`: of these words the likeliest, null: it knows none.
 * @typedef {{
 *   words: string[], share: number, word: string, isNext: boolean, key: string,
 *   likeliest: (words: readonly string[]) => string | null,
 * }} Said
 *
 * `at`: the word of which the model is asked, in a question of the page's own.
 * @typedef {{
 *   key: string, text: string, at: string, choices: string[], rightOf: (said: Said | null) => string | null,
 * }} Asked
 */

const CHOICES = 4;

/**
 * @param {import('../index.js').Result} result
 * @param {import('../index.js').State} state
 * @param {import('../index.js').ModelInfo | undefined} modelInfo
 * @returns {Said | null} null where the model says no words
 */
export function said(result, state, modelInfo) {
  const answers = modelInfo && result.plan.model === modelInfo.name && answersAt(result, state, modelInfo);
  if (!answers) return null;
  const { row, stack } = lookedAt(result, state);
  const { outputVocabulary: vocabulary } = modelInfo;
  const { data } = /** @type {import('../../engine/protocol.js').Tensor} */ (result.derived.get(PROBABILITIES));
  return {
    words: answers.list.map(({ word }) => word),
    share: answers.list[0].probability,
    word: answers.word,
    isNext: stack === 'decoder',
    key: `${result.plan.key} ${row}`,
    likeliest(words) {
      const id = descending(data, vocabulary.length, row).find((each) => words.includes(vocabulary[each]));
      return id === undefined ? null : vocabulary[id];
    },
  };
}

/**
 * The question before a step; the same as long as it is asked of the same numbers.
 * @param {import('../../shared/trail.js').Question | null} own of the teacher's
 * @param {Said | null} now
 * @param {readonly string[]} before the likeliest words of the step before
 * @param {Asked | null} last
 * @returns {Asked | null} null: there is nothing to ask yet
 */
export function question(own, now, before, last) {
  if (own) {
    const { question: text, answers: choices, right } = own;
    const rightOf = (/** @type {Said | null} */ then) =>
      right === null ? (then?.likeliest(choices) ?? null) : choices[right];
    return { key: text, text, at: '', choices, rightOf };
  }
  if (!now) return null;
  if (last?.key === now.key) return last;
  const [first, ...others] = now.words;
  const words = [...new Set([first, ...before.slice(0, 1), ...others, ...before])].slice(0, CHOICES);
  return {
    key: now.key,
    text: now.isNext ? 'What will the model say after' : 'What will the model say at',
    at: now.word,
    choices: shuffled(words),
    rightOf: (then) => then?.words[0] ?? null,
  };
}

/** @param {string[]} words */
function shuffled(words) {
  const left = [...words];
  return words.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0]);
}
