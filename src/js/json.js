/** In valid JSON: strings, brackets, colons and numbers. */
const PIECE = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]|[-\d][-+.\w]*/g;
/** Objects become lists of key, value, key, value ..., of which none gets lost. */
const AS_LISTS = new Map([
  ['{', '{"":['],
  ['}', ']}'],
  [':', ','],
]);
/** serde_json refuses what is nested deeper. */
const DEEPEST = 127;

/**
 * Whether a string is Unicode: surrogates stand in pairs. (isWellFormed is younger than SIMD.)
 * @param {unknown} value
 * @returns {value is string}
 */
export function isText(value) {
  return typeof value === 'string' && !/\p{Cs}/u.test(value);
}

/**
 * Refuses what JSON.parse would need fifty times the text's memory for: half a file of brackets. To be asked before it.
 * @param {string} text
 * @throws {Error}
 */
export function expectShallow(text) {
  let depth = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) isQuoted = !isQuoted;
    else if (isQuoted) i += Number(code === 92);
    // [ and { are 91 but for the bit of lower case, ] and } 93; what else is beyond 90 is no JSON.
    else if ((code & ~32) > 90 && (depth += 92 - (code & ~32)) > DEEPEST) throw Error('nested too deep');
  }
}

/**
 * JSON as strictly as serde_json has it, which JSON.parse alone is not: it drops the first of two equal keys, and
 * takes halves of surrogate pairs, and 2.0 for 2.
 * @param {string} text
 * @returns {unknown} objects are Maps; a number that is not written in digits alone is `false`
 * @throws {Error} also for a key twice in an object
 */
export function readJson(text) {
  expectShallow(text);
  JSON.parse(text);
  const lists = text.replace(PIECE, (piece) => {
    if (!/^[-\d]/.test(piece)) return AS_LISTS.get(piece) ?? piece;
    if (!Number.isFinite(Number(piece))) throw Error(`${piece.slice(0, 40)} is too large`);
    return /\D/.test(piece) ? 'false' : piece;
  });
  return JSON.parse(lists, (_, value) => {
    if (typeof value === 'string' && !isText(value)) throw Error('half a surrogate pair');
    const list = value?.[''];
    if (!list) return value;
    const map = new Map();
    for (let at = 0; at < list.length; at += 2) {
      if (map.has(list[at])) throw Error(`${JSON.stringify(list[at])} twice`);
      map.set(list[at], list[at + 1]);
    }
    return map;
  });
}
