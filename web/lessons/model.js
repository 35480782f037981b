// The second half of the textbook: from the residual connection to training.

import { attentionName, ffnName } from '../engine/plan.js';
import { ofAttention } from './attention.js';
import { largest, norm, spread, total } from './numbers.js';
import { neuronTool, stateTool, valueTool } from './tools.js';

/**
 * @typedef {import('./index.js').Lesson<Facts>} Page
 * @typedef {import('../explore/shared/facts.js').Facts} Facts
 * @typedef {import('../explore/index.js').Query} Query
 */

/** @param {...import('../app/schema.js').FfnQuantity} names */
const ofFfn =
  (...names) =>
  (/** @type {Query} */ { state: { selection } }) =>
    names.map((name) => ffnName(selection.kind, selection.layer, name));

/** @param {Facts} facts @param {import('../app/schema.js').FfnQuantity} name @param {number} [at] */
const neurons = ({ kind, selection, rowOf }, name, at) => rowOf(ffnName(kind, selection.layer, name), at);

/** @param {Facts} facts @param {number} [at] */
const active = (facts, at) => neurons(facts, 'activation', at).filter((value) => value > 0).length;

/** The layer's path. @param {Facts} facts */
const layerOf = ({ stack, selection }) => `${stack}.layers.${selection.layer}`;

/** The input and the output of a layer. @param {Facts} facts @param {number} layer */
const stateAfter = ({ stack }, layer) => (layer < 0 ? `${stack}.input` : `${stack}.layers.${layer}.out`);

/** Row by column, the mean of the heads. @param {Facts} facts @param {number} key */
const column = ({ headRow, rowWords }, key) => rowWords.map((_, at) => headRow('weights', at)[key]);

