// One sentence about the row of the map at the cursor, or about several that are selected.

import { formatShare } from '../../draw/share.js';
import { withMinus } from '../../draw/typeset.js';
import { isWord } from '../shared/choose.js';
import { isEven } from '../shared/even.js';

/**
 * `values`: the row; `hidden`: what the mask hides of it, or null. `row`: its key where rows and columns are the same
 * tokens, else −1; `key`: the pinned column. `writes`: the row is called by the word that is written there. `heads`:
 * how many were averaged, 0 where it is one head; `off`: that head is set to 0; `unit`: what a token is called.
 * @typedef {{
 *   unit: 'word' | 'token', word: string, writes: boolean, columnWords: string[], values: Float32Array,
 *   hidden: Uint8Array | null, row: number, key: number, quantity: import('./view.js').Quantity, heads: number,
 *   off: boolean,
 * }} CaptionData
 *
 * A piece of a sentence: text, or a word of the reader's.
 * @typedef {string | {word: string}} Piece
 */

const LONGEST = 24; // characters of a word
const MOST = 0.5; // of the attention, on one key
const BOTH = 0.7; // on two
const MOST_NAMED = 3; // keys with the same number
const MOST_LISTED = 6; // words of a selection

/** @type {Record<string, string>} */
const SCORES = { scores: 'score', scaled: 'scaled score', masked: 'score after the mask' };

/** @param {string} word */
const short = (word) => ({ word: word.length > LONGEST ? `${word.slice(0, LONGEST)}…` : word });

/** @param {CaptionData} data @returns {Piece[] | null} null: there is nothing to say */
export function captionOf({ unit, word, writes, columnWords, values, hidden, row, key, quantity, heads, off }) {
  const isWeights = quantity === 'weights';
  const open = [...values.keys()].filter((at) => !((isWeights || quantity === 'masked') && hidden?.[at]));
  const order = open.toSorted((a, b) => values[b] - values[a]);
  const [first, second] = order;
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
  /** Between two places a full stop is a token, and no word. @param {number} from @param {number} to */
  const unitOf = (from, to) => (columnWords.slice(from, to + 1).every(isWord) ? unit : 'token');
  /** A key, and where it stands if its word does not tell. @param {number} at @returns {Piece[]} */
  const named = (at) => {
    const name = columnWords[at];
    const steps = Math.abs(at - row);
    if (!steps) return ['itself'];
    const isPlain = row < 0 || (steps > 1 && columnWords.indexOf(name) === columnWords.lastIndexOf(name));
    const between = unitOf(Math.min(at, row), Math.max(at, row));
    const far = steps > 1 ? `${steps} ${between}s` : `the ${between}`;
    return [short(name), isPlain ? '' : `, ${far} ${at < row ? 'before' : 'after'} it`];
  };
  /** The keys whose number is written as the largest one. @param {(value: number) => unknown} write */
  const ties = (write) => order.filter((at) => write(values[at]) === write(most));
  /** One key or all that share a number. @param {number[]} keys @returns {Piece[]} */
  const all = (keys) =>
    keys.length > MOST_NAMED
      ? [`${keys.length} keys`]
      : keys.flatMap((at, i) => [i ? (i === keys.length - 1 ? ' and ' : ', ') : '', ...named(at)]);
  if (isWeights && hidden?.[key])
    return say(' may not attend to ', short(columnWords[key]), ': the mask hides it, so its weight is 0');
  if (!open.length || sum !== sum) return null;
  if (!isWeights) {
    const number = withMinus(most.toFixed(2));
    return say(`, the highest ${SCORES[quantity]}, ${number}, is that of `, all(ties((value) => value)));
  }
  if (!open[1]) return say(` can attend to no ${unit} but `, named(first));
  if (Math.abs(sum - 1) > 0.01)
    return say(` has the largest weight, ${most.toFixed(2)}, on `, all(ties((value) => value.toFixed(2))));
  const same = ties(formatShare);
  if (most >= MOST && !same[1]) return say(` gives ${formatShare(most)} of its attention to `, named(first));
  if (most + next >= BOTH)
    return say(
      ` gives ${formatShare(most)} of its attention to `,
      named(first),
      `; ${formatShare(next)} to `,
      named(second),
    );
  const bound = `no ${unit} gets more than ${Math.ceil(100 * most)}\u00a0%`;
  if (isEven(open.map((at) => values[at]))) return say(` spreads its attention almost evenly: ${bound}`);
  const entropy = open.reduce((so, at) => so - (values[at] && values[at] * Math.log(values[at])), 0);
  if (Math.exp(entropy) > open.length / 2) return say(` spreads its attention: ${bound}`);
  const share = same[1] ? `${formatShare(most)} of its attention each` : `${formatShare(most)} of its attention`;
  return say(` attends most to `, all(same), `, with ${share}`);
}

/**
 * Several rows together: the key with the largest weight on average, or those that share it.
 * @param {{words: string[], columnWords: string[], means: number[]}} data `words`: of the rows
 * @returns {Piece[]}
 */
export function captionOfSeveral({ words, columnWords, means }) {
  const list = (/** @type {Piece[]} */ all) =>
    all.flatMap((each, i) => [i ? (i === all.length - 1 ? ' and ' : ', ') : '', each]);
  const most = Math.max(...means);
  const keys = [...means.keys()].filter((at) => formatShare(means[at]) === formatShare(most));
  const named = (/** @type {string[]} */ all, /** @type {string} */ noun) =>
    all.length > MOST_LISTED ? [`${all.length} ${noun}`] : list(all.map(short));
  const each = keys.length > 1 ? ' each' : '';
  return [
    ...named(words, 'queries'),
    ` attend${words.length > 1 ? '' : 's'} most to `,
    ...named(
      keys.map((at) => columnWords[at]),
      'keys',
    ),
    `, with ${formatShare(most)} of ${words.length > 1 ? 'their' : 'its'} attention${each} on average.`,
  ];
}
