// The textbook's last chapter, “2017 → today”: the differences of a layer in Llama, Qwen and Mistral, one switch at a
// time, on a model with random weights. The seed draws the same ones on both sides of a switch.

import { distance, largest, norm, total } from './numbers.js';
import { valueTool } from './tools.js';

/**
 * @typedef {import('./index.js').Lesson<Facts>} Page
 * @typedef {import('../explore/shared/facts.js').Facts} Facts
 * @typedef {import('../explore/index.js').Query} Query
 */

const MODEL = 'model=untrained&kind=decoder&layers=2&heads=4&d_model=32&d_ff=64&norm=pre&causal=1';
/** All of today's at once, but for what the page's task changes. */
const TODAY = `${MODEL}&normKind=rms&positions=rotary&network=gated&activation=silu&keyValueHeads=2`;
const PLACE = 'attention=decoder&head=1.1&row=7&key=1';

/** @param {Query} query */
const layerOf = ({ state: { selection } }) => `decoder.layers.${selection.layer}`;

/** A tensor's row in the selected layer. @param {Facts} facts @param {string} name @param {number} [at] */
const own = (facts, name, at) => facts.rowOf(`decoder.layers.${facts.selection.layer}.${name}`, at);

/** Without what rounding leaves of a 0, and its sign. @param {ArrayLike<number>} vector */
const mean = (vector) => Math.round((1e6 * total(vector)) / vector.length) / 1e6 + 0;

/** The root of the mean square. @param {ArrayLike<number>} vector */
const rms = (vector) => norm(vector) / Math.sqrt(vector.length);

/** The neuron that adds the most. @param {Facts} facts */
const strongest = (facts) => largest(own(facts, 'ffn.product').map(Math.abs));

/** The distance of the keys of the first two heads. @param {Facts} facts */
const keysApart = ({ headRow, row }) => distance(headRow('key', row, 0), headRow('key', row, 1));

/** By how much a pair turns from one position to the next. @param {Facts} facts @param {number} pair */
function angle({ rowOf, size }, pair) {
  const turn = rowOf('decoder.rotation', 1); // cosines, then sines
  return Math.atan2(turn[size / 2 + pair], turn[pair]);
}

/** Numbers of keys and values that a layer keeps of a token. @param {Facts} facts */
const kept = ({ settings, size }) => 2 * (settings.keyValueHeads || settings.heads) * size;

