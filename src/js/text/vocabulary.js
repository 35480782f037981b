import { WORD, charactersOf } from './cuts.js';
import { GlassformerError } from '../errors.js';
import { BaseTokenizer, elementsOf, joined, readNames, spaced } from './texts.js';

/** @typedef {import('./texts.js').UnknownWord} UnknownWord */

/** The functions that cut a text and put it together again. */
const LEVELS = { words: { cutter: () => WORD, joiner: spaced }, characters: { cutter: charactersOf, joiner: joined } };

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
 * new Vocabulary(['T', 'h', 'e', ' '], { level: 'characters' }).encode('The').ids; // → [0, 1, 2]
 */
export class Vocabulary extends BaseTokenizer {
  /**
   * @param {readonly string[]} words each once
   * @param {{level?: 'words' | 'characters'}} [options] level: where texts are cut, default 'words'; 'characters': at
   *   every character, which are put together without spaces
   * @throws {GlassformerError} type, unknown; range for words that do not differ or another level
   */
  constructor(words, options = {}) {
    const { level = 'words' } = readNames(options, ['level']);
    if (!Object.hasOwn(LEVELS, level)) {
      const code = typeof level === 'string' ? 'range' : 'type';
      throw new GlassformerError(code, 'level', level, "must be 'words' or 'characters'");
    }
    const { cutter, joiner } = LEVELS[/** @type {keyof typeof LEVELS} */ (level)];
    const list = Object.freeze(elementsOf(words, 'words', 'string'));
    const ids = new Map(list.map((word, id) => [word, id]));
    if (ids.size < list.length) {
      const twice = list.find((word, id) => ids.get(word) !== id);
      throw new GlassformerError('range', 'words', twice, 'must differ');
    }
    const unknown = ids.get('[UNK]');
    const pattern = cutter(list);
    super({
      tokens: list,
      ids,
      unknown,
      joiner,
      form: (id) => list[id],
      row(text, { pair = '' }) {
        const first = text.match(pattern) ?? [];
        const written = [...first, ...(pair.match(pattern) ?? [])];
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
    /** @type {'words' | 'characters'} */
    this.level = level;
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
   * The words, for JSON; of characters with the level.
   * @returns {readonly string[] | {level: 'characters', words: readonly string[]}}
   * @example
   * JSON.stringify(vocabulary); // → '["[PAD]","the","creek","."]'
   */
  toJSON() {
    const { level, words } = this;
    return level === 'words' ? words : { level, words };
  }
}
