import { piecesOf } from './sentence-pieces.js';
import { BaseTokenizer } from './texts.js';

/** @typedef {import('./texts.js').Row} Row */

const SPACE = '\u2581';
/**
 * Cuts the languages out of a text, as the pattern >>.+<< finds them in each line: from its first >> to its last <<.
 * @param {string} text
 * @returns {{code: string, rest: string}} code: in front of the text
 */
function withoutCodes(text) {
  let code = '';
  const lines = text.split('\n').map((line, at) => {
    const [start, last] = [line.indexOf('>>'), line.lastIndexOf('<<')];
    if (start < 0 || last < start + 3) return line;
    if (at === 0 && start === 0) code = line.slice(0, last + 2);
    return line.slice(0, start) + line.slice(last + 2);
  });
  return { code, rest: lines.join('\n') };
}

/** @param {Uint8Array} bytes */
const toBase64 = (bytes) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

/** Letters of a text that mean themselves in a pattern. @param {string} text */
const escaped = (text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Tokens to a text: their pieces, each row of them without the space in front.
 * @param {Set<string>} specials
 * @returns {import('./texts.js').Joiner}
 */
function joinerOf(specials) {
  let isFirst = true;
  let isEmpty = true;
  let spaces = '';
  return {
    push(tokens) {
      let text = spaces;
      for (const token of tokens) {
        const isSpecial = specials.has(token);
        const piece = isSpecial ? `${token} ` : token.replaceAll(SPACE, ' ');
        text += isFirst && !isSpecial ? piece.replace(/^ +/, '') : piece;
        isFirst = isSpecial || (isFirst && piece.trim() === '');
      }
      if (isEmpty) text = text.trimStart();
      const whole = text.trimEnd();
      isEmpty &&= whole === '';
      spaces = isEmpty ? '' : text.slice(whole.length);
      return whole;
    },
    end: () => '',
    peek: () => '',
  };
}

/**
 * The tokenizer of a Marian: pieces of a SentencePiece model, whose ids vocab.json says. `loadModel` makes one for the
 * source and one for the target, of the same ids. It has what a `Tokenizer` has.
 */
export class MarianTokenizer extends BaseTokenizer {
  #files;

  /**
   * @internal
   * @param {Record<string, Uint8Array>} files by their names
   * @param {{model: import('./sentence-pieces.js').SentencePieceModel, ids: Map<string, number>,
   *   specials: {eos: string, unk: string, pad: string}}} read
   */
  constructor(files, { model, ids, specials }) {
    /** @type {string[]} */
    const tokens = [];
    for (const [token, id] of ids) tokens[id] = token;
    const { eos, unk, pad } = specials;
    const all = new Set([eos, unk, pad]);
    const [end, unknown] = [eos, unk].map((token) => Number(ids.get(token)));
    const cut = piecesOf(model);
    // The longest first, as the library's trie finds them.
    const names = [...all].sort((a, b) => b.length - a.length);
    const between = new RegExp(`(${names.map(escaped).join('|')})`);

    /** @param {string} text */
    const idsOf = (text) =>
      text.split(between).flatMap((part) => {
        if (all.has(part)) return [Number(ids.get(part))];
        const { code, rest } = withoutCodes(part);
        const pieces = cut(rest);
        return (code ? [code, ...pieces] : pieces).map((piece) => ids.get(piece) ?? unknown);
      });

    super({
      tokens,
      ids,
      unknown,
      form: (id, special) => (special || !all.has(tokens[id]) ? tokens[id] : undefined),
      joiner: () => joinerOf(all),
      row(text, { pair, special }) {
        const found = [...idsOf(text), ...(pair === undefined ? [] : idsOf(pair)), ...(special ? [end] : [])];
        const typeIds = found.map(() => 0);
        return { ids: found, typeIds, tokens: found.map((id) => tokens[id]), closing: Number(special) };
      },
    });
    this.#files = files;
  }

  /** Its files, as the folder has them. */
  get files() {
    return this.#files;
  }

  /** Its files in base64, for JSON. */
  toJSON() {
    const files = Object.entries(this.#files).map(([name, bytes]) => [name, toBase64(bytes)]);
    return { type: 'marian', files: Object.fromEntries(files) };
  }

  /** A token for people: ▁ as ␣. @param {number} id */
  label(id) {
    return this.token(id).replaceAll(SPACE, '␣');
  }
}
