// Notes on the text, in the line below its box, so that nothing above moves.

import { MAX_CHARACTERS, MAX_TOKENS } from '../../engine/tokens.js';
import { shortened, visible } from '../../kit/letters.js';
import { entryOf } from '../../models/catalogue.js';

const MOST_LISTED = 6;
const LONGEST_WORD = 24;

const list = new Intl.ListFormat('en');

/**
 * @param {object} now
 * @param {import('../../engine/plan.js').Plan} now.plan
 * @param {import('../../models/catalogue.js').ModelName} now.model
 * @param {number} now.vocabulary size of the trained model's; 0: any word is read
 * @param {string | null} now.typed the word that is being typed, of which nothing is said yet
 * @param {number} now.pasted characters of which only the first were kept; 0: all were
 * @returns {string}
 */
export function notesOf({ plan: { tokens, ids, targetIds }, model, vocabulary, typed, pasted }) {
  const { read, longest = Infinity } = entryOf(model) ?? {};
  const lines = [];
  const unknown = vocabulary ? unknownWords(tokens.encoder ?? tokens.decoder).filter((word) => word !== typed) : [];
  if (pasted) {
    const [kept, all] = [MAX_CHARACTERS, pasted].map((count) => count.toLocaleString('en'));
    lines.push(`The first ${kept} of ${all} characters are kept; the rest is left out.`);
  }
  if (unknown.length) {
    const are = unknown.length === 1 ? 'is' : 'are';
    const size = vocabulary.toLocaleString('en');
    lines.push(`${listed(unknown)} ${are} not in this model’s vocabulary (${size} tokens) and left out.`);
  }
  const { note } = tokens.encoder ?? tokens.decoder ?? {};
  if (note) lines.push(note);
  else if (typed === null && !unknown.length && (!ids.length || targetIds?.length === 0))
    lines.push('Type a sentence: there is no text yet.');
  if (tokens.encoder?.truncated || tokens.decoder?.truncated)
    lines.push(`Only the first ${read ? ids.length : MAX_TOKENS} tokens are used; the rest of the text is left out.`);
  if (ids.length > longest)
    lines.push(`Longer than any training text of this model (${longest} tokens): its predictions may be unreliable.`);
  return lines.join(' ');
}

/** Each once. @param {import('../../engine/plan.js').Tokens | null} tokens */
export function unknownWords(tokens) {
  const { words, ids } = tokens?.shown ?? { words: [], ids: [] };
  return [...new Set(words.filter((_, i) => ids[i] === null))];
}

/**
 * Why another model reads the text.
 * @param {string} model that the reader came from @param {string[]} unknown to it
 */
export const movedNote = (model, unknown) =>
  unknown.length
    ? `${model} does not know ${listed(unknown, 2)}: Austen, a model of real English, reads your sentence.`
    : `${model} knows all of these words.`;

/** @param {string[]} words @param {number} [most] */
function listed(words, most = MOST_LISTED) {
  const named = words.slice(0, most).map((word) => `“${shortened(visible(word), LONGEST_WORD)}”`);
  const more = words.length - named.length;
  return list.format(more ? [...named, `${more} more`] : named);
}

/**
 * The word that the caret stands at the end of, if nothing of it is behind the caret.
 * @param {string} text
 * @param {number} caret
 * @returns {string | null}
 */
export function wordAtCaret(text, caret) {
  const before = text.slice(Math.max(0, caret - 2 * LONGEST_WORD), caret);
  const [word = null] = /\[[A-Z]*$|[\p{L}\p{N}][\p{L}\p{M}\p{N}'’]*$/u.exec(before) ?? [];
  return /^[\p{L}\p{M}\p{N}]/u.test(text.slice(caret)) ? null : word;
}

/** The word that the caret touches, all of it: it may be being typed. @param {string} text @param {number} caret */
export const wordAround = (text, caret) =>
  wordAtCaret(text, caret + (/^[\p{L}\p{M}\p{N}'’]*/u.exec(text.slice(caret))?.[0].length ?? 0));
