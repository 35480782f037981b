// One sentence about the row of the map that is looked at.

import { formatShare } from '../../draw/share.js';
import { withMinus } from '../../draw/typeset.js';

/**
 * `values`: the row; `hidden`: what the mask hides of it, or null. `row`: its key where rows and columns are the same
 * tokens, else −1; `key`: the pinned column. `writes`: the row is called by the word that is written there. `heads`:
 * how many were averaged, 0 where it is one head; `off`: that head is set to 0.
 * @typedef {{
 *   word: string, writes: boolean, columnWords: string[], values: Float32Array, hidden: Uint8Array | null, row: number,
 *   key: number, quantity: import('./view.js').Quantity, heads: number, off: boolean,
 * }} CaptionData
 *
 * A piece of a sentence: text, or a word of the reader's.
 * @typedef {string | {word: string}} Piece
 */

const LONGEST = 24; // characters of a word
const MOST = 0.5; // of the attention, on one key
const BOTH = 0.7; // on two

/** @type {Record<string, string>} */
const SCORES = { scores: 'score', scaled: 'scaled score', masked: 'score after the mask' };

/** @param {string} word */
const short = (word) => ({ word: word.length > LONGEST ? `${word.slice(0, LONGEST)}…` : word });

/** @param {CaptionData} data @returns {Piece[] | null} null: there is nothing to say */
export function captionOf({ word, writes, columnWords, values, hidden, row, key, quantity, heads, off }) {
  const isWeights = quantity === 'weights';
  const open = [...values.keys()].filter((at) => !((isWeights || quantity === 'masked') && hidden?.[at]));
  const [first, second] = open.toSorted((a, b) => values[b] - values[a]);
  const [most, next] = [values[first], values[second]];
  const sum = open.reduce((so, at) => so + values[at], 0);
  const end = heads ? `, on average over the layer’s ${heads} heads.` : off ? ', but this head is off.' : '.';
  /** @param {...(Piece | Piece[])} pieces */
  const say = (...pieces) => [
    ...(writes ? ['To write '] : isWeights ? [] : ['For ']),
    short(word),
    ...(writes && isWeights ? [', the model'] : []),
    ...pieces.flat(),
    end,
  ];
  /** A key, and where it stands if its word does not tell. @param {number} at @returns {Piece[]} */
  const named = (at) => {
    const name = columnWords[at];
    const steps = Math.abs(at - row);
    if (!steps) return ['itself'];
    const isPlain = row < 0 || (steps > 1 && columnWords.indexOf(name) === columnWords.lastIndexOf(name));
    const far = steps > 1 ? `${steps} words` : 'the word';
    return [short(name), isPlain ? '' : `, ${far} ${at < row ? 'before' : 'after'} it`];
  };
  if (isWeights && hidden?.[key])
    return say(' may not attend to ', short(columnWords[key]), ': the mask hides it, so its weight is 0');
  if (!open.length || sum !== sum) return null;
  if (!isWeights)
    return say(`, the highest ${SCORES[quantity]}, ${withMinus(most.toFixed(2))}, is that of `, named(first));
  if (!open[1]) return say(' can attend to no word but ', named(first));
  if (Math.abs(sum - 1) > 0.01) return say(` has the largest weight, ${most.toFixed(2)}, on `, named(first));
  if (most >= MOST) return say(` gives ${formatShare(most)} of its attention to `, named(first));
  if (most + next >= BOTH)
    return say(
      ` gives ${formatShare(most)} of its attention to `,
      named(first),
      `; ${formatShare(next)} to `,
      named(second),
    );
  const entropy = open.reduce((so, at) => so - (values[at] && values[at] * Math.log(values[at])), 0);
  return Math.exp(entropy) > open.length / 2
    ? say(` spreads its attention: no word gets more than ${Math.ceil(100 * most)}\u00a0%`)
    : say(` attends most to `, named(first), `, with ${formatShare(most)} of its attention`);
}
