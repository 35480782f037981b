// New tokens as text: what follows the prompt's text, piece by piece, and the texts that end it.
/** @typedef {import('./generate.js').Token} Token */
/** @typedef {import('./generate.js').Generated} Generated */
/** @typedef {import('../text/texts.js').BaseTokenizer} BaseTokenizer */

/** Tokens of a `Vocabulary` that begin or end a text, and are no part of it. @param {any} tokenizer */
const bounds = ({ words, special: { start, end } }) => (words ? [start, end] : []);

/**
 * The tokens of a text: a table may have more rows than there are tokens.
 * @param {ArrayLike<number>} ids
 * @param {BaseTokenizer} tokenizer
 * @param {boolean} [special] with those that begin and end it
 */
function known(ids, tokenizer, special) {
  const silent = special ? [] : bounds(tokenizer);
  return Array.from(ids).filter((id) => id < tokenizer.size && !silent.includes(id));
}

/** The number of characters in the common start of two texts. @param {string} a @param {string} b */
function sharedStart(a, b) {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}

/**
 * The text that follows a prompt's. The decoder reads the prompt first: it may write a space that it drops at the start
 * of a text. A start token is no part of the text.
 * @param {BaseTokenizer} tokenizer
 * @param {ArrayLike<number>} prompt
 * @param {boolean} [special] with the special tokens
 */
function following(tokenizer, prompt, special = false) {
  const { push, end, peek } = tokenizer.decoder({ special });
  const { start } = tokenizer.special;
  push(known(prompt, tokenizer).filter((id) => id !== start));
  let held = peek(); // of the prompt, and comes with the first new tokens
  const behind = (/** @type {string} */ text) => {
    const shared = sharedStart(text, held);
    held = shared < text.length ? '' : held.slice(shared);
    return text.slice(shared);
  };
  return {
    push: (/** @type {number} */ id) => behind(push(known([id], tokenizer, special))),
    end: () => behind(end()),
    peek() {
      const text = peek();
      return text.slice(sharedStart(text, held));
    },
  };
}

/**
 * Looks for texts in one that grows.
 * @param {ReturnType<typeof following>} follower
 * @param {number} longest of the texts
 */
function searched({ push, peek }, longest) {
  let tail = '';
  return (/** @type {number} */ id, /** @type {readonly string[]} */ texts) => {
    const text = push(id);
    const whole = tail + text + (texts.length ? peek() : '');
    let first = Infinity;
    for (const each of texts) if (whole.includes(each)) first = Math.min(first, whole.indexOf(each) + each.length);
    tail = (tail + text).slice(-longest);
    return { text, behind: first < Infinity ? whole.length - first : undefined };
  };
}

/**
 * Puts their text to the tokens of one row, and to its result. It ends the row after one of the texts `stop`, wherever
 * tokens are cut: no text behind it is handed out.
 * @param {BaseTokenizer | undefined} tokenizer
 * @param {ArrayLike<number>} prompt
 * @param {readonly string[]} [stop]
 * @returns {{token: (token: Token) => Token, result: (result: Generated) => Generated}}
 */
export function writer(tokenizer, prompt, stop = []) {
  if (!tokenizer) return { token: (token) => token, result: (result) => result };
  const longest = stop.reduce((most, { length }) => Math.max(most, length), 1);
  const plain = following(tokenizer, prompt);
  const search = searched(plain, longest);
  // A text of `stop` may name special tokens, which are left out of what is written.
  const marked = stop.length ? searched(following(tokenizer, prompt, true), longest) : undefined;
  /** @type {string[]} those that came */
  const specials = [];
  let newText = '';
  let cut = 0;
  let hasEnded = false;
  return {
    token({ id, row, endedBy }) {
      let { text, behind } = search(id, stop);
      if (marked) {
        if (isSpecial(id, tokenizer)) specials.push(tokenizer.token(id));
        const named = stop.filter((each) => specials.some((special) => each.includes(special)));
        behind ??= marked(id, named).behind;
      }
      if (endedBy !== 'endId' && behind !== undefined) {
        endedBy = 'stop';
        const length = Math.max(0, text.length + plain.peek().length - behind);
        text += plain.end();
        cut = text.length - length;
        text = text.slice(0, length);
      } else if (endedBy) text += plain.end();
      hasEnded = endedBy !== undefined;
      newText += text;
      return { id, text, row, ...(endedBy && { endedBy }) };
    },
    result(result) {
      if (!hasEnded) newText += plain.end();
      const text = tokenizer.decode(known(result.ids, tokenizer));
      return { ...result, text: text.slice(0, text.length - cut), newText };
    },
  };
}

/** Whether a token is left out of texts. @param {number} id @param {BaseTokenizer} tokenizer */
const isSpecial = (id, tokenizer) =>
  bounds(tokenizer).includes(id) ||
  (id < tokenizer.size && !tokenizer.decode([id]) && tokenizer.decode([id], { special: true }) !== '');

/**
 * @param {BaseTokenizer | undefined} tokenizer
 * @param {Generated} result
 * @returns {Generated} with its texts
 */
export function withText(tokenizer, result) {
  const { ids, newIds } = result;
  const { token, result: read } = writer(tokenizer, ids.slice(0, ids.length - newIds.length));
  for (const id of newIds) token({ id, row: 0 });
  const { beams } = result;
  return { ...read(result), ...(beams && { beams: beams.map((each) => withText(tokenizer, each)) }) };
}
