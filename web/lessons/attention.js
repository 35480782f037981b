// The first half of the textbook: from the text to what attention adds.

import { addsPositions, attentionName } from '../engine/plan.js';
import { Missing, distance, dot, largest, norm, spread, total } from './numbers.js';
import { headTool, temperatureTool, valueTool, weightTool } from './tools.js';

/**
 * @typedef {import('./index.js').Lesson<Facts>} Page
 * @typedef {import('../explore/shared/facts.js').Facts} Facts
 */

/** The names of an attention's tensors in the chosen layer. @param {...string} names */
export const ofAttention =
  (...names) =>
  (/** @type {import('../explore/index.js').Query} */ { state: { selection } }) =>
    names.map((name) => attentionName(selection.kind, selection.layer, /** @type {any} */ (name)));

/** @param {Facts} facts */
const scores = ({ headRow }) => headRow('scores');

/** The largest weight of a row, the mean over the rows. @param {Facts} facts */
const largestOnAverage = ({ headRow, rowWords }) =>
  total(rowWords.map((_, at) => Math.max(...headRow('weights', at)))) / rowWords.length;

/** The place in the middle of three neighbours. @param {Facts} facts */
const middle = ({ row, rowWords }) => Math.min(Math.max(1, row), rowWords.length - 2);

/** The dot product of two positions' vectors. @param {Facts} facts @param {number} a @param {number} b */
const alike = ({ rowOf }, a, b) => dot(rowOf('encoder.positions', a), rowOf('encoder.positions', b));

/** The first two tokens with the same number. @param {Facts} facts */
function twins({ ids }) {
  const first = ids.findIndex((id, i) => ids.indexOf(id, i + 1) > 0);
  if (first < 0) throw new Missing('a token that occurs twice');
  return [first, ids.indexOf(ids[first], first + 1)];
}

/** The distance of two rows. @param {Facts} facts @param {string} name */
const apart = (facts, name) => {
  const [one, two] = twins(facts);
  return distance(facts.rowOf(name, one), facts.rowOf(name, two));
};

/** The mean weight that a head gives the word before. @param {Facts} facts @param {number} head */
const before = ({ headRow, rowWords }, head) =>
  total(rowWords.slice(1).map((_, i) => headRow('weights', i + 1, head)[i])) / (rowWords.length - 1);

