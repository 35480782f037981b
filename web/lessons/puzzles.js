// The puzzles, from easy to hard. A puzzle is data: where it starts, what it allows, and its goal as a predicate over
// the result that the engine computed.

import { sentenceOf } from '../draw/sentence.js';
import { formatShare } from '../draw/numbers.js';
import { attentionName, ffnName } from '../engine/plan.js';
import { distance, largest } from './numbers.js';
import { ffnHereTool, headTool, neuronOf, neuronTool } from './tools.js';

/**
 * @typedef {import('../app/schema.js').State} State
 * @typedef {import('../explore/shared/facts.js').Facts & {start: State}} Facts `start`: the puzzle's own state
 * @typedef {(facts: Facts) => string | null} Rule why the reader's state is refused
 *
 * `words` of the text that it speaks of; `says`: the result in words; `rules`: allowed changes; `isMet`: whether the
 * result is the goal; `finds`: the try where something is to be found.
 * @typedef {Omit<import('./index.js').Lesson<Facts>, 'judge'> & {
 *   words?: string[], says: (facts: Facts) => string, isMet: (facts: Facts) => boolean, rules: Rule[],
 *   finds?: (facts: Facts) => string,
 * }} Puzzle
 */

/** @param {string} text */
const wordsOf = (text) => text.toLowerCase().match(/[\p{L}[\]]+/gu) ?? [];

/** The number of words that differ from the start. @param {Facts} facts */
function changedWords({ state, start }) {
  const [now, then] = [wordsOf(state.text), wordsOf(start.text)];
  const [long, short] = now.length > then.length ? [now, then] : [then, now];
  return long.filter((word, i) => word !== short[i]).length + state.written.length;
}

/** The names of settings that stand otherwise. @param {Facts} facts */
const changedSettings = ({ state, start }) =>
  /** @type {(keyof State['settings'])[]} */ (Object.keys(start.settings)).filter(
    (name) => !Object.is(state.settings[name], start.settings[name]),
  );

/** Words, settings and interventions that are not the puzzle's. @param {Facts} facts */
const changesOf = (facts) => changedWords(facts) + changedSettings(facts).length + facts.state.interventions.length;

/** @param {number} most @returns {Rule} */
const atMost = (most) => (facts) => {
  const count = changesOf(facts);
  return count > most ? `That is ${count} changes; only ${most} is allowed.` : null;
};

/** @type {Rule} */
const sameText = (facts) => (changedWords(facts) ? 'The text must stay as it is.' : null);

/** @type {Rule} */
const sameModel = (facts) =>
  changesOf(facts) > changedWords(facts) ? 'The model must stay as it is: take your changes back.' : null;

/** @type {Rule} */
const headsOnly = (facts) =>
  changedSettings(facts).length || facts.state.interventions.some(({ what }) => what !== 'head')
    ? 'Only whole heads may be changed.'
    : null;

/**
 * Only parts of one kind are off.
 * @param {'neuron' | 'ffnAt' | 'feature'} what @param {string} refused @returns {Rule}
 */
const onlyOff = (what, refused) => (facts) => {
  const isOther = (/** @type {import('../engine/interventions.js').Intervention} */ each) =>
    each.what !== what || each.to !== 0;
  return changedSettings(facts).length || facts.state.interventions.some(isOther) ? refused : null;
};

const FEATURES_ONLY = 'Only a feature at one word may be switched off.';

/** Only features at a word are weaker. @param {string} word @returns {Rule} */
const onlyWeaker = (word) => (facts) => {
  const isIt = (/** @type {import('../engine/interventions.js').Intervention} */ each) =>
    each.what === 'feature' && each.row === rowOfWord(facts, word) && typeof each.to === 'number' && each.to <= 1;
  return changedSettings(facts).length || !facts.state.interventions.every(isIt)
    ? `Only a feature at “${word}” may be made weaker.`
    : null;
};

/** The least that is left of a feature, 1: all of each. @param {Facts} facts */
const left = ({ state }) =>
  Math.min(1, ...state.interventions.map((each) => (each.what === 'feature' ? Number(each.to) : 1)));

