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