/** @type {Page[]} */
export const todayPages = [
  {
    id: 'pre-norm',
    number: 56,
    title: 'The norm: before the sublayer',
    link: `${MODEL.replace('norm=pre', 'norm=post')}&part=norm&sublayer=1&${PLACE}`,
    target: '#layer-norm',
    needs: () => ['decoder.input', 'decoder.layers.1.out'],
    text: [
      'In 2017 the norm stands **after** each sum, `norm(x + f(x))`: post-LN. Today it stands **before** each ' +
        'sublayer, `x + f(norm(x))`, and once more at the very end: pre-LN. Then no norm touches the sums between ' +
        'the embedding and the end.',
      'The vector of {word} comes in with length {first} and leaves layer {layers#} with {last}, the root of ' +
        '{width#}: the norm has just set it.',
    ],
    numbers: {
      word: ({ word }) => word,
      first: ({ rowOf }) => norm(rowOf('decoder.input')),
      layers: ({ settings }) => settings.layers,
      last: ({ rowOf }) => norm(rowOf('decoder.layers.1.out')),
      width: ({ settings }) => settings.d_model,
    },
    holds: ({ settings }) => settings.norm === 'post',
    task: 'Put the norm before each sublayer.',
    tool: valueTool('Norm', 'settings.norm', { 'after each sum': 'post', 'before each sublayer': 'pre' }),
    judge: ({ settings }) => settings.norm === 'pre',
    seen: {
      text:
        'With the norm in front the vector of {word} left layer {layers#} with length {last}: it came in with ' +
        '{first}, and each sublayer added to it.',
      numbers: {
        word: ({ word }) => word,
        layers: ({ settings }) => settings.layers,
        last: ({ rowOf }) => norm(rowOf('decoder.layers.1.out')),
        first: ({ rowOf }) => norm(rowOf('decoder.input')),
      },
    },
    doubt: {
      sentence: 'Pre-LN and post-LN differ only in where the same numbers are divided.',
      verdict: 'Fails.',
      why:
        'With pre-LN an untouched sum leads from the last layer to the first, and gradients with it. With post-LN ' +
        'every way back passes two norms in each layer.',
    },
  },
  {
    id: 'rms-norm',
    title: 'The norm: without its mean',
    link: `${MODEL}&part=norm&sublayer=1&${PLACE}`,
    target: '#layer-norm',
    needs: (query) => ['decoder.input', `${layerOf(query)}.norm1.out`],
    text: [
      'LayerNorm subtracts the mean of a vector, then divides by its standard deviation. **RMSNorm** subtracts ' +
        'nothing: it divides by the root mean square. It has a gain and no bias.',
      'The vector of {word} has the mean {before} and the root mean square {square}. After LayerNorm its mean is ' +
        '{after} and its length {length}, the root of {width#}.',
    ],
    numbers: {
      word: ({ word }) => word,
      before: ({ rowOf }) => mean(rowOf('decoder.input')),
      square: ({ rowOf }) => rms(rowOf('decoder.input')),
      after: (facts) => mean(own(facts, 'norm1.out')),
      length: (facts) => norm(own(facts, 'norm1.out')),
      width: ({ settings }) => settings.d_model,
    },
    holds: ({ settings }) => settings.normKind === 'layer',
    task: 'Choose RMSNorm as the kind of norm.',
    tool: valueTool('Norm', 'settings.normKind', { LayerNorm: 'layer', RMSNorm: 'rms' }),
    judge: ({ settings }) => settings.normKind === 'rms',
    seen: {
      text: 'After RMSNorm the vector of {word} had the mean {after} and the same length, {length}.',
      numbers: {
        word: ({ word }) => word,
        after: (facts) => mean(own(facts, 'norm1.out')),
        length: (facts) => norm(own(facts, 'norm1.out')),
      },
    },
    doubt: {
      sentence: 'RMSNorm and LayerNorm give the same vector.',
      verdict: 'Only where its mean is 0.',
      why: 'Then the variance is the mean square, and both divide by the same root.',
    },
  },
  {
    id: 'rotary',
    title: 'Positions: turned, not added',
    link: `${MODEL}&text=the+dog+saw+the+dog+.&part=attention&attention=decoder&head=1.1&row=4&key=3&quantity=scores`,
    target: '.map-and-lines',
    needs: (query) => [
      `${layerOf(query)}.self_attn.scores`,
      ...(query.plan.settings.positions === 'rotary' ? ['decoder.rotation'] : []),
    ],
    text: [
      'In 2017 a vector of the position was added to each embedding, once. **Rotary** positions leave the embedding ' +
        'alone: in every layer each query and key is turned, two numbers at a time, by an angle that grows with its ' +
        'position.',
      'Twice “dog” stands right behind “the”. With added positions the two scores are {first} and {second}.',
    ],
    numbers: { first: ({ headRow }) => headRow('scores', 1)[0], second: ({ headRow }) => headRow('scores', 4)[3] },
    holds: ({ settings }) => settings.positions === 'sinusoidal',
    task: 'Choose rotary positions: the score of two words then depends on their distance alone.',
    tool: valueTool('Positions', 'settings.positions', { added: 'sinusoidal', rotary: 'rotary' }),
    judge: ({ settings, selection }) => settings.positions === 'rotary' && selection.layer === 0,
    seen: {
      text:
        'Turned, both had the same score: {first} and {second}. At position {position#} the first pair of a query’s ' +
        'numbers was turned by {fast} radians, the second by {slow}.',
      numbers: {
        first: ({ headRow }) => headRow('scores', 1)[0],
        second: ({ headRow }) => headRow('scores', 4)[3],
        position: ({ row }) => row,
        fast: (facts) => facts.row * angle(facts, 0),
        slow: (facts) => facts.row * angle(facts, 1),
      },
    },
    doubt: {
      sentence: 'With rotary positions a score depends on the distance of two tokens only.',
      verdict: 'Holds for given queries and keys.',
      why: 'From layer 2 on, queries and keys are made of vectors that have read other tokens, which differ by place.',
    },
  },
  {
    id: 'gated',
    title: 'The FFN: with a gate',
    link: `${MODEL}&part=ffn&${PLACE}`,
    target: '#ffn',
    needs: (query) =>
      ['activation', ...(query.plan.settings.ffn === 'gated' ? ['pre_activation', 'up', 'product'] : [])].map(
        (name) => `${layerOf(query)}.ffn.${name}`,
      ),
    text: [
      'The FFN of 2017 has two matrices: a neuron is a dot product with the token’s vector, cut at 0. A **gated** ' +
        'FFN has a third matrix. Its neuron is two dot products: the gate goes through the activation, and ' +
        'multiplies the other, called up.',
      'At {word} {active#} of {hidden#} neurons are above 0. The two matrices hold {count#} numbers.',
    ],
    numbers: {
      word: ({ word }) => word,
      active: (facts) => own(facts, 'ffn.activation').filter((value) => value > 0).length,
      hidden: ({ settings }) => settings.d_ff,
      count: ({ settings }) => 2 * settings.d_model * settings.d_ff,
    },
    holds: ({ settings }) => settings.ffn === 'plain',
    task: 'Choose the gated feed-forward network. With SiLU as the activation it is SwiGLU, as in Llama.',
    tool: valueTool('Network', 'settings.ffn', { plain: 'plain', gated: 'gated' }),
    judge: ({ settings }) => settings.ffn === 'gated',
    seen: {
      text:
        'At {word} neuron {neuron#} had the largest product: {gate} at its gate, {open} after the activation, times ' +
        '{up}, is {product}. The three matrices hold {count#} numbers.',
      numbers: {
        word: ({ word }) => word,
        neuron: strongest,
        gate: (facts) => own(facts, 'ffn.pre_activation')[strongest(facts)],
        open: (facts) => own(facts, 'ffn.activation')[strongest(facts)],
        up: (facts) => own(facts, 'ffn.up')[strongest(facts)],
        product: (facts) => own(facts, 'ffn.product')[strongest(facts)],
        count: ({ settings }) => 3 * settings.d_model * settings.d_ff,
      },
      equation: { of: ['open', 'up'], is: 'product', from: ([open, up]) => open * up },
    },
    doubt: {
      sentence: 'A gated FFN costs nothing more.',
      verdict: 'Only with fewer neurons.',
      why: 'Three matrices with two thirds of the neurons hold as many numbers as two matrices with all.',
    },
  },
  {
    id: 'grouped-heads',
    title: 'Heads: keys and values shared',
    link: `${MODEL}&part=attention&${PLACE}`,
    target: '.map-and-lines',
    needs: (query) => [`${layerOf(query)}.self_attn.key`],
    text: [
      'A model that writes keeps the keys and values of all tokens so far. In **grouped** attention several heads ' +
        'share one key and one value, each with its own query. So there is less to keep.',
      'Here each of {heads#} heads has its own: at {word} the keys of heads 1 and 2 are {apart} apart, and a layer ' +
        'keeps {kept#} numbers of each token.',
    ],
    numbers: { heads: ({ settings }) => settings.heads, word: ({ word }) => word, apart: keysApart, kept },
    holds: ({ settings }) => !settings.keyValueHeads || settings.keyValueHeads === settings.heads,
    task: 'Set the key–value heads to 2.',
    tool: valueTool('Key–value heads', 'settings.keyValueHeads', { 'as many as heads': 0, two: 2 }),
    judge: ({ settings }) => settings.keyValueHeads > 0 && settings.keyValueHeads < settings.heads,
    seen: {
      text:
        'With {groups#} for {heads#} heads the keys of heads 1 and 2 were {apart} apart, and a layer kept {kept#} ' +
        'numbers.',
      numbers: {
        groups: ({ settings }) => settings.keyValueHeads,
        heads: ({ settings }) => settings.heads,
        apart: keysApart,
        kept,
      },
    },
    doubt: {
      sentence: 'Heads that share a key attend to the same words.',
      verdict: 'Fails.',
      why: 'Each has its own query, so its scores with the shared keys differ.',
    },
  },
  {
    id: 'stayed',
    title: 'What stayed',
    link: `${TODAY}&part=attention&${PLACE}`,
    target: '.map-and-lines',
    needs: (query) => ['decoder.input', 'decoder.layers.1.out', `${layerOf(query)}.self_attn.weights`],
    text: [
      'This model has all five: the layer of Llama, Qwen and Mistral, which also leave out most biases. Of 2017 ' +
        'they keep: scores divided by `√d_k`, a softmax, a causal mask, and **sums** that carry each vector through ' +
        'the layers.',
      'The weights of {word} sum to {sum}, and {later} of them lies on later words. Its vector comes in with length ' +
        '{first} and leaves layer {layers#} with {last}.',
    ],
    numbers: {
      word: ({ word }) => word,
      sum: ({ headRow }) => total(headRow('weights')),
      later: ({ headRow, row }) => total(headRow('weights'), row + 1),
      first: ({ rowOf }) => norm(rowOf('decoder.input')),
      layers: ({ settings }) => settings.layers,
      last: ({ rowOf }) => norm(rowOf('decoder.layers.1.out')),
    },
    holds: ({ settings }) => settings.residual,
    task: 'Switch the residual connections off: today’s block needs them as that of 2017 did.',
    tool: valueTool('Residual connections', 'settings.residual', { on: true, off: false }),
    judge: ({ settings }) => !settings.residual && settings.normKind === 'rms',
    seen: {
      text: 'Without the sums the vector of {word} left layer {layers#} with length {last}.',
      numbers: {
        word: ({ word }) => word,
        layers: ({ settings }) => settings.layers,
        last: ({ rowOf }) => norm(rowOf('decoder.layers.1.out')),
      },
    },
    doubt: null,
  },
];
