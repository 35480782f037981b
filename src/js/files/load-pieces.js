// The tokenizers of a Marian, from its three files. Fetched when such a folder is opened.
import { GlassformerError, beginning } from '../errors.js';
import { parseJson } from '../formats/json.js';
import { readSpm } from '../formats/spm.js';
import { isObject } from '../arrays/tensor.js';
import { MarianTokenizer } from '../text/marian-tokenizer.js';

/** Names of the files in a folder, by those of the arguments. */
const PIECES = /** @type {const} */ ({ sourceSpm: 'source.spm', targetSpm: 'target.spm', vocab: 'vocab.json' });
const CONFIG = 'tokenizer_config.json';
/** More ids than any table of an embedding has rows. */
const MOST_IDS = 2 ** 20;
const SPECIALS = { eos: '</s>', unk: '<unk>', pad: '<pad>' };

/** @typedef {Record<string, Uint8Array>} Files by their names */

/**
 * @param {Files} files
 * @returns {{tokenizer: MarianTokenizer, targetTokenizer: MarianTokenizer}}
 * @throws {GlassformerError} format, unsupported, by the name of the file
 */
export function tokenizersOf(files) {
  const said = files[CONFIG] ? jsonIn(files[CONFIG], CONFIG) : {};
  if (said.separate_vocabs) {
    const why = 'a vocabulary of the target beside that of the source is not read here';
    throw new GlassformerError('unsupported', `${CONFIG}: separate_vocabs`, said.separate_vocabs, why);
  }
  const ids = idsIn(files[PIECES.vocab]);
  const specials = { ...SPECIALS };
  for (const name of /** @type {const} */ (['eos', 'unk', 'pad'])) {
    const { [`${name}_token`]: given = specials[name] } = said;
    const token = typeof given === 'string' ? given : Object(given).content;
    if (!ids.has(token)) throw wrong(PIECES.vocab, token, 'lacks this token, as which it must have an id');
    specials[name] = token;
  }
  const of = (/** @type {'source.spm' | 'target.spm'} */ name) =>
    new MarianTokenizer(files, { model: readSpm(files[name], name), ids, specials });
  return { tokenizer: of(PIECES.sourceSpm), targetTokenizer: of(PIECES.targetSpm) };
}

/** @param {string} name @param {unknown} value @param {string} why */
const wrong = (name, value, why) => new GlassformerError('format', name, value, why);

/** @param {Uint8Array} bytes @param {string} name @returns {Record<string, any>} */
function jsonIn(bytes, name) {
  let json;
  try {
    json = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw wrong(name, undefined, `is no JSON: ${/** @type {Error} */ (error).message}`);
  }
  return isObject(json) ? json : wrongKind(name, json);
}

/** @param {string} name @param {unknown} json @returns {never} */
function wrongKind(name, json) {
  throw wrong(name, json, 'must be an object of JSON');
}

/** @param {Uint8Array} bytes @returns {Map<string, number>} */
function idsIn(bytes) {
  const name = PIECES.vocab;
  const ids = new Map(Object.entries(jsonIn(bytes, name)));
  const tokens = new Map();
  for (const [token, id] of ids) {
    const at = `${name}: ${JSON.stringify(beginning(token, 60))}`;
    if (!Number.isInteger(id) || id < 0 || id >= MOST_IDS) {
      throw wrong(at, id, `must have an integer from 0 to ${MOST_IDS - 1}`);
    }
    if (tokens.has(id)) throw wrong(at, id, `has the id of ${JSON.stringify(beginning(tokens.get(id), 60))}`);
    tokens.set(id, token);
  }
  return ids;
}

/** The files in a file by `model.save`. @param {any} json of `toJSON` @returns {Files} */
export function filesOfJson({ files }) {
  return Object.fromEntries(Object.entries(Object(files)).map(([name, text]) => [name, fromBase64(text, name)]));
}

/** @param {unknown} text @param {string} name */
function fromBase64(text, name) {
  try {
    return Uint8Array.from(atob(String(text)), (letter) => letter.charCodeAt(0));
  } catch (error) {
    throw wrong(name, undefined, `is no base64: ${/** @type {Error} */ (error).message}`);
  }
}
