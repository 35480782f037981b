import { isText } from '../arrays/arrays.js';
import { beginning } from '../errors.js';

/** serde_json refuses deeper nesting. */
const DEEPEST = 127;
/** Gemma 3's tokenizer.json, among the largest, has 1.9 million values. */
const MOST_IN_FILE = 2 ** 22;
/** Of a header: each tensor has 7 or more, and the largest files hold some 10,000 tensors. */
const MOST_IN_HEADER = 2 ** 20;

/**
 * JSON.parse for the files of strangers. JSON.parse alone takes fifty times the memory of a text of brackets, so this
 * first counts the values.
 * @param {string} text
 * @param {number} [most] values that it may have
 * @returns {any}
 * @throws {Error}
 */
export function parseJson(text, most = MOST_IN_FILE) {
  let depth = 0;
  let values = 1;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) isQuoted = !isQuoted;
    else if (isQuoted) i += Number(code === 92);
    else if (code === 44) values++;
    else if ((code & ~32) > 90) {
      // [ and { are 91 but for the bit of lower case, ] and } 93; all else beyond 90 is no JSON.
      const step = 92 - (code & ~32);
      if ((depth += step) > DEEPEST) throw Error('nested too deep');
      values += Number(step === 1);
    }
    if (values > most) throw Error(`more than ${most} values`);
  }
  return JSON.parse(text);
}

/**
 * JSON as strictly as serde_json has it. JSON.parse alone drops the first of two equal keys, and takes halves of
 * surrogate pairs, and 2.0 for 2. One pass over the text, which makes no value before it is counted.
 * @param {string} text
 * @returns {unknown} objects are Maps; a number that is not written in digits alone is `false`
 * @throws {Error} also for a key twice in an object
 */
export function readJson(text) {
  let at = 0;
  let values = 0;

  /** The next character that is no white space; NaN at the end. */
  function next() {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return code;
      at++;
    }
  }

  /** @param {number} code of the character that must come next */
  function expect(code) {
    if (next() !== code) throw Error(`lacks ${String.fromCharCode(code)} at character ${at}`);
    at++;
  }

  /** @param {number} depth how many brackets are open @returns {unknown} */
  function value(depth) {
    if (++values > MOST_IN_HEADER) throw Error(`more than ${MOST_IN_HEADER} values`);
    const code = next();
    if (code === 34) return string();
    if (code !== 91 && code !== 123) return literal();
    if (depth === DEEPEST) throw Error('nested too deep');
    return code === 91 ? list(depth + 1) : object(depth + 1);
  }

  function string() {
    const start = at;
    expect(34);
    // An escape of two characters and more: the first of them may be a quote.
    for (let code; (code = text.charCodeAt(at++)) !== 34;) {
      if (code === 92) at++;
      else if (!(code > 31)) throw Error(`a text does not end, or has a control character at ${at - 1}`);
    }
    // Not the slice itself, which would keep the whole header in memory.
    const said = JSON.parse(text.slice(start, at));
    if (!isText(said)) throw Error('half a surrogate pair');
    return said;
  }

  function literal() {
    const start = at;
    for (let code; (code = text.charCodeAt(at)) > 32 && code !== 44 && (code & ~32) !== 93;) at++;
    const piece = text.slice(start, at);
    const said = JSON.parse(piece);
    if (typeof said !== 'number') return said;
    if (!Number.isFinite(said)) throw Error(`${beginning(piece, 40)} is too large`);
    return !/\D/.test(piece) && said;
  }

  /** Reads items between brackets, separated by commas. @param {number} end @param {() => void} take */
  function each(end, take) {
    at++;
    if (next() !== end) {
      take();
      for (; next() !== end; take()) expect(44);
    }
    at++;
  }

  /** @param {number} depth */
  function list(depth) {
    /** @type {unknown[]} */
    const items = [];
    each(93, () => items.push(value(depth)));
    return items;
  }

  /** @param {number} depth */
  function object(depth) {
    const map = new Map();
    each(125, () => {
      next();
      const key = string();
      if (map.has(key)) throw Error(`${JSON.stringify(beginning(key, 60))} twice`);
      expect(58);
      map.set(key, value(depth));
    });
    return map;
  }

  const whole = value(0);
  if (!Number.isNaN(next())) throw Error(`goes on at character ${at}`);
  return whole;
}
