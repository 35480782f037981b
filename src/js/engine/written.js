// New tokens as text: piece by piece, and the texts that end it.
/** @typedef {import('./generate.js').Token} Token */
/** @typedef {import('./generate.js').Generated} Generated */
/** @typedef {import('../texts.js').BaseTokenizer} BaseTokenizer */

/**
 * What writes a model's new tokens, where it is known.
 * @param {{config: import('./config.js').Config, texts?: import('./named.js').Texts}} model
 */
export const writerOf = ({ config, texts = {} }) =>
  config.kind === 'decoder' ? texts.tokenizer : texts.targetTokenizer;

/**
 * Puts their text to tokens, which come row by row; the last of a row gets the rest. It ends a row after one of the
 * texts `stop`, wherever tokens are cut.
 * @param {BaseTokenizer | undefined} tokenizer
 * @param {readonly string[]} stop
 * @returns {(token: Token) => Token}
 */
export function writer(tokenizer, stop) {
  if (!tokenizer) return (token) => token;
  const longest = stop.reduce((most, { length }) => Math.max(most, length), 1);
  const { push, end } = tokenizer.decoder();
  let tail = '';
  return ({ id, row, endedBy }) => {
    let text = push(known([id], tokenizer));
    tail += text;
    if (endedBy !== 'endId' && stop.some((each) => tail.includes(each))) endedBy = 'stop';
    tail = endedBy ? '' : tail.slice(-longest);
    if (endedBy) text += end(); // which starts again
    return { id, text, row, ...(endedBy && { endedBy }) };
  };
}

/**
 * @param {BaseTokenizer | undefined} tokenizer
 * @param {Generated} result
 * @returns {Generated} with its texts
 */
export function withText(tokenizer, result) {
  if (!tokenizer) return result;
  const [text, newText] = [result.ids, result.newIds].map((ids) => tokenizer.decode(known(ids, tokenizer)));
  return { ...result, text, newText };
}

/** A table may have more rows than there are tokens. @param {ArrayLike<number>} ids @param {BaseTokenizer} tokenizer */
const known = (ids, { size }) => Array.from(ids).filter((id) => id < size);