/** @type {Page[]} */
export const attentionPages = [
  {
    id: 'tokens',
    title: 'Tokens',
    link: 'model=creek&part=tokens&head=3.2&row=12&key=1',
    target: '#tokens-encoder',
    text: [
      'A model computes with numbers, so the text is split into {tokens#} **tokens**, and each is replaced by its ' +
        'number in a fixed vocabulary of {vocabulary#} entries. Here a token is a word or a punctuation mark; large ' +
        'models also split rare words into pieces.',
      'The chosen token {word} is number {id#}. The same word has the same number wherever it stands.',
    ],
    numbers: {
      tokens: ({ ids }) => ids.length,
      vocabulary: ({ modelInfo }) => modelInfo?.vocabulary.length ?? NaN,
      word: ({ word }) => word,
      id: ({ ids, row }) => ids[row],
    },
    task: 'Choose a token that has the number of another one: one of the two “the”.',
    control: '#tokens-encoder',
    judge: ({ ids, row }) => ids.indexOf(ids[row]) !== ids.lastIndexOf(ids[row]),
    seen: {
      text: 'You chose {word}: number {id#} occurs {times#} times in the text.',
      numbers: {
        word: ({ word }) => word,
        id: ({ ids, row }) => ids[row],
        times: ({ ids, row }) => ids.filter((id) => id === ids[row]).length,
      },
    },
    doubt: {
      sentence: 'Attention works over a text of any length.',
      verdict: 'It depends on the lead in score.',
      why:
        'The more keys compete, the less weight one gets for the same lead: among 8,192 keys a lead of 5 keeps ' +
        '1.8 %, a lead of 15 keeps 99.8 %.',
    },
  },
  {
    id: 'embedding',
    title: 'Embedding',
    link: 'model=creek&part=embedding&embedding=embedding&head=3.2&row=0&key=1',
    target: '#embedding',
    needs: () => ['encoder.embedding', 'encoder.input'],
    text: [
      'Each number selects a row of a learned table: the token’s **embedding**, a vector of {size#} numbers. ' +
        'Words that are used alike come to have similar vectors in training.',
      'The vector of {word} has length {length}, the root of its summed squares. Both {twin} of this sentence ' +
        'have the same one: their distance is {words}. As soon as the positions are added, it is {places}.',
    ],
    numbers: {
      size: ({ settings }) => settings.d_model,
      word: ({ word }) => word,
      length: ({ rowOf }) => norm(rowOf('encoder.embedding')),
      twin: (facts) => facts.rowWords[twins(facts)[1]],
      words: (facts) => apart(facts, 'encoder.embedding'),
      places: (facts) => apart(facts, 'encoder.input'),
    },
    holds: ({ ids }) => new Set(ids).size < ids.length,
    task: 'Show the vectors with their positions.',
    tool: valueTool('Vectors', 'graph.embedding', { 'of the words': 'embedding', 'with positions': 'input' }),
    judge: ({ state }) => state.graph.embedding === 'input',
    seen: {
      text: 'With its position added, the vector of {word} had length {length}.',
      numbers: { word: ({ word }) => word, length: ({ rowOf }) => norm(rowOf('encoder.input')) },
    },
    doubt: {
      sentence: 'An embedding is a one-hot vector times a matrix, and that is a look-up.',
      verdict: 'Holds.',
      why: 'The product and the row of the table are the same numbers.',
    },
  },
  {
    id: 'positions',
    title: 'Positions',
    link: 'model=creek&part=positions&head=3.2&row=12&key=1',
    target: '#positions',
    needs: () => ['encoder.positions'],
    text: [
      'Attention compares every pair of tokens in the same way and does not see their order. So a vector that ' +
        'depends on the **position** alone is added to each embedding.',
      'At position {position#} it has length {length}. With it the model answers {answer} at {word}, with {p%}.',
    ],
    numbers: {
      position: ({ row }) => row,
      length: ({ rowOf }) => norm(rowOf('encoder.positions')),
      word: ({ word }) => word,
      answer: ({ answers }) => answers()[0].word,
      p: ({ answers }) => answers()[0].probability,
    },
    holds: ({ settings }) => addsPositions(settings),
    task: 'Take the positions away, and see the answer change.',
    tool: valueTool('Positions', 'settings.positions', { on: 'sinusoidal', off: 'none' }),
    judge: ({ settings }) => settings.positions === 'none',
    seen: {
      text: 'Without positions the model answered {answer} at {word}, with {p%}.',
      numbers: {
        word: ({ word }) => word,
        answer: ({ answers }) => answers()[0].word,
        p: ({ answers }) => answers()[0].probability,
      },
    },
    doubt: {
      sentence: 'A Transformer needs positional encodings.',
      verdict: 'It depends on how the input is read.',
      why:
        'Without positions, a model whose encoder reads the input both ways reverses it no better than by ' +
        'counting. A model that reads it through a causal mask reverses it.',
    },
  },
  {
    id: 'waves',
    title: 'Sine and cosine',
    link: 'model=creek&part=positions&head=3.2&row=6&key=1',
    target: '#position-similarity',
    needs: () => ['encoder.positions'],
    text: [
      'These position vectors are sine and cosine waves of many wavelengths. The **dot product** of two of them ' +
        'depends only on how far apart the positions are.',
      'Position {position#} with itself gives {self}; {a#} with {b#} gives {before}, {b#} with {c#} gives {after}: ' +
        'the same number.',
    ],
    numbers: {
      position: ({ row }) => row,
      self: (facts) => alike(facts, facts.row, facts.row),
      a: (facts) => middle(facts) - 1,
      b: middle,
      c: (facts) => middle(facts) + 1,
      before: (facts) => alike(facts, middle(facts) - 1, middle(facts)),
      after: (facts) => alike(facts, middle(facts), middle(facts) + 1),
    },
    holds: ({ settings }) => addsPositions(settings),
    task: 'Choose another token: the curve moves along and keeps its shape.',
    control: '#tokens-encoder',
    judge: ({ row }) => row !== 6,
    seen: {
      text: 'At position {position#} the curve had its top, {top}, just as high.',
      numbers: { position: ({ row }) => row, top: (facts) => alike(facts, facts.row, facts.row) },
    },
    doubt: {
      sentence: 'A shift by k positions is a linear map of the encoding.',
      verdict: 'Holds.',
      why:
        'It is a rotation of each sine–cosine pair. But similarity is the same k before and k behind, and it does ' +
        'not fall steadily with the distance.',
    },
  },
  {
    id: 'qkv',
    title: 'Query, key and value',
    link: 'model=creek&part=attention&head=3.2&row=12&key=1',
    target: '#computation',
    needs: ofAttention('query', 'key', 'value', 'scores'),
    text: [
      'Each head multiplies every token’s vector by three learned matrices. The **query** says what a token looks ' +
        'for, the **key** what it offers to be found by, the **value** what it passes on.',
      'In this head they have {size#} numbers each. The query of {word} has length {q}, the key of {other} {k}, ' +
        'its value {v}.',
    ],
    numbers: {
      size: ({ size }) => size,
      word: ({ word }) => word,
      other: ({ keyWord }) => keyWord,
      q: ({ headRow }) => norm(headRow('query')),
      k: ({ headRow, key }) => norm(headRow('key', key)),
      v: ({ headRow, key }) => norm(headRow('value', key)),
    },
    task: 'Choose the key “dog” in the row of “it”, by its cell or its word in the lines.',
    control: '#heatmap [role=application]',
    judge: ({ row, key }) => row === 12 && key === 7,
    seen: {
      text: 'The key of {other} had length {k}, its score with {word} was {score}.',
      numbers: {
        word: ({ word }) => word,
        other: ({ keyWord }) => keyWord,
        k: ({ headRow, key }) => norm(headRow('key', key)),
        score: ({ headRow, key }) => headRow('scores')[key],
      },
    },
    doubt: {
      sentence: 'Multi-head attention is a linear layer.',
      verdict: 'Fails.',
      why:
        'Its three maps are linear, but the weights depend on the input too. Only with the weights held fixed is ' +
        'it linear.',
    },
  },
  {
    id: 'scores',
    title: 'Scores',
    link: 'model=creek&part=attention&head=3.2&row=12&key=1&quantity=scores',
    target: '.map-and-lines',
    needs: ofAttention('scores'),
    text: [
      'The **score** of a query and a key is their dot product `q·k`: large where they point the same way, ' +
        'negative where they oppose each other.',
      '{word} has {score} with {other}. Over its whole row the scores go from {low} to {high}.',
    ],
    numbers: {
      word: ({ word }) => word,
      other: ({ keyWord }) => keyWord,
      score: (facts) => scores(facts)[facts.key],
      low: (facts) => Math.min(...scores(facts)),
      high: (facts) => Math.max(...scores(facts)),
    },
    task: 'Find the key with the lowest score for “it”, and choose its cell.',
    control: '#heatmap [role=application]',
    judge: (facts) => facts.row === 12 && facts.key === largest(scores(facts).map((each) => -each)),
    seen: {
      text: '{other} had the lowest score for {word}: {score}.',
      numbers: {
        word: ({ word }) => word,
        other: ({ keyWord }) => keyWord,
        score: (facts) => scores(facts)[facts.key],
      },
    },
    doubt: {
      sentence:
        'Without positions, “The cat sat on the mat” and “The mat sat on the cat” are the same to a Transformer.',
      verdict: 'Holds only without a causal mask.',
      why: 'Then equal words get equal vectors wherever they stand. Under a causal mask they do not.',
    },
  },
  {
    id: 'scale',
    title: 'Scale',
    link: 'model=creek&part=attention&head=3.2&row=12&key=11',
    target: '.map-and-lines',
    needs: ofAttention('scores', 'scaled', 'weights'),
    text: [
      'A dot product of `d_k` = {size#} terms grows with their number. So every score is divided by `√d_k` = ' +
        '{root} before the softmax.',
      'Divided, {score} becomes {scaled}, and the largest weight of the row of {word} is {most%}. Over all rows of ' +
        'this head the largest is {mean%} on average.',
    ],
    numbers: {
      size: ({ size }) => size,
      root: ({ size }) => Math.sqrt(size),
      score: (facts) => scores(facts)[facts.key],
      scaled: ({ headRow, key }) => headRow('scaled')[key],
      most: ({ headRow }) => Math.max(...headRow('weights')),
      word: ({ word }) => word,
      mean: largestOnAverage,
    },
    equation: { of: ['score', 'root'], is: 'scaled', from: ([score, root]) => score / root },
    holds: ({ settings }) => settings.scoreScale,
    task: 'Switch the scale off: every row turns to fewer keys.',
    tool: valueTool('÷ √d_k', 'settings.scoreScale', { on: true, off: false }),
    judge: ({ settings }) => !settings.scoreScale,
    seen: {
      text: 'Without the scale the largest weight of a row was {mean%} on average.',
      numbers: { mean: largestOnAverage },
    },
    doubt: {
      sentence: 'Dividing by √d_k keeps the gradients of the softmax from vanishing.',
      verdict: 'Holds for a typical query and a large d_k.',
      why:
        'Without the division, the median gradient at the scores is less than half as large from d_k 64 on, that ' +
        'at the query from 256 on. The mean over queries does not vanish at the query.',
    },
  },
  {
    id: 'mask',
    title: 'Mask',
    link: 'model=continue&part=attention&attention=decoder&head=2.4&row=6&key=1',
    target: '.map-and-lines',
    needs: ofAttention('weights'),
    text: [
      'A model that writes must not see the words that it has yet to write. The **causal mask** sets the score of ' +
        'every later key to −∞, and the softmax makes that a weight of exactly 0.',
      'Of {all#} cells {open#} are left. {word} has {later} of its attention on later words.',
    ],
    numbers: {
      all: ({ rowWords }) => rowWords.length ** 2,
      open: ({ rowWords }) => (rowWords.length * (rowWords.length + 1)) / 2,
      word: ({ word }) => word,
      later: ({ headRow, row }) => total(headRow('weights'), row + 1),
    },
    holds: ({ settings, kind }) => settings.causal && kind !== 'cross',
    task: 'Choose a cell that the mask hides: a key that stands after its query.',
    control: '#heatmap [role=application]',
    judge: ({ row, key }) => key > row,
    seen: {
      text: '{other} comes after {word}: its weight was {weight}.',
      numbers: {
        word: ({ word }) => word,
        other: ({ keyWord }) => keyWord,
        weight: ({ headRow, key }) => headRow('weights')[key],
      },
    },
    doubt: {
      sentence: 'The causal mask keeps a decoder from seeing the future.',
      verdict: 'Holds.',
      why:
        'Another token changes nothing before it, to the last bit. Trained without the mask on random tokens, a ' +
        'model copies the next word instead of predicting it.',
    },
  },
  {
    id: 'softmax',
    title: 'Softmax',
    link: 'model=creek&part=attention&head=3.1&row=12&key=1',
    target: '#computation',
    needs: ofAttention('weights'),
    text: [
      'The **softmax** turns a row of scores into weights: each score becomes a power of e, and is divided by the ' +
        'sum of the row’s powers. All weights are positive, and the row sums to {sum}.',
      '{word} gives {other} {weight%}. Its row is as even as {keys} equal weights would be.',
    ],
    numbers: {
      sum: ({ headRow }) => total(headRow('weights')),
      word: ({ word }) => word,
      other: ({ keyWord }) => keyWord,
      weight: ({ headRow, key }) => headRow('weights')[key],
      keys: ({ headRow }) => spread(headRow('weights')),
    },
    task: 'Raise the temperature of the softmax to 2: it divides the scores, and the weights even out.',
    tool: temperatureTool,
    judge: ({ temperature }) => temperature >= 2,
    seen: {
      text: 'At the temperature {t}, {word} gave {other} {weight%}.',
      numbers: {
        t: ({ temperature }) => temperature,
        word: ({ word }) => word,
        other: ({ keyWord }) => keyWord,
        weight: ({ headRow, key }) => headRow('weights')[key],
      },
    },
    doubt: {
      sentence: 'The weights of a row sum to 1, so what one key gains the others lose.',
      verdict: 'Holds.',
      why: 'To within the rounding of single precision.',
    },
  },
  {
    id: 'values',
    title: 'Weighted values',
    link: 'model=creek&part=attention&head=3.2&row=12&key=1',
    target: '#computation',
    needs: ofAttention('weights', 'value', 'head_outputs'),
    text: [
      'The head’s output at {word} is the sum of all values, each times its weight: `z = Σ α v`. A key counts by ' +
        'its weight and by the length of its value.',
      '{other} has the weight {weight} and a value of length {v}, so it contributes a vector of length {av}. The ' +
        'sum has length {z}.',
    ],
    numbers: {
      word: ({ word }) => word,
      other: ({ keyWord }) => keyWord,
      weight: ({ headRow, key }) => headRow('weights')[key],
      v: ({ headRow, key }) => norm(headRow('value', key)),
      av: ({ headRow, key }) => headRow('weights')[key] * norm(headRow('value', key)),
      z: ({ headRow }) => norm(headRow('head_outputs')),
    },
    task: 'Set this weight to 0, and see which part of the sum is left.',
    tool: weightTool,
    judge: ({ interventions, row, key, selection: { layer, head } }) =>
      interventions.some(
        (each) =>
          each.what === 'cell' &&
          each.to === 0 &&
          each.layer === layer &&
          each.head === head &&
          each.row === row &&
          each.key === key,
      ),
    seen: {
      text: 'Without {other}, the sum at {word} had length {z}.',
      numbers: {
        word: ({ word }) => word,
        other: ({ keyWord }) => keyWord,
        z: ({ headRow }) => norm(headRow('head_outputs')),
      },
    },
    doubt: {
      sentence: 'The attention weights show which words matter to the output.',
      verdict: 'It depends on the layer.',
      why:
        'In a trained model of two layers, hiding the key with the largest weight costs most in 69 to 82 % of ' +
        'the places in layer 2, in 19 to 32 % in layer 1. And with more keys than a value has dimensions, very ' +
        'different weights can give the same output.',
    },
  },
  {
    id: 'heads',
    title: 'Heads',
    link: 'model=continue&part=attention&attention=decoder&head=2.1&row=6&key=5',
    target: '.model-graph-panel',
    figure: '.map-and-lines',
    needs: ofAttention('weights'),
    text: [
      'Each layer has several **heads**: attentions of their own, with matrices of their own, side by side. Each ' +
        'projects all {width#} dimensions to {size#} of its own, so together they cost what one large head would.',
      'This model has {heads#}. The chosen one gives {before%} of its attention to the word before, on average ' +
        'over the text.',
    ],
    numbers: {
      size: ({ size }) => size,
      width: ({ settings }) => settings.d_model,
      heads: ({ settings }) => settings.heads * settings.layers,
      before: (facts) => before(facts, facts.selection.head),
    },
    task: 'Find the head of layer 1 that gives the word before it the most.',
    control: '.model-graph-panel',
    judge: (facts) => {
      const all = Array.from({ length: facts.settings.heads }, (_, head) => before(facts, head));
      return facts.selection.layer === 0 && facts.selection.head === largest(all);
    },
    seen: {
      text: 'Head {head#} of layer 1 gave {before%} to the word before, on average.',
      numbers: { head: ({ selection }) => selection.head + 1, before: (facts) => before(facts, facts.selection.head) },
    },
    doubt: {
      sentence: 'Different heads learn different relations.',
      verdict: 'It depends on the task and the number of heads.',
      why:
        'Asked for both neighbours, two heads take a side each. On reversal two heads learn the same map in 15 of 20 ' +
        'seeds, four do not.',
    },
  },
  {
    id: 'concatenation',
    title: 'Concatenation and output matrix',
    link: 'model=creek&part=attention&head=3.2&row=12&key=1',
    target: '#computation',
    needs: ofAttention('concat', 'out'),
    text: [
      'The outputs of a layer’s {heads#} heads are put side by side, {heads#} × {size#} = {width#} numbers, and ' +
        'multiplied by the **output matrix** `W_O`, which mixes them.',
      'At {word} the concatenation has length {concat}, what attention adds {out}. The model answers {answer}, ' +
        'with {p%}.',
    ],
    numbers: {
      heads: ({ settings }) => settings.heads,
      size: ({ size }) => size,
      width: ({ settings }) => settings.d_model,
      word: ({ word }) => word,
      concat: ({ rowOf, prefix }) => norm(rowOf(`${prefix}.concat`)),
      out: ({ rowOf, prefix }) => norm(rowOf(`${prefix}.out`)),
      answer: ({ answers }) => answers()[0].word,
      p: ({ answers }) => answers()[0].probability,
    },
    task: 'Switch this head off, and see what becomes of the answer.',
    tool: headTool,
    judge: ({ interventions }) =>
      interventions.some((each) => each.what === 'head' && each.to === 0 && each.layer === 2 && each.head === 1),
    seen: {
      text: 'Without this head the model answered {answer} at {word}, with {p%}.',
      numbers: {
        word: ({ word }) => word,
        answer: ({ answers }) => answers()[0].word,
        p: ({ answers }) => answers()[0].probability,
      },
    },
    doubt: {
      sentence: 'Concatenating the heads and multiplying by W_O mixes them.',
      verdict: 'Holds.',
      why: 'It is the sum over the heads of each one’s output times its own part of W_O.',
    },
  },
];
