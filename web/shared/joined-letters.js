// A letter whose bytes several tokens share, shown as that letter.

/** The label of a token whose bytes continue the letter of the one before. */
const GOES_ON = '⋯';

/**
 * The labels of tokens that stand in a row: a letter whose bytes they share, as "<D7>" "<A9>", stands on the first.
 * @param {string[]} labels
 */
export function joinedLetters(labels) {
  if (!labels.some((label) => /<[C-F][\dA-F]>/.test(label))) return labels;
  const all = labels.map((label) => label.split(/(?=<[89A-F][\dA-F]>)|(?<=<[89A-F][\dA-F]>)/));
  const parts = all.flatMap((some, at) => some.map((part, i) => ({ at, i, byte: byteOf(part) })));
  parts.forEach(({ at, i, byte }, start) => {
    if (byte < 0xc0) return;
    const own = parts.slice(start, start + (byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4));
    const letter = read(own.map((part) => part.byte));
    if (!letter) return;
    for (const part of own) all[part.at][part.i] = part.at === at || all[part.at].includes(GOES_ON) ? '' : GOES_ON;
    all[at][i] = letter;
  });
  return all.map((some) => some.join(''));
}

/** @param {string} part of a label; −1: it is no byte */
const byteOf = (part) => (/^<[89A-F][\dA-F]>$/.test(part) ? parseInt(part.slice(1), 16) : -1);

/** The letter of these bytes; '': they are none. @param {number[]} bytes */
function read(bytes) {
  try {
    return bytes.includes(-1) ? '' : new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return '';
  }
}