/** Nothing in a layer, nor what acts in every layer. @param {number} layer @returns {Rule} */
const notInLayer = (layer) => (facts) => {
  if (changedSettings(facts).length || facts.temperature !== 1)
    return `That acts in every layer, so in layer ${layer + 1}, too.`;
  const touches = facts.state.interventions.some((change) =>
    change.what === 'weight' ? change.name.includes(`layers.${layer}.`) : 'layer' in change && change.layer === layer,
  );
  return touches ? `You changed layer ${layer + 1}, which is not allowed.` : null;
};

/** Where a word stands last. @param {Facts} facts @param {string} word */
const rowOfWord = ({ readWords }, word) => readWords.lastIndexOf(word);

/** The likeliest word at a word of the text. @param {Facts} facts @param {string} word */
const answerAt = (facts, word) => facts.answers(rowOfWord(facts, word))[0];

/** @param {string} word */
const answer = (word) => (/** @type {Facts} */ facts) => {
  const { word: said, probability } = answerAt(facts, word);
  return `At “${word}” it says ${said} (${formatShare(probability)}).`;
};

/** The entropy of what a row says, in bits. @param {Facts} facts @param {number} row */
const entropy = (facts, row) =>
  -facts.answers(row).reduce((sum, { probability: p }) => sum + (p ? p * Math.log2(p) : 0), 0);

/** The share of the answer at "it" that each head holds up. @param {Facts} facts */
function drops(facts) {
  const row = rowOfWord(facts, 'it');
  const { id, probability } = facts.answers(row)[0];
  const heads = facts
    .derived(`@ablations/${row}`)
    .heads.map((/** @type {any} */ each) => ({
      ...each,
      left: each.probabilities[id],
      drop: probability - each.probabilities[id],
    }));
  const { layer, head, mean } = facts.selection;
  const mine = heads.find((/** @type {any} */ each) => !mean && each.layer === layer && each.head === head);
  return { heads, mine };
}

/** The attention that the first word keeps for itself, in the head that keeps least. @param {Facts} facts */
const leastOnItself = ({ settings, tensor, kind }) =>
  Math.min(
    ...Array.from({ length: settings.layers }, (_, layer) => {
      const { data, shape } = tensor(attentionName(kind, layer, 'weights'));
      const [, heads, rows, columns] = shape;
      return Array.from({ length: heads }, (__, head) => data[head * rows * columns]);
    }).flat(),
  );

/** The distance of the output vectors of the two "the". @param {Facts} facts */
function apart(facts) {
  const [one, two] = facts.readWords.flatMap((word, row) => (word === 'the' ? [row] : []));
  return distance(facts.rowOf('output', one), facts.rowOf('output', two));
}

/** @param {Facts} facts */
const headsOff = ({ state }) => state.interventions.filter((each) => each.what === 'head' && each.to === 0).length;

/** @param {Facts} facts */
const french = ({ tokens }) => tokens.decoder?.predicted?.words.filter((word) => word !== '[EOS]') ?? [];

/** The activations of a neuron, one a word. @param {Facts} facts @param {number} layer @param {number} neuron */
const activations = ({ rowOf, readWords, kind }, layer, neuron) =>
  readWords.map((_, row) => rowOf(ffnName(kind, layer, 'activation'), row)[neuron]);

/** The shown neuron at the two pronouns, and its largest value elsewhere. @param {Facts} facts */
function atPronouns(facts) {
  const values = activations(facts, facts.selection.layer, neuronOf(facts));
  const [they, them] = ['they', 'them'].map((word) => values[rowOfWord(facts, word)]);
  const rest = Math.max(...values.filter((_, row) => !/^the[ym]$/.test(facts.readWords[row])));
  return { they, them, rest };
}

const DEEP = 'The fox did not jump over the pond because it was deep.';
const DOGS = 'The dogs near the creek [MASK] hungry.';
const THEY = 'The dogs chased the cats because they wanted to eat them.';
const CAKE = 'The fox was hungry so it ate the cake.';
const RUG = 'The dog sat on the rug because it was tired.';
const SLEEPY = 'The dog did not jump over the pond because it was sleepy.';
const TIRED = 'The dog did not jump over the creek because it was tired.';
const QUEEN = 'one day a hungry fox and a queen saw a red ball. the';

