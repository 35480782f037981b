// A student's bets on the cards of a class as a short code: text that is typed or pasted, with a checksum.

import { VERDICTS } from '../verdict.js';

/**
 * `before`, `after`: index of a verdict; `sure`: of the first, in per cent, one of `LEVELS`.
 * @typedef {{before: number | null, sure: number | null, after: number | null}} Bet
 */

/** Crockford's base 32: without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** What a code keeps of how sure a bet was: more would make it longer than 40 characters. */
export const LEVELS = [50, 60, 70, 80, 90, 99];
const FIRST = 1 + VERDICTS.length * LEVELS.length;
const SECOND = 1 + VERDICTS.length;
const STATES = BigInt(FIRST * SECOND);
const [TAG, CHECK, GROUP] = [2, 3, 5]; // characters
const BITS = 5;

/** CRC-15 (0x4599): finds every wrong character and every two that are swapped. @param {readonly number[]} symbols */
function crc(symbols) {
  let rest = 1;
  for (const symbol of symbols)
    for (let bit = BITS - 1; bit >= 0; bit--) {
      const out = (rest >> 14) ^ ((symbol >> bit) & 1);
      rest = ((rest << 1) & 0x7fff) ^ (out & 1 ? 0x4599 : 0);
    }
  return rest ^ 0x2aaa; // or a zero at the end would not be found
}

/** @param {number} value @param {number} length */
const symbolsOf = (value, length) =>
  Array.from({ length }, (_, i) => (value >> (BITS * (length - 1 - i))) & (ALPHABET.length - 1));

/** Which cards a code is for. @param {readonly number[]} cards */
const tagOf = (cards) => symbolsOf(crc(cards.flatMap((card) => symbolsOf(card, 2))), TAG);

/** How many characters the bets on so many cards take. @param {number} count */
const lengthOf = (count) => (STATES ** BigInt(count) - 1n).toString(ALPHABET.length).length;

/** @param {Bet | undefined} bet */
function stateOf({ before, sure, after } = { before: null, sure: null, after: null }) {
  const level = LEVELS.reduce(
    (best, each, i) => (Math.abs(each - (sure ?? 0)) < Math.abs(LEVELS[best] - (sure ?? 0)) ? i : best),
    0,
  );
  const first = before === null || sure === null ? 0 : 1 + before * LEVELS.length + level;
  return first * SECOND + (after === null ? 0 : 1 + after);
}

/** @param {number} state @returns {Bet} */
function betOf(state) {
  const [first, second] = [Math.floor(state / SECOND), state % SECOND];
  return {
    before: first ? Math.floor((first - 1) / LEVELS.length) : null,
    sure: first ? LEVELS[(first - 1) % LEVELS.length] : null,
    after: second ? second - 1 : null,
  };
}

/**
 * @param {readonly number[]} cards in their order
 * @param {ReadonlyMap<number, Bet>} bets by card
 */
export function writeCode(cards, bets) {
  const value = cards.reduce((so, card) => so * STATES + BigInt(stateOf(bets.get(card))), 0n);
  const digits = value.toString(ALPHABET.length).padStart(lengthOf(cards.length), '0');
  const symbols = [...tagOf(cards), ...Array.from(digits, (digit) => parseInt(digit, ALPHABET.length))];
  const text = [...symbols, ...symbolsOf(crc(symbols), CHECK)].map((symbol) => ALPHABET[symbol]).join('');
  return text.match(new RegExp(`.{1,${GROUP}}`, 'g'))?.join('-') ?? '';
}

/**
 * @param {string} text of one code @param {readonly number[]} cards
 * @returns {{bets: Map<number, Bet>} | {problem: string}}
 */
export function readCode(text, cards) {
  const plain = text.toUpperCase().replace(/-/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
  const symbols = Array.from(plain, (sign) => ALPHABET.indexOf(sign));
  const wrong = [...plain][symbols.indexOf(-1)];
  if (wrong) return { problem: `“${wrong}” is in no code` };
  const length = TAG + lengthOf(cards.length) + CHECK;
  const [body, check] = [symbols.slice(0, -CHECK), symbols.slice(-CHECK)];
  if (String(symbolsOf(crc(body), CHECK)) !== String(check))
    return symbols.length === length
      ? { problem: 'the checksum does not fit: a character is wrong' }
      : { problem: `the code has ${symbols.length} characters without its hyphens, not ${length}` };
  if (symbols.length !== length || String(tagOf(cards)) !== String(body.slice(0, TAG)))
    return { problem: 'the code is for other cards' };
  let value = body.slice(TAG).reduce((so, symbol) => so * BigInt(ALPHABET.length) + BigInt(symbol), 0n);
  if (value >= STATES ** BigInt(cards.length)) return { problem: 'the code was not made by this page' };
  /** @type {[number, Bet][]} */
  const bets = [];
  for (const card of [...cards].reverse()) {
    bets.unshift([card, betOf(Number(value % STATES))]);
    value /= STATES;
  }
  return { bets: new Map(bets) };
}

const MOST_LINES = 500;

/**
 * Codes, one a line, each with a name before it or none; the same name is taken once.
 * @param {string} text @param {readonly number[]} cards
 * @returns {{read: Map<number, Bet>[], refused: {line: number, text: string, problem: string}[]}}
 */
export function readCodes(text, cards) {
  const names = new Set();
  /** @type {ReturnType<typeof readCodes>} */
  const all = { read: [], refused: [] };
  const lines = text.split('\n', MOST_LINES + 1).map((line) => line.trim());
  for (const [i, line] of lines.entries()) {
    if (!line) continue;
    const at = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t')) + 1;
    const name = line.slice(0, at).replace(/[\s:;,]+$/, '');
    const got =
      i === MOST_LINES
        ? { problem: `only ${MOST_LINES} lines are read` }
        : names.has(name)
          ? { problem: `${name} has a code above` }
          : readCode(line.slice(at), cards);
    if ('problem' in got)
      all.refused.push({ line: i + 1, text: line.slice(0, 80), problem: got.problem.slice(0, 120) });
    else {
      all.read.push(got.bets);
      if (name) names.add(name);
    }
  }
  return all;
}

/**
 * The bets of this browser. Of one without a probability, as version 0.1 kept it, nothing is known.
 * @param {readonly import('../worker.js').ClaimData[]} claims
 * @param {ReadonlyMap<number, import('../answers.js').Answer>} answers
 * @returns {Map<number, Bet>}
 */
export function betsOf(claims, answers) {
  const verdictOf = (
    /** @type {import('../worker.js').ClaimData} */ { choices },
    /** @type {number | null} */ choice,
  ) => {
    const at = VERDICTS.findIndex((verdict) => verdict === choices[choice ?? NaN]?.verdict);
    return at < 0 ? null : at;
  };
  return new Map(
    claims.map((claim) => {
      const { predicted = null, sure = null, second = null } = answers.get(claim.number) ?? {};
      return [claim.number, { before: verdictOf(claim, predicted), sure, after: verdictOf(claim, second) }];
    }),
  );
}
