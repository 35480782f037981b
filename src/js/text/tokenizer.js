import { GlassformerError, beginning } from '../errors.js';
import { BaseTokenizer } from './texts.js';
import { vocabularyOf } from './tokenizer-file.js';
import { addedTokensOf, splitterOf } from './added.js';
import { bytesOf } from './characters.js';
import { decoderOf } from './decoders.js';
import { mostOf, unread } from './settings.js';
import { modelOf } from './models.js';
import { normalizerOf } from './normalizers.js';
import { preTokenizerOf } from './pre-tokenizers.js';
import { processorOf } from './processors.js';

/** @typedef {import('./texts.js').Row} Row */

/**
 * Tells a tokenizer where its folder says how a chat is written.
 * @type {(tokenizer: Tokenizer, find: () => Promise<import('./chat.js').ChatFiles>) => void}
 */
export let lendChat;

/**
 * Texts to ids and back. Made by `loadTokenizer` and `loadModel`.
 * @example
 * import { loadTokenizer } from 'glassformer/tokenizers';
 * const model = { type: 'WordPiece', unk_token: '[UNK]', vocab: { '[UNK]': 0, dog: 1 } };
 * (await loadTokenizer({ model, pre_tokenizer: { type: 'BertPreTokenizer' } })).size; // → 2
 */
export class Tokenizer extends BaseTokenizer {
  #json;
  #specials;
  #isByteLevel;
  #space;
  #usesBytes;
  /** @type {(() => Promise<import('./chat.js').ChatFiles>) | undefined} */
  #chat;

