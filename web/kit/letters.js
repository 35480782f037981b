// Texts as people see them: cut between letters, with a sign for each character that prints nothing.

const LONGEST_LETTER = 64; // UTF-16 code units: an emoji of a family has 11, and marks can be piled up without end

/** @type {Intl.Segmenter | undefined} */
let segmenter;

/** The letters of a text as one sees them: with their marks, or joined to one emoji. @param {string} text */
export const lettersOf = (text) =>
  (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })).segment(text);

/**
 * The beginning of a text: so many UTF-16 code units, or fewer where those would end inside a letter.
 * @param {string} text @param {number} most
 */
export function beginning(text, most) {
  if (text.length <= most) return text;
  const { index, segment } = /** @type {Intl.SegmentData} */ (lettersOf(text).containing(most));
  const end = index || Math.min(segment.length, LONGEST_LETTER); // the first letter stays whole
  return text.slice(0, end).replace(/[\uD800-\uDBFF]$/, '');
}

/** A long text as far as it is shown. @param {string} text @param {number} longest in UTF-16 code units */
export const shortened = (text, longest) => (text.length > longest ? `${beginning(text, longest - 1)}…` : text);

/** As the module's tokenizers show them. @type {Record<string, string>} */
const SIGNS = { ' ': '␣', '\n': '↵', '\t': '⇥', '\r': '⏎', '\u00a0': '⍽' };

/** Controls of lines and of direction, and signs without width; not the joiners of emoji and of Persian words. */
const HIDDEN =
  /[\p{Cc}\u00AD\u061C\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB]|\p{Surrogate}/gu;

/**
 * A word with signs for the characters that would not be seen.
 * @param {string} word
 */
export function visible(word) {
  const isHidden = /^[\p{C}\p{Z}\p{M}]+$/u.test(word);
  return word.replace(isHidden ? /./gsu : HIDDEN, (sign) => {
    const code = `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return SIGNS[sign] ?? (sign === word ? code : `‹${code}›`);
  });
}
