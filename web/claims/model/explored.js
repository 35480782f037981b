// A card's own model as Explore takes it: its file, what that place says of it, where it opens. Fetched on use.

import { valueOf, writeAddress } from '../address.js';
import { switchesText } from '../switches.js';

/** @typedef {import('../worker.js').ClaimData} ClaimData */

const [DIGIT, LETTER, NAMED, WORD] = [/\d/g, /[a-z]/gi, /[a-z]\d+/gi, /[a-z]+/gi];
const BEFORE = 'Change the text, and see what follows.';

/**
 * `goal`: what it was trained for, or, of a layer whose weights were given, what it is, where `isLayer` says so.
 * @typedef {{
 *   token: RegExp, joint: string, does: string, node: string, goal: string, look: string, isLayer?: boolean,
 *   stream?: string,
 * }} Text
 * @type {Record<number, Text>}
 */
const TEXTS = {
  1: {
    ...{ token: /k\d+|q/g, joint: ' ', does: 'one query and its keys', node: 'attention', isLayer: true },
    goal: 'one of the random queries, q, and its keys k1 to k16; scores are not divided by √d_k.',
    look:
      'It opens at the largest weight of the query. Turn the softmax’s temperature up: it divides the scores, as ' +
      '√d_k does, and the weights come away from 0 and 1, where the softmax is flat.',
  },
  5: {
    ...{ token: /\[BOS\]|a/g, joint: ' ', does: 'the number of the place', node: 'attention' },
    goal: 'say at each of equal tokens the number of its place, without positional encoding.',
    look:
      'It opens at the weight of the last token on [BOS], the only one that differs. Without a mask every row behind ' +
      'it is the same; behind a causal mask the weight on [BOS] falls from row to row.',
  },
  6: {
    ...{ token: DIGIT, joint: '', does: 'digits without positions', node: 'attention' },
    goal: 'say eight digits in reverse, or as they are, without positional encoding.',
    look:
      'It opens at the digit that the first place should say. Equal digits get equal weights, wherever they stand. ' +
      BEFORE,
  },
  8: {
    ...{ token: /-?\d+(?:\.\d+)?/g, joint: ' ', does: 'x² by kinks, and beyond', node: 'ffn', isLayer: true },
    goal: 'numbers x through the network that is the best broken line along x² from −1 to 1; attention is 0.',
    look:
      'It opens at x = 3, at its largest neuron. From 1 to 5 the same neurons are active: what they add grows in a ' +
      'straight line.',
  },
  11: {
    ...{ token: /[01]/g, joint: '', does: 'attention alone says XOR', node: 'attention' },
    goal: 'say at both of two bits whether they differ, by an attention layer alone.',
    look:
      'It opens at the largest weight of the first bit. Change one bit, and the weights change with it: weights that ' +
      'depend on the input are what makes attention nonlinear.',
  },
  12: {
    ...{ token: NAMED, joint: ' ', does: 'rows through one sublayer', node: 'ffn', isLayer: true },
    goal: 'random rows x1 to x8 through the sublayer of the claim; the other sublayer is 0.',
    look: 'It opens at the sixth row. The second text has y6 there instead: see which other rows change with it.',
  },
  15: {
    ...{ token: NAMED, joint: ' ', does: 'four heads and their projection', node: 'attention', isLayer: true },
    goal: 'random rows x1 to x10 through the attention layer of the claim.',
    look:
      'It opens at the largest weight of the first row. Step by step shows what each head adds to the output through ' +
      'its part of the output projection.',
  },
  16: {
    ...{ token: DIGIT, joint: '', does: 'a deep network', node: 'add', stream: 'cosines' },
    goal: 'say six digits in reverse, in as many steps as the claim allows.',
    look:
      'It opens at its residual stream: how far each sublayer turns the vector of each token. Compare the answers of ' +
      'the row with its digits in reverse: where training failed, they are much the same at every place.',
  },
  21: {
    ...{ token: NAMED, joint: ' ', does: 'random queries, keys and values', node: 'attention', isLayer: true },
    goal: 'random queries, keys and values through attention, one of each in a word.',
    look:
      'It opens at the largest weight of the row for which the claim found the most different weights with the same ' +
      'output. Set weights of that row, and see what becomes of the output.',
  },
  23: {
    ...{ token: WORD, joint: ' ', does: 'one match among many keys', node: 'attention', isLayer: true },
    goal: 'each word looks for “match”, whose score is above the others by the gap of the claim.',
    look: 'It opens at the weight of the match among 16 keys; the other texts have 64 and 128. Type more words.',
  },
  13: {
    ...{ token: NAMED, joint: ' ', does: 'facts by heart', node: 'ffn' },
    goal: 'from a subject and a relation, name the object, by heart. It is read at the relation, the second token.',
    look:
      'It opens at the neuron whose ablation lowers the probability of the right objects most, and at the fact that ' +
      'suffers most from it. Ablate it, or a head, and see what is still known.',
  },
  14: {
    ...{ token: LETTER, joint: '', does: 'what stands beside', node: 'attention' },
    goal: 'name the letters on both sides of each letter. The first and the last place are asked nothing.',
    look: 'It opens at the neighbour that head 1 attends to; compare head 2 in the same row.',
  },
  18: {
    ...{ token: DIGIT, joint: '', does: 'the next random digit', node: 'attention' },
    goal: 'say the next of random digits.',
    look:
      'It opens at the cell from a digit to the next one, which the causal mask hides. Change that digit in the ' +
      'text, and see whether anything before it changes.',
  },
  19: {
    ...{ token: DIGIT, joint: '', does: 'digits in reverse', node: 'attention' },
    goal: 'say six digits in reverse, one after the other.',
    look:
      'It opens at the first digit of the output, in the head with most weight on the digit that each comes from, ' +
      'here the last one.',
  },
};