/** @param {Puzzle} puzzle @returns {import('./index.js').Lesson<Facts>} */
const judged = ({ words = [], says, isMet, rules, finds, ...lesson }) => ({
  ...lesson,
  ...(finds ? { unit: /** @type {[string, string]} */ (['try', 'tries']) } : {}),
  judge(facts) {
    const score = finds ? null : changesOf(facts);
    const found = finds?.(facts) ?? null;
    const lacking = lackingWord(words, facts.readWords);
    if (lacking) return { says: `The text has no “${lacking}”.`, refused: '', isMet: false, score, found };
    const refused = rules.flatMap((rule) => rule(facts) ?? [])[0] ?? '';
    return { says: says(facts), refused, isMet: !refused && isMet(facts), score, found };
  },
});

/** A word that a puzzle speaks of more often than the text has it. @param {string[]} needed @param {string[]} words */
function lackingWord(needed, words) {
  /** @param {readonly string[]} all @param {string} word */
  const times = (all, word) => all.filter((each) => each === word).length;
  return needed.find((word) => times(words, word) < times(needed, word));
}

/** @type {Puzzle[]} */
const all = [
  {
    id: 'reason',
    title: 'Another reason',
    task: 'Here “it” is the pond. Change one word of the text so that “it” becomes the fox.',
    link: `model=creek&text=${DEEP}&head=3.2&row=9&key=7`,
    goal: 'fox.',
    par: 1,
    words: ['it'],
    hint: 'A pond can be deep. What can only a fox be?',
    shows: 'No word says what “it” is. The model learned which nouns go with which adjectives, and chooses by that.',
    says: answer('it'),
    rules: [sameModel, (facts) => (changedWords(facts) > 1 ? 'Change one word only.' : null)],
    isMet: (facts) => answerAt(facts, 'it').word === 'fox',
  },
  {
    id: 'open',
    title: 'Anything can happen',
    task: 'Find the word of this story after which the model is least sure what comes next, and select it.',
    link: 'model=continue&head=2.4&row=0&key=0',
    goal: 'the highest entropy of all words.',
    par: 2,
    hint: 'After “one” only “day” can follow. Where can a noun or an adjective of any kind follow?',
    shows:
      'Entropy measures how open the choice is. The model is nearly certain where grammar or the story decides, and ' +
      'spreads its probability where the teller is free.',
    says: (facts) => `After “${facts.word}” the entropy is ${entropy(facts, facts.row).toFixed(1)} bits.`,
    rules: [sameText, sameModel],
    isMet: (facts) => facts.row === largest(facts.readWords.map((_, row) => entropy(facts, row))),
    finds: ({ row }) => String(row),
  },
  {
    id: 'link',
    title: 'The head that knows “it”',
    task: 'Find the head that links “it” to its noun: without it the answer falls most. Select it.',
    link: 'model=creek&head=1.1&row=12&key=1',
    goal: 'the head that costs the answer most.',
    par: 2,
    words: ['it'],
    hint: 'Look along the row of “it” in each map. In which one is a single cell dark, and not its own?',
    shows:
      'Each head was switched off in turn. Most hardly matter here: the others, or the residual stream, carry what ' +
      'they carried. One does not have a substitute.',
    needs: ({ plan: { tokens } }) => {
      const row = tokens.encoder?.words.lastIndexOf('it') ?? -1;
      return row < 0 ? [] : [`@ablations/${row}`];
    },
    says(facts) {
      const { mine } = drops(facts);
      if (!mine) return 'The mean of several heads is selected.';
      const { word, probability } = answerAt(facts, 'it');
      const where = `layer ${mine.layer + 1}, head ${mine.head + 1}`;
      return `Without ${where}, ${word} goes from ${formatShare(probability)} to ${formatShare(mine.left)}.`;
    },
    rules: [sameText, sameModel],
    isMet(facts) {
      const { heads, mine } = drops(facts);
      return heads.every((/** @type {any} */ each) => each.drop <= mine.drop);
    },
    finds: ({ selection: { layer, head, mean } }) => `${layer}.${head}.${mean ? 1 : 0}`,
  },
  {
    id: 'first',
    title: 'Read nothing but yourself',
    task: 'Make the first word attend only to itself, in every head of every layer.',
    link: 'model=untrained&head=1.1&row=0&key=0',
    goal: 'at least 99.9 % in every head.',
    par: 1,
    hint: 'Decoders never look ahead. What stops them?',
    shows:
      'Under a causal mask a word attends to itself and to earlier words. The first has no earlier one, so all its ' +
      'weight stays at home, whatever the scores are.',
    needs: ({ plan: { settings } }) =>
      settings.kind === 'encoder'
        ? Array.from({ length: settings.layers }, (_, layer) => attentionName('encoder', layer, 'weights'))
        : [],
    says: (facts) => `The first word gives itself at least ${formatShare(leastOnItself(facts))} of its attention.`,
    rules: [sameText],
    isMet: (facts) => leastOnItself(facts) >= 0.999,
  },
  {
    id: 'gender',
    title: 'Froid or froide?',
    task: 'Change one word of the English so that the French says “froide”.',
    link: 'model=translate&attention=cross&head=2.1&mean=1&row=3&key=4',
    goal: '“froide”.',
    par: 1,
    hint: '“Cold” does not have a gender. What does it describe, and which noun is feminine in French?',
    shows:
      'English “cold” is the same for both. To write the ending, the decoder needs the gender of another word, and ' +
      'reaches it through attention.',
    says: (facts) => `It writes: ${sentenceOf(french(facts))}`,
    rules: [
      sameModel,
      ({ state }) => (state.written.length ? 'Change the English. The French is the model’s.' : null),
      (facts) => (changedWords(facts) > 1 ? 'Change one word only.' : null),
    ],
    isMet: (facts) => french(facts).includes('froide'),
  },
  {
    id: 'twins',
    title: 'Identical twins',
    task: 'This model has “the” twice, and makes two vectors of it. Make them the same.',
    link: 'model=untrained&text=the cat saw the dog.&head=1.1&row=0&key=3',
    goal: 'less than 0.001.',
    par: 1,
    words: ['the', 'the'],
    hint: 'Both begin as the same embedding. What is added to it?',
    shows:
      'Attention itself does not know any order. Two equal words differ only by their positional encoding; without ' +
      'it the model sees a bag of words.',
    needs: () => ['output'],
    says(facts) {
      const length = apart(facts);
      return `The two vectors are ${length < 1e-3 ? 'less than 0.001' : length.toPrecision(2)} apart.`;
    },
    rules: [sameText],
    isMet: (facts) => apart(facts) < 1e-3,
  },
  {
    id: 'queen',
    title: 'Enter the queen',
    task: 'The story goes on with the fox. Change heads, and nothing else, until it goes on with the queen.',
    link: `model=continue&text=${QUEEN}&head=2.4&row=13&key=4`,
    tool: headTool,
    goal: 'queen.',
    par: 1,
    words: ['the'],
    hint: 'One head of layer 1 is enough.',
    shows:
      'Both characters can be copied. A head of layer 1 helps to tell who came first; without it the model still ' +
      'copies a character, but another one.',
    says: answer('the'),
    rules: [sameText, headsOnly],
    isMet: (facts) => answerAt(facts, 'the').word === 'queen',
  },
  {
    id: 'prune',
    title: 'Two heads are enough',
    task: 'The model has six heads. Switch off four of them so that it still says creek with at least 50 %.',
    link: 'model=creek&head=3.2&row=12&key=1',
    tool: headTool,
    goal: '4 heads off, and creek with at least 50 %.',
    par: 4,
    words: ['it'],
    hint: 'Keep the head that links “it” to its noun, and one of layer 1 that prepares its keys.',
    shows:
      'Which head matters depends on the others: what costs little alone can cost much together. This is how ' +
      'models are pruned.',
    says: (facts) => `${answer('it')(facts)} ${headsOff(facts)} of 6 heads are off.`,
    rules: [sameText, headsOnly],
    isMet: (facts) =>
      headsOff(facts) >= 4 && answerAt(facts, 'it').word === 'creek' && answerAt(facts, 'it').probability >= 0.5,
  },
  {
    id: 'dog',
    title: 'Make it say dog',
    task: 'Make it say dog with one change. The text stays as it is.',
    link: 'model=creek&head=3.2&row=12&key=1',
    goal: 'dog.',
    par: 1,
    words: ['it'],
    hint: 'Layer 3 only fetches the noun. In layer 2 “it” decides what it looks for: let it attend to what dogs do.',
    shows:
      'Attention to the dog itself does not do it. What counts is which noun the query of “it” looks for in the ' +
      'last layer, and layer 2 decides that.',
    says: answer('it'),
    rules: [sameText, atMost(1)],
    isMet: (facts) => answerAt(facts, 'it').word === 'dog',
  },
  {
    id: 'agreement',
    title: 'Break agreement',
    task: 'Make the model expect “was” instead of “were”, without touching layer 3.',
    link: `model=creek&text=${DOGS}&head=3.2&row=5&key=1`,
    goal: 'was.',
    par: 1,
    words: ['[MASK]'],
    hint:
      'Layer 3 copies the number from “dogs”. So the vector of “dogs” must lose it before: by what it attends to in ' +
      'layer 2, or by heads of layers 1 and 2 together.',
    shows:
      'A circuit has several parts. The head of layer 3 that moves the number to the verb is intact, but what it ' +
      'moves was spoiled before.',
    says: answer('[MASK]'),
    rules: [sameText, notInLayer(2)],
    isMet: (facts) => answerAt(facts, '[MASK]').word === 'was',
  },
  {
    id: 'pronouns',
    title: 'The neuron of “they” and “them”',
    task: 'Find the neuron of layer 2 that answers most clearly to “they” and “them”, and select it.',
    link: `model=creek&text=${THEY}&part=ffn&head=2.1&row=1&key=1`,
    goal: 'above 3 at “they” and “them”, below 1 at all other words.',
    par: 2,
    words: ['they', 'them'],
    hint: 'Look along the rows of “they” and “them” in the map. Which column is dark in both, and only there?',
    shows:
      'Nobody gave this neuron its task: it came with training. In the model’s held-out sentences, too, it is ' +
      'largest at “they”, then at “them”, and reaches less than half of that at any other word.',
    needs: ({ state: { selection } }) => [ffnName('encoder', selection.layer, 'activation')],
    says(facts) {
      const { they, them, rest } = atPronouns(facts);
      return (
        `Layer ${facts.selection.layer + 1}, neuron ${neuronOf(facts)}: ${they.toFixed(2)} at “they”, ` +
        `${them.toFixed(2)} at “them”, at most ${rest.toFixed(2)} at the others.`
      );
    },
    rules: [sameText, sameModel],
    isMet(facts) {
      const { they, them, rest } = atPronouns(facts);
      return Math.min(they, them) > 3 && rest < 1;
    },
    finds: (facts) => `${facts.selection.layer}.${neuronOf(facts)}`,
  },
  {
    id: 'wake',
    title: 'Wake a neuron',
    task: 'Neuron 53 of layer 2 is 0 at every word of this text. Write a text in which it is above 3.',
    link: `model=creek&text=${CAKE}&part=ffn&head=2.1&row=5&key=1&neuron=53`,
    goal: 'above 3 at one word or more.',
    par: 3,
    hint: 'It answers to “it”, but not where “it” is an animal. What could a fox jump over?',
    shows:
      'A neuron can know more than a word. In the model’s held-out sentences this one is on average above 3 at an ' +
      '“it” that the model reads as a creek, a pond or a puddle, and below 1 where “it” is a cat, a fox or a goat.',
    needs: () => [ffnName('encoder', 1, 'activation')],
    says(facts) {
      const values = activations(facts, 1, 53);
      const most = largest(values);
      return values[most] > 0
        ? `Neuron 53 of layer 2 is largest at “${facts.readWords[most]}”, with ${values[most].toFixed(2)}.`
        : 'Neuron 53 of layer 2 is 0 at every word.';
    },
    rules: [sameModel],
    isMet: (facts) => activations(facts, 1, 53).some((value) => value > 3),
    finds: ({ readWords }) => readWords.join(' '),
  },
  {
    id: 'neuron-off',
    title: 'One neuron is enough',
    task: 'Here “it” is the dog. Switch off one neuron so that the model says “it” instead.',
    link: `model=creek&text=${RUG}&part=ffn&head=3.1&row=7&key=1`,
    tool: neuronTool,
    goal: '“it”.',
    par: 1,
    words: ['it'],
    hint: 'The neuron is in layer 1. There it is one of the three that are largest at “it”.',
    shows:
      'This neuron answers to pronouns. Without it the model repeats “it” instead of naming a noun. That is rare: no ' +
      'other neuron does it here, and in “The dog did not jump over the creek because it was tired.” none does.',
    needs: ({ state: { selection } }) => [ffnName('encoder', selection.layer, 'activation')],
    says: answer('it'),
    rules: [sameText, onlyOff('neuron', 'Only neurons may be switched off.'), atMost(1)],
    isMet: (facts) => answerAt(facts, 'it').word === 'it',
  },
  {
    id: 'ffn-here',
    title: 'One FFN at one word',
    task: 'Switch off one FFN at one word so that “it” becomes the pond.',
    link: `model=creek&text=${SLEEPY}&part=ffn&head=3.2&row=9&key=1`,
    tool: ffnHereTool,
    goal: 'pond.',
    par: 1,
    words: ['it'],
    hint: 'At “it” itself no FFN does it. Which word says that “it” is the dog? Change it before layer 2 reads it.',
    shows:
      'A head of layer 2 brings “sleepy” to “it”, but the FFN of layer 1 has to work on “sleepy” first. No other ' +
      'FFN, at any word, turns the answer to the pond.',
    says: answer('it'),
    rules: [sameText, onlyOff('ffnAt', 'Only an FFN at one word may be switched off.'), atMost(1)],
    isMet: (facts) => answerAt(facts, 'it').word === 'pond',
  },
  {
    id: 'feature-off',
    title: 'One feature is enough',
    task: 'Find the features after layer 2. Then switch off one of them at one word so that “it” becomes the pond.',
    link: `model=creek&text=${SLEEPY}&part=norm&sublayer=2&face=features&head=2.1&row=9&key=1`,
    goal: 'pond.',
    par: 1,
    words: ['it'],
    hint: 'The card of a feature says what it detects. Which one says what “it” stands for?',
    shows:
      'Two features do it: at “it” the one for an animal’s pronoun, and at “dog” the one for this word. No neuron of ' +
      'any layer does, neither off at one word nor at all of them.',
    says: answer('it'),
    rules: [sameText, onlyOff('feature', FEATURES_ONLY), atMost(1)],
    isMet: (facts) => answerAt(facts, 'it').word === 'pond',
  },
  {
    id: 'feature-plural',
    title: 'Singular by one feature',
    task:
      'Make the model expect “was” instead of “were”: find the features after layer 1 and switch off one of them at ' +
      'one word.',
    link: `model=creek&text=${DOGS}&part=norm&sublayer=2&face=features&head=1.1&row=5&key=1`,
    goal: 'was.',
    par: 1,
    words: ['[MASK]'],
    hint: 'Which word says that there are several? Select it, and do not trust a name with “≈”.',
    shows:
      'It is called “≈ cats” and fires at dogs and kings as well: no label of the grammar fits it. What a ' +
      'feature does can be clearer than its name. No neuron does it, and after layer 2 no feature.',
    says: answer('[MASK]'),
    rules: [sameText, onlyOff('feature', FEATURES_ONLY), atMost(1)],
    isMet: (facts) => answerAt(facts, '[MASK]').word === 'was',
  },
  {
    id: 'feature-tips',
    title: 'The tipping point',
    task:
      'Find the features after layer 2. Make one of them weaker at “it” until “it” is the creek, and keep as much of ' +
      'it as you can.',
    link: `model=creek&text=${TIRED}&part=norm&sublayer=2&face=features&head=2.1&row=9&key=1`,
    goal: 'creek, with × 0.2 of the feature or more.',
    par: 1,
    words: ['it'],
    hint: 'The slider of the feature stands under the curves of both answers. Where do they cross?',
    shows:
      'The answer does not fade with the feature: it tips. Down to × 0.4 dog keeps more than half; at × 0.2 three ' +
      'words are nearly even, and creek leads.',
    says: (facts) => `${answer('it')(facts)} × ${Number(left(facts).toFixed(2))} of the feature is left.`,
    rules: [sameText, onlyWeaker('it'), atMost(1)],
    isMet: (facts) => answerAt(facts, 'it').word === 'creek' && left(facts) >= 0.2,
  },
];

export const puzzles = all.map(judged);