/** @type {Page[]} */
export const modelPages = [
  {
    id: 'residual',
    title: 'Residual connection',
    link: 'model=creek&part=add&head=1.1&row=12&key=1',
    target: '#residual-stream',
    needs: ({ plan: { settings }, state: { selection } }) => [
      'encoder.input',
      attentionName('encoder', 0, /** @type {any} */ ('out')),
      ...(settings.residual && selection.kind === 'encoder' ? ['encoder.layers.0.residual1'] : []),
    ],
    text: [
      'What attention computes does not replace a token’s vector, it is **added** to it. So the vector runs ' +
        'through the whole model as a stream, to which each sublayer adds its part.',
      'In layer 1 the vector of {word} has length {x}, attention adds one of length {change}, their sum has ' +
        '{sum}. With these sums the model answers {answer}, with {p%}.',
    ],
    numbers: {
      word: ({ word }) => word,
      x: ({ rowOf }) => norm(rowOf('encoder.input')),
      change: ({ rowOf }) => norm(rowOf('encoder.layers.0.self_attn.out')),
      sum: ({ rowOf }) => norm(rowOf('encoder.layers.0.residual1')),
      answer: ({ answers }) => answers()[0].word,
      p: ({ answers }) => answers()[0].probability,
    },
    holds: ({ settings }) => settings.residual,
    task: 'Switch the residual connections off, and see the answer change.',
    tool: valueTool('Residual connections', 'settings.residual', { on: true, off: false }),
    judge: ({ settings }) => !settings.residual,
    seen: {
      text: 'Without the sums the model answered {answer} at {word}, with {p%}.',
      numbers: {
        word: ({ word }) => word,
        answer: ({ answers }) => answers()[0].word,
        p: ({ answers }) => answers()[0].probability,
      },
    },
    doubt: {
      sentence: 'Residual connections cure vanishing gradients.',
      verdict: 'Holds, at a price.',
      why:
        'At initialization no gradient vanishes through 48 layers. But with residuals alone gradients explode, and ' +
        'all tokens become alike.',
    },
  },
  {
    id: 'layer-norm',
    title: 'LayerNorm',
    link: 'model=creek&part=norm&sublayer=1&head=1.1&row=12&key=1',
    target: '#layer-norm',
    needs: ({ state: { selection, graph } }) =>
      ['mean', 'variance', 'out'].map(
        (name) => `encoder.layers.${selection.layer}.norm${Math.max(1, graph?.sublayer ?? 1)}.${name}`,
      ),
    text: [
      'After each addition the vector is **normalised**: its mean is subtracted, and it is divided by its ' +
        'standard deviation. Then each dimension is multiplied by a learned gain `γ` and moved by a learned bias ' +
        '`β`.',
      'At {word} the mean is {mean} and the variance {variance}. After it the vector has length {length}.',
    ],
    numbers: {
      word: ({ word }) => word,
      mean: (facts) => facts.rowOf(normOf(facts, 'mean'), 0)[facts.row],
      variance: (facts) => facts.rowOf(normOf(facts, 'variance'), 0)[facts.row],
      length: (facts) => norm(facts.rowOf(normOf(facts, 'out'))),
    },
    holds: ({ settings }) => settings.norm !== 'none' && settings.normKind !== 'rms',
    task: 'Show the second norm of the layer, the one after the FFN.',
    tool: valueTool('Norm after', 'graph.sublayer', { attention: 1, 'the FFN': 2 }),
    judge: ({ state }) => state.graph.sublayer === 2,
    seen: {
      text: 'After the second norm the vector of {word} had length {length}.',
      numbers: { word: ({ word }) => word, length: (facts) => norm(facts.rowOf(normOf(facts, 'out'))) },
    },
    doubt: {
      sentence: 'LayerNorm bounds what the FFN receives.',
      verdict: 'Holds.',
      why: 'With gain 1 and bias 0 no vector is longer than √d, and no entry is larger than √(d − 1).',
    },
  },
  {
    id: 'ffn',
    title: 'Feed-forward network',
    link: 'model=creek&part=ffn&head=3.2&row=12&key=1',
    target: '#ffn',
    needs: ofFfn('activation'),
    text: [
      'After attention each token’s vector goes, by itself, through a small network: from {width#} numbers to ' +
        '{hidden#} **neurons** and back. Attention moves information between tokens; the FFN works on what has ' +
        'arrived.',
      'At {word} {active#} of the {hidden#} neurons of this layer are active, that is above 0.',
    ],
    numbers: {
      width: ({ settings }) => settings.d_model,
      hidden: ({ settings }) => settings.d_ff,
      word: ({ word }) => word,
      active: (facts) => active(facts),
    },
    task: 'Find a token at which fewer neurons are active, and choose it.',
    control: '#tokens-encoder',
    judge: (facts) => active(facts) < active(facts, 12),
    seen: {
      text: 'At {word} {active#} neurons were active.',
      numbers: { word: ({ word }) => word, active: (facts) => active(facts) },
    },
    doubt: {
      sentence: 'The FFN is a bottleneck.',
      verdict: 'Fails.',
      why: 'With d_ff = 4 d_model it is an expansion. It holds two thirds of an encoder layer’s parameters.',
    },
  },
  {
    id: 'activation',
    title: 'Activation function',
    link: 'model=creek&part=ffn&ffn=pre_activation&head=3.2&row=12&key=1&neuron=0',
    target: '#ffn',
    needs: ofFfn('activation', 'pre_activation'),
    text: [
      'Two matrices in a row are one. So between its two the FFN has a step that is not linear: **ReLU** replaces ' +
        'every negative number by 0.',
      'Neuron {neuron#} has {before} before it at {word} and {after} after it. {negative#} of {hidden#} are ' +
        'negative there, so they stay silent.',
    ],
    numbers: {
      neuron: ({ state }) => state.cursor.neuron ?? 0,
      word: ({ word }) => word,
      before: (facts) => neurons(facts, 'pre_activation')[facts.state.cursor.neuron ?? 0],
      after: (facts) => neurons(facts, 'activation')[facts.state.cursor.neuron ?? 0],
      negative: (facts) => neurons(facts, 'pre_activation').filter((value) => value < 0).length,
      hidden: ({ settings }) => settings.d_ff,
    },
    task: 'Show the neurons after ReLU.',
    tool: stateTool('Neurons', {
      'before ReLU': { ffnQuantity: 'pre_activation' },
      'after ReLU': { ffnQuantity: 'activation' },
    }),
    judge: ({ state }) => state.ffnQuantity === 'activation',
    seen: {
      text: 'After ReLU {active#} of {hidden#} neurons were above 0 at {word}.',
      numbers: { word: ({ word }) => word, active: (facts) => active(facts), hidden: ({ settings }) => settings.d_ff },
    },
    doubt: {
      sentence: 'N ReLU neurons make at most N kinks, and enough of them approximate x² as well as wanted.',
      verdict: 'Holds between the kinks.',
      why: 'Beyond the last kink the function is one straight line, however the curve goes on.',
    },
  },
  {
    id: 'neuron',
    title: 'One neuron',
    link: 'model=creek&part=ffn&head=3.2&row=12&key=1',
    target: '#neurons',
    needs: ofFfn('activation'),
    text: [
      'A neuron compares the token’s vector with a **pattern** (its row of the first matrix) and, as far as they ' +
        'match, adds a vector of its own (its column of the second).',
      'At {word} neuron {neuron#} is the strongest, with {value}. The model answers {answer}, with {p%}.',
    ],
    numbers: {
      word: ({ word }) => word,
      neuron: (facts) => largest(neurons(facts, 'activation')),
      value: (facts) => Math.max(...neurons(facts, 'activation')),
      answer: ({ answers }) => answers()[0].word,
      p: ({ answers }) => answers()[0].probability,
    },
    task: 'Select a neuron and switch it off: how much does the answer lose?',
    tool: neuronTool,
    judge: ({ interventions }) => interventions.some((each) => each.what === 'neuron' && each.to === 0),
    seen: {
      text: 'With the neuron off the model answered {answer} at {word}, with {p%}.',
      numbers: {
        word: ({ word }) => word,
        answer: ({ answers }) => answers()[0].word,
        p: ({ answers }) => answers()[0].probability,
      },
    },
    doubt: {
      sentence: 'The FFN is a key–value memory: its neurons store the facts.',
      verdict: 'It depends on the load.',
      why:
        'It is a sum over keys and values, and without it most facts are lost. But few facts leave room: nearly ' +
        'every single neuron can be spared, and attention alone can learn them.',
    },
  },
  {
    id: 'stack',
    title: 'The stack of layers',
    link: 'model=creek&part=attention&head=3.2&row=12&key=1',
    target: '.model-graph-panel',
    figure: '.map-and-lines',
    needs: ({ plan: { settings } }) => [
      'encoder.input',
      ...Array.from({ length: settings.layers }, (_, layer) => `encoder.layers.${layer}.out`),
    ],
    text: [
      'A Transformer repeats the same layer, attention and FFN, with other weights each time: {layers#} times ' +
        'here. Each reads what the one below has made of every token.',
      'Each layer turns the vector of {word}. The cosine between the vectors before and after it is {first} for ' +
        'layer 1 and {last} for layer {layers#}.',
    ],
    numbers: {
      layers: ({ settings }) => settings.layers,
      word: ({ word }) => word,
      first: (facts) => cosine(facts, 0),
      last: (facts) => cosine(facts, facts.settings.layers - 1),
    },
    task: 'Go to the FFN of layer 1 in the model graph.',
    control: '.model-graph-panel',
    judge: ({ state }) => state.graph.node === 'ffn' && state.selection.layer === 0,
    seen: { text: 'The FFN of layer 1 has {hidden#} neurons.', numbers: { hidden: ({ settings }) => settings.d_ff } },
    doubt: {
      sentence: 'With residual and LayerNorm a layer can be the identity, so very deep stacks can be trained.',
      verdict: 'It depends on which half is meant.',
      why:
        'A layer can be the identity, with the norm after the sum too. But twelve such layers do not learn to ' +
        'reverse 6 digits, and with the norm before it is no cure either: on Reverse 4 to 10, two of three seeds ' +
        'fail.',
    },
  },
  {
    id: 'encoder',
    title: 'Encoder',
    link: 'model=translate&part=attention&attention=encoder&head=1.1&mean=0&row=5&key=1',
    target: '.map-and-lines',
    needs: ofAttention('weights'),
    text: [
      'An **encoder** reads a whole text. Its attention has no mask: each token may attend to those before and ' +
        'those after it, so its vector can depend on all {tokens#} tokens.',
      '{word} gives {after%} of its attention to tokens that stand after it.',
    ],
    numbers: {
      tokens: ({ ids }) => ids.length,
      word: ({ word }) => word,
      after: ({ headRow, row }) => total(headRow('weights'), row + 1),
    },
    holds: ({ kind }) => kind === 'encoder',
    task: 'Choose a key that stands after its query: no mask hides it.',
    control: '#heatmap [role=application]',
    judge: ({ row, key, kind }) => kind === 'encoder' && key > row,
    seen: {
      text: '{word} gave {weight%} to {other}, which comes after it.',
      numbers: {
        word: ({ word }) => word,
        other: ({ keyWord }) => keyWord,
        weight: ({ headRow, key }) => headRow('weights')[key],
      },
    },
    doubt: {
      sentence: 'The FFN works on each position alone.',
      verdict: 'Holds.',
      why: 'Another token changes one row of the FFN and no other; attention changes every row.',
    },
  },
  {
    id: 'decoder',
    title: 'Decoder',
    link: 'model=translate&part=attention&attention=decoder&head=1.1&mean=0&row=4&key=2',
    target: '.map-and-lines',
    needs: ofAttention('weights'),
    text: [
      'A **decoder** writes. It reads what it has written so far, under a causal mask, and names the next word; ' +
        'that word is appended, and it reads again.',
      'The row that writes {word} has {seen#} words to read, and gives most attention to {most}, {weight%}.',
    ],
    numbers: {
      word: ({ word }) => word,
      seen: ({ row }) => row + 1,
      most: ({ headRow, columnWords }) => columnWords[largest(headRow('weights'))],
      weight: ({ headRow }) => Math.max(...headRow('weights')),
    },
    holds: ({ kind }) => kind === 'decoder',
    task: 'Go to a cross-attention in the model graph, where the decoder reads the English.',
    control: '.model-graph-panel',
    judge: ({ kind }) => kind === 'cross',
    seen: {
      text: 'The row that writes {word} gave most attention to {most} of the English, {weight%}.',
      numbers: {
        word: ({ word }) => word,
        most: ({ headRow, columnWords }) => columnWords[largest(headRow('weights'))],
        weight: ({ headRow }) => Math.max(...headRow('weights')),
      },
    },
    doubt: {
      sentence: 'Order must be put in by positional encodings.',
      verdict: 'It depends on the mask.',
      why:
        'Under a causal mask each token sees another number of keys. Together with a start token, that tells a ' +
        'decoder its place.',
    },
  },
  {
    id: 'cross',
    title: 'Cross-attention',
    link: 'model=translate&part=attention&attention=cross&head=2.1&mean=1&row=0&key=0',
    target: '.map-and-lines',
    needs: ofAttention('weights'),
    text: [
      'In **cross-attention** the queries come from the decoder, the keys and values from the encoder’s output. ' +
        'So each French word can read the English words that it needs.',
      'To write {word}, the heads of layer {layer#} give {other} the most on average: {weight%}.',
    ],
    numbers: {
      word: ({ word }) => word,
      layer: ({ selection }) => selection.layer + 1,
      other: ({ headRow, columnWords }) => columnWords[largest(headRow('weights'))],
      weight: ({ headRow }) => Math.max(...headRow('weights')),
    },
    holds: ({ kind }) => kind === 'cross',
    task: 'Find the French word that attends most to “dog”, and choose its row.',
    control: '#heatmap [role=application]',
    judge: (facts) => {
      const dog = facts.columnWords.indexOf('dog');
      return facts.kind === 'cross' && facts.row === largest(column(facts, dog));
    },
    seen: {
      text: '{word} gave “dog” more than any other French word did: {weight%}.',
      numbers: {
        word: ({ word }) => word,
        weight: ({ headRow, columnWords }) => headRow('weights')[columnWords.indexOf('dog')],
      },
    },
    doubt: {
      sentence: 'Cross-attention aligns the output with the input.',
      verdict: 'It depends on the layer.',
      why:
        'Reversing with one layer, the best head nearly always has its largest weight on the right token. With two ' +
        'layers that of the first has it there in 77 to 83 % of the cases.',
    },
  },
  {
    id: 'logits',
    title: 'Logits and probabilities',
    link: 'model=creek&part=probabilities&head=3.2&row=12&key=1',
    target: '#logits',
    needs: ({ plan }) => (plan.hasLogits ? ['logits'] : []),
    text: [
      'At the end each token’s vector is compared with a row for every word of the vocabulary. This model’s ' +
        'output is tied: the rows are the words’ embeddings. The dot products, with a bias, are the **logits**; a ' +
        'softmax over all {vocabulary#} makes them probabilities.',
      'At {word}, {answer} has the logit {z} and the probability {p%}; {second} has {z2} and {p2%}.',
    ],
    numbers: {
      vocabulary: ({ modelInfo }) => modelInfo?.outputVocabulary.length ?? NaN,
      word: ({ word }) => word,
      answer: ({ answers }) => answers()[0].word,
      z: ({ answers, rowOf }) => rowOf('logits')[answers()[0].id],
      p: ({ answers }) => answers()[0].probability,
      second: ({ answers }) => answers()[1].word,
      z2: ({ answers, rowOf }) => rowOf('logits')[answers()[1].id],
      p2: ({ answers }) => answers()[1].probability,
    },
    task: 'Find a token at which the model is surer than it is at “it”.',
    control: '#tokens-encoder',
    judge: ({ answers }) => answers()[0].probability > answers(12)[0].probability,
    seen: {
      text: 'At {word} the model answered {answer}, with {p%}.',
      numbers: {
        word: ({ word }) => word,
        answer: ({ answers }) => answers()[0].word,
        p: ({ answers }) => answers()[0].probability,
      },
    },
    doubt: {
      sentence: 'A linear function can compute neither a product a·b nor a AND b.',
      verdict: 'Holds.',
      why: 'The best one misses AND by 0.25. A threshold after it separates AND, but a threshold is not linear.',
    },
  },
  {
    id: 'temperature',
    title: 'Temperature and sampling',
    link: 'model=continue&text=One+day+a+hungry&part=probabilities&attention=decoder&head=2.4&row=3&key=1',
    target: '#logits',
    text: [
      'To continue a text, a word is **drawn** by its probability, appended, and the model runs again. A ' +
        'temperature below 1 sharpens the probabilities first, one above 1 flattens them.',
      'After {word} the likeliest word is {answer}, with {p%}; at the temperature {t} it has {sharp%}. The choice ' +
        'is as open as between {words} words of the same probability.',
    ],
    numbers: {
      word: ({ readWords, row }) => readWords[row],
      answer: ({ answers }) => answers()[0].word,
      p: ({ answers }) => answers()[0].probability,
      t: ({ state }) => state.writing.temperature,
      sharp: ({ answers, state }) => sharpened(answers(), state.writing.temperature),
      words: ({ answers }) => spread(answers().map(({ probability }) => probability)),
    },
    task: 'Let the model continue the story.',
    control: '#generation',
    judge: ({ state }) => state.written.length > 0,
    seen: {
      text: 'The model went on with {next}.',
      numbers: { next: ({ state, modelInfo }) => modelInfo?.outputVocabulary[state.written[0]] ?? NaN },
    },
    doubt: null,
  },
  {
    id: 'training',
    title: 'Training',
    link: 'model=creek&part=probabilities&head=3.2&row=12&key=1',
    target: '#logits',
    elsewhere: true,
    text: [
      'Every weight began as a random number. **Training** shows the model examples, measures its loss, the ' +
        'negative logarithm of the probability that it gave the right word, and moves each weight a little against ' +
        'its gradient. The trained model was shown {examples#} sentences in {steps#} steps.',
      'At {word} its answer {answer} has the loss {loss}. Guessing blindly among {vocabulary#} words has {chance}.',
    ],
    numbers: {
      steps: ({ modelInfo }) => modelInfo?.recipe.steps ?? NaN,
      examples: ({ modelInfo }) => (modelInfo ? modelInfo.recipe.steps * modelInfo.recipe.batchSize : NaN),
      word: ({ word }) => word,
      answer: ({ answers }) => answers()[0].word,
      loss: ({ answers }) => -Math.log(answers()[0].probability),
      vocabulary: ({ modelInfo }) => modelInfo?.outputVocabulary.length ?? NaN,
      chance: ({ modelInfo }) => Math.log(modelInfo?.outputVocabulary.length ?? NaN),
    },
    holds: ({ state }) => state.model !== 'untrained',
    task: 'See the same maps before any training.',
    tool: stateTool('Model', { trained: { model: 'creek' }, untrained: { model: 'untrained' } }),
    judge: ({ state }) => state.model === 'untrained',
    seen: {
      text: 'The model before step 1 had random weights: no head attended to anything in particular.',
      numbers: {},
    },
    doubt: {
      sentence: 'Without the scale, learning halts.',
      verdict: 'It depends on d_k and the learning rate.',
      why:
        'A head of width 64 learns to reverse 8 digits in every seed at a learning rate of 2e-3. At 1e-2 all of ' +
        '10 seeds are stuck without the scale, one with it.',
    },
  },
];

/** @param {Facts} facts @param {string} name */
const normOf = (facts, name) => `${layerOf(facts)}.norm${Math.max(1, facts.state.graph.sublayer)}.${name}`;

/** @param {Facts} facts @param {number} layer */
function cosine(facts, layer) {
  const [a, b] = [stateAfter(facts, layer - 1), stateAfter(facts, layer)].map((name) => facts.rowOf(name));
  return total(a.map((value, i) => value * b[i])) / norm(a) / norm(b);
}

/** The first one's probability at a temperature. @param {{probability: number}[]} all @param {number} temperature */
function sharpened(all, temperature) {
  if (!temperature) return 1;
  const powers = all.map(({ probability }) => (probability / all[0].probability) ** (1 / temperature));
  return 1 / total(powers);
}
