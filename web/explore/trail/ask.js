// What a step of a trail asks, and what the model answers there.

import { answersAt } from '../shared/answers.js';
import { selectedIn } from '../shared/words.js';

/**
 * `words`: the likeliest, at or after `word`.
 * @typedef {{words: string[], share: number, word: string, isNext: boolean}} Answer
 *
 * `at`: the word that a question of the page's own asks about; `right`: null where the model does not decide it.
 * @typedef {{text: string, at: string, choices: string[], right: string | null}} Asked
 */

const CHOICES = 4;

/** What the model says here. @param {import('../index.js').Tools} tools @returns {Answer | null} */
export function answerOf(tools) {
  const result = tools.presentResult();
  const state = tools.get();
  const info = tools.modelInfo();
  const isHere = result && info && !state.follow && result.plan.model === info.name;
  const answers = isHere && answersAt(result, state, info);
  if (!answers) return null;
  const { list, word } = answers;
  const isNext = selectedIn(result, state).stack === 'decoder';
  return { words: list.map((each) => each.word), share: list[0].probability, word, isNext };
}

/** @param {import('../../shared/trail.js').Question | null} own @param {Answer | null} now @returns {Asked | null} */
export function questionOf(own, now) {
  if (own) {
    const { question: text, answers: choices, right } = own;
    const likeliest = now?.words.find((word) => choices.includes(word)) ?? null;
    return { text, at: '', choices, right: right === null ? likeliest : choices[right] };
  }
  if (!now) return null;
  const choices = now.words.slice(0, CHOICES).toSorted((one, two) => one.localeCompare(two));
  return { text: `What will the model say ${now.isNext ? 'after' : 'at'}`, at: now.word, choices, right: now.words[0] };
}
