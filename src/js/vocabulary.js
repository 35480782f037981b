import { GlassformerError } from './errors.js';
import { BaseTokenizer, elementsOf, spaced } from './texts.js';

/** @typedef {import('./texts.js').UnknownWord} UnknownWord */

/** Text is cut at spaces and before punctuation. */
const WORD = /\[[^\s[\]]+\]|[^\s.,!?;:]+|[.,!?;:]/g;

/**
 * Words and their ids: a word's id is its place in the list. Text is cut at spaces and before punctuation; a capital
 * letter that the vocabulary does not know is read as a small one. A word that it lacks gets the id of [UNK], or -1
 * where there is no such word, and is listed as `unknown`.
 * @example
 * import { Vocabulary } from 'glassformer';
 * const vocabulary = new Vocabulary(['[PAD]', 'the', 'creek', '.']);
 * vocabulary.encode('The creek.').ids; // → [1, 2, 3]
 * vocabulary.encode('The river.').unknown; // → [{ word: 'river', at: 1 }]
 * vocabulary.decode([1, 2, 3]); // → 'the creek .'
 */
export class Vocabulary extends BaseTokenizer {
  /** @param {readonly string[]} words each once */
  constructor(words) {
    const list = Object.freeze(elementsOf(words, 'words', 'string'));
    const ids = new Map(list.map((word, id) => [word, id]));
    if (ids.size < list.length) {
      const twice = list.find((word, id) => ids.get(word) !== id);
      throw new GlassformerError('range', 'words', twice, 'must differ');
    }
    const unknown = ids.get('[UNK]');
    super({
      tokens: list,
      ids,
      unknown,
      joiner: spaced,
      form: (id) => list[id],
      row(text, { pair = '' }) {
        const first = text.match(WORD) ?? [];
        const written = [...first, ...(pair.match(WORD) ?? [])];
        const found = written.map((word) => ids.get(word) ?? ids.get(word.toLowerCase()));
        return {
          ids: found.map((id) => id ?? unknown ?? -1),
          typeIds: written.map((_, at) => Number(at >= first.length)),
          tokens: written.map((word, at) => list[found[at] ?? unknown ?? -1] ?? word),
          unknown: written.flatMap((word, at) => (found[at] === undefined ? [{ word, at }] : [])),
          closing: 0,
        };
      },
    });
    /** @type {readonly string[]} */
    this.words = list;
    Object.defineProperty(this, 'word', {
      get() {
        throw new GlassformerError('unknown', 'word', undefined, 'is now token');
      },
    });
  }

  /**
   * The ids of words that are cut already.
   * @param {readonly string[]} words
   * @returns {number[]}
   * @throws {GlassformerError} unknown
   * @example
   * vocabulary.ids(['the', 'creek']); // → [1, 2]
   */
  ids(words) {
    return elementsOf(words, 'words', 'string').map((word) => this.id(word));
  }

  /**
   * The words, for JSON.
   * @example
   * JSON.stringify(vocabulary); // → '["[PAD]","the","creek","."]'
   */
  toJSON() {
    return this.words;
  }
}
