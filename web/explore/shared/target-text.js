// A target as a text, and the name of its language.

import { sentenceOf } from '../../draw/sentence.js';
import { entryOf } from '../../models/catalogue.js';
import { visibleWords } from './words.js';

/** @typedef {import('../../models/catalogue.js').ModelName} ModelName */

/**
 * The text of a target by the model's tokenizer, or, where it has none or has yet to answer, from the words.
 * @param {ModelName} model @param {readonly number[]} ids @param {readonly string[]} vocabulary of the targets
 */
export function textOfTarget(model, ids, vocabulary) {
  const { decodeTarget, joint } = entryOf(model) ?? {};
  const words = visibleWords(ids.map((id) => vocabulary[id])).filter((word) => word !== '[EOS]');
  return decodeTarget?.(ids) || (joint === undefined ? sentenceOf(words) : words.join(joint));
}

/** "French translation", or where no language is known, "Output". @param {string | undefined} lang */
export const nameOfTarget = (lang) =>
  lang ? `${new Intl.DisplayNames('en', { type: 'language' }).of(lang)} translation` : 'Output';