  static {
    lendChat = (self, find) => void (self.#chat = find);
  }

  /** @internal @param {any} json */
  constructor(json) {
    const { specials, isByteLevel, space, usesBytes, ...ways } = waysOf(json);
    super(ways);
    this.#json = json;
    this.#specials = specials;
    this.#isByteLevel = isByteLevel;
    this.#space = space;
    this.#usesBytes = usesBytes;
  }

  /**
   * The tokenizer.json that it was made from, for JSON.
   * @returns {any}
   * @example
   * (await loadTokenizer(JSON.parse(JSON.stringify(tokenizer)))).size === tokenizer.size; // → true
   */
  toJSON() {
    return this.#json;
  }

  /**
   * A chat as the model was trained to read it: by the Jinja template of its folder (chat_template.jinja, or
   * tokenizer_config.json), which is read at the first call.
   * @param {readonly import('./chat.js').Message[]} messages in their order
   * @param {import('./chat.js').ChatOptions} options jinja: the class `Template` of `@huggingface/jinja`
   * @returns {Promise<import('./texts.js').Encoding>} ids for `generate`
   * @throws {GlassformerError} type; missing without a class or a template; format for a template that cannot be read,
   *   or that refuses these messages; as `encode`
   * @example
   * const jinja = class {
   *   render = ({ messages }) => messages.map(({ content }) => content).join(' ');
   * };
   * const ids = await tokenizer.chat([{ role: 'user', content: 'jumping dog' }], { jinja, template: '' });
   * ids.tokens; // → ['jump', '##ing', 'dog']
   */
  async chat(messages, options) {
    return (await import('./chat.js')).chat(this, this.#chat, messages, options);
  }

  /**
   * A token for people: byte-level letters and bytes, as "<0x41>", as what they stand for, a space (in files of Llama 2
   * and Mistral ▁) as ␣, a line end as ↵, a part of a character as its bytes, as "<D7>". Special tokens stay as they
   * are. A character that several tokens share comes out of a `decoder()`.
   * @param {number} id
   * @returns {string}
   * @throws {GlassformerError} token for an id that the vocabulary lacks
   * @example
   * tokenizer.label(1); // → 'jump'
   */
  label(id) {
    let token = this.token(id);
    if (this.#specials.has(id)) return visible(token);
    if (this.#space) token = token.replaceAll(this.#space, ' ');
    const byte = this.#usesBytes && /^<0x([\dA-F]{2})>$/.exec(token)?.[1];
    const bytes = byte ? [parseInt(byte, 16)] : this.#isByteLevel ? bytesOf(token) : undefined;
    if (!bytes) return visible(token);
    try {
      return visible(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes)));
    } catch {
      const part = (/** @type {number} */ byte) =>
        byte < 128 ? visible(String.fromCharCode(byte)) : `<${byte.toString(16).toUpperCase()}>`;
      return bytes.map(part).join('');
    }
  }
}

/**
 * Makes the functions for texts and ids from a file.
 * @param {any} json
 */
function waysOf(json) {
  const { tokens, vocab, model, added } = vocabularyOf(json);
  const ids = new Map();
  // Not map: there may be ids that no token has.
  tokens.forEach((token, id) => ids.set(token, id));
  try {
    const normalizer = normalizerOf(json.normalizer);
    const { cut, needsFirst } = preTokenizerOf(json.pre_tokenizer);
    const joiner = decoderOf(json.decoder, mostOf);
    const process = processorOf(json.post_processor);
    const pieces = modelOf(model, vocab);
    const own = addedTokensOf(added, vocab, normalizer);
    // Which letter came first in the text is not known behind them.
    if (needsFirst && normalizer && (normalizer.isMoved || own.some(({ normalized }) => normalized))) {
      unread('first', 'prepend_scheme of a Metaspace behind a normalizer that may move what comes first');
    }
    const split = splitterOf(own, normalizer);
    const forms = new Map(own.map(({ id, form }) => [id, form]));
    const specials = own.filter(({ special }) => special);
    const left = new Set(specials.map(({ content }) => content));

    /** @param {string} text without special tokens around */
    const idsOf = (text) => {
      /** @type {number[]} */
      const found = [];
      // Half a pair is no character.
      const whole = text.replace(/\p{Surrogate}/gu, '\ufffd');
      const most = mostOf(whole.length);
      for (const { text: piece, id, isFirst } of split(whole, most)) {
        if (id >= 0) found.push(id);
        else for (const word of cut(piece, isFirst, most)) pieces(word, found);
      }
      return found;
    };

    return {
      tokens,
      ids,
      unknown: /** @type {number | undefined} */ (ids.get(model.unk_token) ?? model.unk_id ?? undefined),
      specials: new Set(specials.map(({ id }) => id)),
      isByteLevel: /"ByteLevel"/.test(JSON.stringify([json.decoder, json.pre_tokenizer])),
      usesBytes: Boolean(model.byte_fallback),
      // The sign for a space: the replacement of a Metaspace, or of the decoder's first step.
      space: /"(?:replacement|String)":"(▁)"/.exec(JSON.stringify(json.decoder ?? null))?.[1] ?? '',
      /** @param {number} id @param {boolean} special */
      form(id, special) {
        const form = forms.get(id) ?? tokens[id];
        return special || !left.has(form) ? form : undefined;
      },
      joiner() {
        const { push, end, peek } = joiner();
        const tried = (/** @type {string[]} */ some) => attempt(() => push(some));
        return { push: tried, end: () => attempt(end), peek: () => attempt(peek) };
      },
      /** @param {string} text @param {{pair?: string, special: boolean}} options */
      row(text, { pair, special }) {
        const texts = pair === undefined ? [text] : [text, pair];
        const parts = texts.map((each, type) => ({ ids: attempt(() => idsOf(each)), type, added: false }));
        /** @type {Row} */
        const row = { ids: [], typeIds: [], tokens: [], closing: 0 };
        for (const { ids: some, type, added: isAdded } of process(parts, special)) {
          row.closing = isAdded ? row.closing + some.length : some.length ? 0 : row.closing;
          for (const id of some) {
            const token = tokens[id];
            if (token === undefined) {
              throw new GlassformerError('token', 'text', id, 'the vocabulary has no token for it');
            }
            row.ids.push(id);
            row.tokens.push(token);
            row.typeIds.push(type);
          }
        }
        return row;
      },
    };
  } catch (error) {
    if (!(error instanceof GlassformerError) || error.parameter === 'tokenizer') throw unusable(error);
    throw new GlassformerError('limit', 'tokenizer', undefined, 'its steps make too long a text of an added token');
  }
}

/** The error for a file with unusable contents. @param {unknown} error */
export function unusable(error) {
  if (error instanceof GlassformerError) return error;
  const why = `is no tokenizer.json that can be used: ${beginning(String(error), 120)}`;
  return new GlassformerError('format', 'tokenizer', undefined, why);
}

/**
 * Catches errors of JavaScript itself: a pattern that needs too deep a stack, a text beyond the longest string.
 * @template T
 * @param {() => T} ask
 * @returns {T}
 */
function attempt(ask) {
  try {
    return ask();
  } catch (error) {
    throw unusable(error);
  }
}

/** Visible signs for characters that print nothing. @type {Record<string, string>} */
const MARKS = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '⏎', '\u00a0': '⍽' };

/** @param {string} text */
const visible = (text) => text.replace(/[ \n\t\r\u00a0]/g, (space) => MARKS[space]);
