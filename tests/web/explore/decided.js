// "What decided this?" by hand: creek in Node, its head, neurons or tokens changed.
import { shipped } from '../in-node.js';

const TOKENS = 'the dog did not jump over the creek because it was tired .';
const ROW = 9;

/**
 * Creek in Node: the probabilities at "it" with these patches.
 * @param {Awaited<ReturnType<typeof import('glassformer').load>>} gf
 */
export function creekIn(gf) {
  const { model, ids, vocabulary } = shipped(gf, 'creek');
  const own = ids(TOKENS);
  const other = ids(TOKENS.replace('tired', 'deep'));
  const width = vocabulary.length;
  /** @param {any[]} [patches] @param {number[]} [input] */
  function answers(patches = [], input = own) {
    const { data } = model.forward({ ids: input, capture: true, patches }).logits;
    return gf.softmax({ data: data.slice(ROW * width, (ROW + 1) * width), shape: [1, width] }).data;
  }
  /** The stream of a token after so many layers. @param {number[]} input @param {number} after @param {number} row */
  function stream(input, after, row) {
    model.forward({ ids: input, capture: true });
    const { data, shape } = model.tensor(name(after));
    return data.slice(row * shape[2], (row + 1) * shape[2]);
  }
  const name = (/** @type {number} */ after) => (after ? `encoder.layers.${after - 1}.out` : 'encoder.input');
  /** @param {number} after @param {number} row @param {number} [share] */
  function patch(after, row, share = 1) {
    const [a, b] = [own, other].map((input) => stream(input, after, row));
    return [{ name: name(after), index: [0, row, null], value: a.map((each, i) => (1 - share) * each + share * b[i]) }];
  }
  const headOff = (/** @type {number} */ layer, /** @type {number} */ head) => [
    { name: `encoder.layers.${layer}.self_attn.head_outputs`, index: [0, head, null, null], value: 0 },
  ];
  const [dog, wet] = ['dog', 'creek'].map((word) => vocabulary.indexOf(word));
  return {
    answers,
    patch,
    headOff,
    tensor: model.tensor.bind(model),
    dog,
    wet,
    own,
    other,
    vocabulary,
    words: TOKENS.split(' '),
  };
}

/** The patches that cut a link. @param {any} link */
export const cutOf = ({ kind, layer, head, row, key }) => [
  { name: `${kind}.layers.${layer}.self_attn.weights`, index: [0, head, row, key], value: 0 },
];
