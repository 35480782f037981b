// A card's own model as Explore takes it: its file, what that place says of it, where it opens. Fetched on use.

import { valueOf, writeAddress } from '../address.js';
import { switchesText } from '../switches.js';

/** @typedef {import('../worker.js').ClaimData} ClaimData */

const [DIGIT, LETTER, NAMED] = [/\d/g, /[a-z]/gi, /[a-z]\d+/gi];

/** @type {Record<number, {token: RegExp, joint: string, does: string, node: string, goal: string, look: string}>} */
const TEXTS = {
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

/**
 * @param {ClaimData} claim
 * @param {import('../address.js').Params} params
 * @param {import('./file.js').ModelFile} model
 * @returns {import('../../models/catalogue.js').GivenModel}
 */
export function exploredModel(claim, params, { file, rows, place }) {
  const { number } = claim;
  const given = ofOne(params);
  const { token, joint, does, node, goal, look } =
    number === 14 && valueOf(claim, given, 'task') === 'reverse' ? REVERSED : TEXTS[number];
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
      examples: Object.fromEntries(texts.map((text, i) => [joint ? text : `Held-out row ${i + 1}`, text])),
      longest: Math.max(...rows.map((words) => words.length)),
      about: `trained by claim ${number} of Claims${at ? ` (${at})` : ''}. Task: ${goal} ${look}`,
      more:
        'It knows nothing but its task, and has no corpus: what views show of its neurons is measured on the text ' +
        'above. Its link names the card and its switches; who opens it trains the same weights there.',
      why: '',
      facts: [
        { name: 'Claim', value: `${number}. ${claim.name}` },
        { name: 'Seed', value: String(valueOf(claim, given, 'seed')) },
      ],
      opening: {
        selection: { kind, layer: 0, head },
        cursor: { ...cursor, dimension: 0 },
        graph: { node, sublayer: 1, embedding: 'input', stream: 'norms', stage: 0 },
        follow: false,
      },
    },
    file,
  };
}
