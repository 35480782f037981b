// Sets of characters as the library in Rust knows them. It uses tables of several years, and some are older than the
// engine's: what became a mark or punctuation after Unicode 8 or 9 is listed here, as it is none there.

/** Not yet punctuation in Unicode 8. */
const NEWER_PUNCTUATION =
  '61d 9fd a76 c77 c84 1b4e-1b4f 1b7d-1b7f 2e43-2e4f 2e52-2e5d 10d6e 10ead 10ed0 10f55-10f59 10f86-10f89 ' +
  '113d4-113d5 113d7-113d8 1144b-1144f 1145a-1145b 1145d 11660-1166c 116b9 1183b 11944-11946 119e2 11a3f-11a46 ' +
  '11a9a-11a9c 11a9e-11aa2 11b00-11b09 11be1 11c41-11c45 11c70-11c71 11ef7-11ef8 11f43-11f4f 11fff 12ff1-12ff2 ' +
  '16d6d-16d6f 16e97-16e9a 16fe2 1e5ff 1e95e-1e95f';

/** Not yet nonspacing marks in Unicode 8. */
const NEWER_NONSPACING =
  '7fd 897-89f 8ca-8e1 9fe afa-aff b55 c04 c3c d00 d3b-d3c d81 eba ece 180f 1885-1886 1abf-1add 1ae0-1aeb ' +
  '1df6-1dfb a82c a8c5 a8ff a9bd 10d24-10d27 10d69-10d6d 10eab-10eac 10efa-10eff 10f46-10f50 10f82-10f85 11070 ' +
  '11073-11074 110c2 111c9 111cf 1123e 11241 1133b 113bb-113c0 113ce 113d0 113d2 113e1-113e2 11438-1143f ' +
  '11442-11444 11446 1145e 1182f-11837 11839-1183a 1193b-1193c 1193e 11943 119d4-119d7 119da-119db 119e0 ' +
  '11a01-11a0a 11a33-11a38 11a3b-11a3e 11a47 11a51-11a56 11a59-11a5b 11a8a-11a96 11a98-11a99 11b60 11b62-11b64 ' +
  '11b66 11c30-11c36 11c38-11c3d 11c3f 11c92-11ca7 11caa-11cb0 11cb2-11cb3 11cb5-11cb6 11d31-11d36 11d3a ' +
  '11d3c-11d3d 11d3f-11d45 11d47 11d90-11d91 11d95 11d97 11ef3-11ef4 11f00-11f01 11f36-11f3a 11f40 11f42 11f5a ' +
  '13440 13447-13455 1611e-16129 1612d-1612f 16f4f 16fe4 1cf00-1cf2d 1cf30-1cf46 1e000-1e006 1e008-1e018 ' +
  '1e01b-1e021 1e023-1e024 1e026-1e02a 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 ' +
  '1e6ee-1e6ef 1e6f5 1e944-1e94a';

/** Not yet marks in Unicode 9. */
const NEWER_MARKS =
  '7fd 897-89f 8ca-8d3 9fe afa-aff b55 c04 c3c cf3 d00 d3b-d3c d81 eba ece 1715 180f 1abf-1add 1ae0-1aeb 1cf7 ' +
  '1df6-1dfa a82c a8ff 10d24-10d27 10d69-10d6d 10eab-10eac 10efa-10eff 10f46-10f50 10f82-10f85 11070 ' +
  '11073-11074 110c2 11145-11146 111c9 111ce-111cf 11241 1133b 113b8-113c0 113c2 113c5 113c7-113ca 113cc-113d0 ' +
  '113d2 113e1-113e2 1145e 1182c-1183a 11930-11935 11937-11938 1193b-1193e 11940 11942-11943 119d1-119d7 ' +
  '119da-119e0 119e4 11a01-11a0a 11a33-11a39 11a3b-11a3e 11a47 11a51-11a5b 11a8a-11a99 11b60-11b67 11d31-11d36 ' +
  '11d3a 11d3c-11d3d 11d3f-11d45 11d47 11d8a-11d8e 11d90-11d91 11d93-11d97 11ef3-11ef6 11f00-11f01 11f03 ' +
  '11f34-11f3a 11f3e-11f42 11f5a 13440 13447-13455 1611e-1612f 16f4f 16f7f-16f87 16fe4 16ff0-16ff1 1cf00-1cf2d ' +
  '1cf30-1cf46 1e08f 1e130-1e136 1e2ae 1e2ec-1e2ef 1e4ec-1e4ef 1e5ee-1e5ef 1e6e3 1e6e6 1e6ee-1e6ef 1e6f5';

/** Of a set, for a pattern: ranges of code points. @param {string} ranges */
const setOf = (ranges) => ranges.replace(/[\da-f]+/g, '\\u{$&}').replaceAll(' ', '');

/** char::is_whitespace in Rust, and \s of both its libraries of patterns. */
export const SPACE = '\\p{White_Space}';
/** The class \w; in the library regex, which Whitespace and single_word use, it also has the two joiners. */
export const WORD = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}';
export const JOINERS = '\\u200c\\u200d';
/** A character of punctuation, as a pattern. */
export const PUNCTUATION = `(?:(?![${setOf(NEWER_PUNCTUATION)}])[\\p{P}$+<=>^\`|~\\u{166d}\\u{111c9}])`;
/** The characters that clean_text of BERT removes. */
export const CONTROL =
  '(?![\\t\\n\\r\\u0890\\u0891\\u08e2\\u{110cd}\\u{13430}-\\u{1343f}])[\\ufffd\\p{Cc}\\p{Cf}\\p{Co}]';
/** The characters that strip_accents of BERT removes. */
export const NONSPACING = `(?:(?![${setOf(NEWER_NONSPACING)}])[\\p{Mn}\\u1734\\u{1171e}])`;
/** The characters that StripAccents removes. */
export const MARK = `(?:(?![${setOf(NEWER_MARKS)}])[\\p{M}\\u1cf2\\u1cf3])`;
/** Ideographs as BERT counts them; the first block beyond U+2B820 is left out there, too. */
export const IDEOGRAPH =
  '[\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2a6df}\\u{2a700}-\\u{2b81f}' +
  '\\u{2b920}-\\u{2ceaf}\\u{2f800}-\\u{2fa1f}]';

// Bytes as a byte-level vocabulary writes them: printable ones of Latin-1 as themselves, the others as the letters from
// U+0100 on. Radford et al. 2019, its `bytes_to_unicode`.

/** The letter that stands for each byte. */
const LETTERS = Array.from({ length: 256 }, () => '');
/** The byte that each letter stands for. @type {Map<string, number>} */
const BYTES = new Map();
for (let byte = 0, next = 256; byte < 256; byte++) {
  const isPrinted = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
  LETTERS[byte] = String.fromCharCode(isPrinted ? byte : next++);
  BYTES.set(LETTERS[byte], byte);
}

const encoder = new TextEncoder();

/** @param {string} text @returns {string} a letter for each byte */
export const byteLetters = (text) =>
  text.replace(/[^!-~]/gu, (letter) =>
    letter < '\x80'
      ? LETTERS[letter.charCodeAt(0)]
      : Array.from(encoder.encode(letter), (byte) => LETTERS[byte]).join(''),
  );

/**
 * The bytes that letters stand for.
 * @param {string} token
 * @returns {number[] | null} null: a letter that stands for no byte
 */
export function bytesOf(token) {
  const bytes = [];
  for (let i = 0; i < token.length; i++) {
    const byte = BYTES.get(token[i]);
    if (byte === undefined) return null;
    bytes.push(byte);
  }
  return bytes;
}
