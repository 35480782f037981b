/**
 * A token as tokenizer.json spells it: special, found as it stands.
 * @param {string} content @param {object} [more]
 */
export const token = (content, more) => ({
  content,
  single_word: false,
  lstrip: false,
  rstrip: false,
  normalized: false,
  special: true,
  ...more,
});

/** An added one. @param {string} content @param {number} id @param {object} [more] */
export const added = (content, id, more) => ({ id, ...token(content, more) });
