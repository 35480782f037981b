import { GlassformerError } from './errors.js';

/**
 * The elements of a list, each read once. Without the readers of tensors, which a worker's client does without.
 * @template {'string' | 'number'} K
 * @param {unknown} value
 * @param {string} name
 * @param {K} kind of each
 * @returns {(K extends 'string' ? string : number)[]}
 */
function elementsOf(value, name, kind) {
  const refuse = (/** @type {unknown} */ bad, /** @type {string} */ place) => {
    throw new GlassformerError(
      'type',
      name,
      bad,
      place + (place ? `must be a ${kind}` : `must be an array of ${kind}s`),
    );
  };
  let isList = false;
  try {
    isList = Array.isArray(value) || ArrayBuffer.isView(value);
  } catch {
    // A proxy that was revoked.
  }
  if (!isList) refuse(value, '');
  const list = /** @type {ArrayLike<any>} */ (value);
  const elements = [];
  for (let i = 0; i < list.length; i++) {
    const element = list[i];
    if (typeof element !== kind) refuse(element ?? null, `${name}[${i}] `);
    elements.push(element);
  }
  return elements;
}

/**
 * A word that the vocabulary lacks.
 * @typedef {object} UnknownWord
 * @property {string} word as it was written
 * @property {number} at its place in the text, in words from 0
 */

/**
 * Words and their ids: a word's id is its place in the list.
 * @example
 * import { Vocabulary } from 'glassformer';
 * const vocabulary = new Vocabulary(['[PAD]', 'the', 'creek', '.']);
 * vocabulary.encode('The creek.'); // → [1, 2, 3]
 */
export class Vocabulary {
  #ids;

  /** @param {readonly string[]} words each once */
  constructor(words) {
    /** @type {readonly string[]} */
    this.words = Object.freeze(elementsOf(words, 'words', 'string'));
    this.#ids = new Map(this.words.map((word, id) => [word, id]));
    if (this.#ids.size < this.size) {
      const twice = this.words.find((word, id) => this.#ids.get(word) !== id);
      throw new GlassformerError('range', 'words', twice, 'must differ');
    }
  }

  /**
   * @example
   * vocabulary.size; // → 4
   */
  get size() {
    return this.words.length;
  }

  /**
   * @param {string} word
   * @returns {boolean}
   * @example
   * vocabulary.has('creek'); // → true
   */
  has(word) {
    return this.#ids.has(word);
  }

  /**
   * @param {string} word
   * @returns {number}
   * @throws {GlassformerError} unknown
   * @example
   * vocabulary.id('creek'); // → 2
   * vocabulary.id('river'); // throws unknown
   */
  id(word) {
    const id = this.#ids.get(word);
    if (id === undefined) throw new GlassformerError('unknown', 'word', word, 'is not in the vocabulary');
    return id;
  }

  /**
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
   * @param {number} id
   * @returns {string}
   * @throws {GlassformerError} range
   * @example
   * vocabulary.word(2); // → 'creek'
   */
  word(id) {
    if (typeof id === 'number' && id in this.words) return this.words[id];
    throw new GlassformerError('range', 'id', id, `must be an integer from 0 to ${this.size - 1}`);
  }

  /**
   * What a person typed. Text is cut at spaces and before punctuation; a capital letter that the
   * vocabulary does not know is read as a small one.
   * @param {string | readonly string[]} text
   * @returns {Int32Array & {readonly unknown: UnknownWord[], readonly ids: Int32Array}} the ids, as `forward` and
   *   `generate` take them; an unknown word has id -1 and is listed with its place; `ids`: the array itself
   * @example
   * vocabulary.encode('The river.'); // → [1, -1, 3]
   * vocabulary.encode('The river.').unknown; // → [{ word: 'river', at: 1 }]
   */
  encode(text) {
    const words =
      typeof text === 'string'
        ? (text.match(/\[[^\s[\]]+\]|[^\s.,!?;:]+|[.,!?;:]/g) ?? [])
        : elementsOf(text, 'text', 'string');
    /** @type {UnknownWord[]} */
    const unknown = [];
    const ids = Int32Array.from(words, (word, at) => {
      const id = this.#ids.get(word) ?? this.#ids.get(word.toLowerCase());
      if (id === undefined) unknown.push({ word, at });
      return id ?? -1;
    });
    return Object.defineProperties(/** @type {any} */ (ids), { ids: { value: ids }, unknown: { value: unknown } });
  }

  /**
   * @param {ArrayLike<number>} ids
   * @returns {string} words with spaces between
   * @throws {GlassformerError} range
   * @example
   * vocabulary.decode([1, 2, 3]); // → 'the creek .'
   */
  decode(ids) {
    return elementsOf(ids, 'ids', 'number')
      .map((id) => this.word(id))
      .join(' ');
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