/** Claim 14 with its other task. */
const REVERSED = {
  ...TEXTS[19],
  goal: 'say the digits in reverse.',
  look: 'It opens at the digit that the third place says; compare the other heads in the same row.',
};

/** The switches without the number of seeds: the model is of the first. */
const ofOne = (/** @type {import('../address.js').Params} */ { seeds: _seeds, ...given }) => given;

const SHORT = 12; // words of a text that is its own name

/** @param {string[]} words @param {string} joint @param {number} index */
const nameOf = (words, joint, index) =>
  words.length > SHORT ? `${words.length} words` : joint ? words.join(joint) : `Held-out row ${index + 1}`;

/**
 * @param {ClaimData} claim
 * @param {import('../address.js').Params} params
 * @param {import('./file.js').ModelFile} model
 * @returns {import('../../models/catalogue.js').GivenModel}
 */
export function exploredModel(claim, params, { file, rows, place }) {
  const { number } = claim;
  const given = ofOne(params);
  /** @type {Text} */
  const {
    token,
    joint,
    does,
    goal,
    look,
    isLayer,
    stream = 'norms',
    ...text
  } = number === 14 && valueOf(claim, given, 'task') === 'reverse' ? REVERSED : TEXTS[number];
  const node = isLayer && place.neuron === null ? 'attention' : text.node;
  const { kind, head, ...cursor } = place;
  const texts = rows.map((words) => words.join(joint));
  const at = switchesText(claim, given);
  return {
    name: writeAddress({ number, params: given }, claim).replace('#/', ''),
    label: { label: 'From Claims', does },
    entry: {
      input: 'text',
      joint,
      token,
      text: texts[0],
      examples: Object.fromEntries(texts.map((each, i) => [nameOf(rows[i], joint, i), each])),
      longest: Math.max(...rows.map((words) => words.length)),
      about: isLayer
        ? `the layer of claim ${number} of Claims${at ? ` (${at})` : ''}: ${goal} ${look}`
        : `trained by claim ${number} of Claims${at ? ` (${at})` : ''}. Task: ${goal} ${look}`,
      more:
        (isLayer
          ? 'Its words stand for the claim’s vectors. It has no positions, no LayerNorm and no output head. '
          : 'It knows nothing but its task, and has no corpus: what views show of its neurons is measured on the ' +
            'text above. ') + 'Its link names the card and its switches; who opens it makes the same weights there.',
      why: '',
      facts: [
        { name: 'Claim', value: `${number}. ${claim.name}` },
        ...(claim.seeded ? [{ name: 'Seed', value: String(valueOf(claim, given, 'seed')) }] : []),
      ],
      opening: {
        selection: { kind, layer: 0, head },
        cursor: { ...cursor, dimension: 0 },
        graph: { node, sublayer: 1, embedding: 'input', stream, stage: 0 },
        follow: false,
      },
    },
    file,
  };
}
