// The first lesson, for a complete beginner: the page's subject, the meaning of the arc, one word, which head.

import { ofAttention } from './attention.js';
import { largest } from './numbers.js';
import { headHereTool, stateTool } from './tools.js';

/**
 * @typedef {import('./index.js').Lesson<Facts>} Page
 * @typedef {import('../explore/shared/facts.js').Facts} Facts
 */

const TIRED = 'The dog did not jump over the creek because it was tired.';
const DEEP = TIRED.replace('tired', 'deep');
const LINK = `model=creek&text=${TIRED.replaceAll(' ', '+')}&head=3.2&row=9&key=1`;
const IT = 9; // its place

/** The answer at "it", and its probability. @type {import('./index.js').Numbers<Facts>} */
const ANSWER = { answer: ({ answers }) => answers(IT)[0].word, p: ({ answers }) => answers(IT)[0].probability };

/** Where it looks there. @type {import('./index.js').Numbers<Facts>} */
const ARC = { other: (facts) => facts.columnWords[largest(facts.headRow('weights', IT))] };

/** The state for a text: the cell follows the answer. @param {string} text */
const withText = (text) => ({ text, written: [], follow: true, brush: [] });

/** @param {Facts} facts @param {string} word at the place of "it" */
const probabilityOf = ({ answers }, word) => answers(IT).find((each) => each.word === word)?.probability ?? NaN;

/** The one head that is off at "it" alone. @param {Facts} facts */
function headOff({ interventions }) {
  const [change, ...more] = interventions;
  return change?.what === 'headAt' && change.row === IT && change.to === 0 && !more.length ? change : null;
}

/** @typedef {Record<'heads' | 'ffns', {probabilities: Float32Array}[]>} Ablations */

/** The shares of the answer with a part off. @param {Facts} facts @param {keyof Ablations} of @param {string} at */
function without({ derived, answers }, of, at) {
  const [{ id }] = answers(IT);
  const all = /** @type {Ablations} */ (derived(`@ablations/${IT}${at}`));
  return all[of].map(({ probabilities }) => probabilities[id]);
}

/** Of how many heads less than half is left. @param {Facts} facts @param {string} at */
const decisive = (facts, at) => without(facts, 'heads', at).filter((p) => p < 0.5).length;

/** @type {Page[]} */
export const startPages = [
  {
    id: 'what',
    title: 'What is this?',
    link: LINK,
    target: '#tokens-encoder',
    text: [
      'A **Transformer** is the kind of program behind today’s chatbots. This one is small enough to look inside: it ' +
        'knows {vocabulary#} words and signs, and was trained on {examples#} short sentences.',
      'It has read the sentence above, and says what {word} stands for: {answer}, with {p%}. Nobody wrote a rule for ' +
        'that. So how does it know?',
    ],
    numbers: {
      vocabulary: ({ modelInfo }) => modelInfo?.vocabulary.length ?? NaN,
      examples: ({ modelInfo }) => (modelInfo ? modelInfo.recipe.steps * modelInfo.recipe.batchSize : NaN),
      word: ({ rowWords }) => rowWords[IT],
      ...ANSWER,
    },
    judge: () => true,
    doubt: null,
  },
  {
    id: 'arc',
    title: 'Where it looks',
    link: LINK,
    target: '#tokens-encoder',
    figure: '.map-and-lines',
    needs: ofAttention('weights'),
    text: [
      'Every word may look at every other and take something from it. This is **attention**. The thick arc starts at ' +
        'the word that looks: {word} gives {weight%} of its attention to {other}.',
      'The map has all pairs: a row for each word that looks, a column for each word it looks at. The darker the ' +
        'cell, the more attention.',
    ],
    numbers: {
      word: ({ word }) => word,
      other: ({ keyWord }) => keyWord,
      weight: ({ headRow, key }) => headRow('weights')[key],
    },
    task: 'Select another word of the sentence. Where does it look?',
    control: '#tokens-encoder',
    judge: ({ row }) => row !== IT,
    seen: {
      text: '{word} looked most at {other}, with {weight%} of its attention.',
      numbers: {
        word: ({ word }) => word,
        other: (facts) => facts.columnWords[largest(facts.headRow('weights'))],
        weight: ({ headRow }) => Math.max(...headRow('weights')),
      },
    },
    doubt: null,
  },
  {
    id: 'flip',
    title: 'Change one word',
    link: LINK,
    target: '#tokens-encoder',
    needs: ofAttention('weights'),
    text: [
      'A dog gets tired, a creek does not. So one word can decide what another stands for.',
      'Now the answer is {answer}, with {p%}, and the arc leads from {word} to {other}.',
    ],
    numbers: { ...ANSWER, ...ARC, word: ({ rowWords }) => rowWords[IT] },
    task: 'Change “tired” to “deep”, and watch arc and answer.',
    tool: stateTool('because it was', { tired: withText(TIRED), deep: withText(DEEP) }),
    judge: ({ state }) => state.text === DEEP,
    seen: {
      text: 'With “deep” the answer was {answer}, with {p%}, and the arc led to {other}.',
      numbers: { ...ANSWER, ...ARC },
    },
    doubt: null,
  },
  {
    id: 'which',
    title: 'Which heads did it?',
    link: LINK.replace('head=3.2', 'head=1.1'),
    target: '.model-graph-panel',
    figure: '.map-and-lines',
    needs: () => ['', '/at'].map((at) => `@ablations/${IT}${at}`),
    text: [
      'What you saw is the work of **heads**. Each of the model’s {layers#} layers has {heads#}, and each head looks ' +
        'in its own way: the small maps in the row above the large one are all of them.',
      'With all heads on, the answer is {answer}, with {p%}. Off at every word, {every#} of the heads takes it below ' +
        '50 %. Off at {word} alone, {here#} do: one finds the reason, one fetches the noun.',
      'The FFNs count, too: with that of layer 1, 2 or 3 off, {answer} has {f1%}, {f2%} or {f3%}.',
    ],
    numbers: {
      layers: ({ settings }) => settings.layers,
      heads: ({ settings }) => settings.heads,
      ...ANSWER,
      every: (facts) => decisive(facts, ''),
      word: ({ rowWords }) => rowWords[IT],
      here: (facts) => decisive(facts, '/at'),
      f1: (facts) => without(facts, 'ffns', '')[0],
      f2: (facts) => without(facts, 'ffns', '')[1],
      f3: (facts) => without(facts, 'ffns', '')[2],
    },
    holds: ({ interventions }) => !interventions.length,
    task:
      'Select a head in that row and switch it off at “it”, then on again. Find one of the two without which “dog” ' +
      'falls below 50 %.',
    tool: headHereTool(IT, 'it'),
    judge: (facts) => Boolean(headOff(facts)) && probabilityOf(facts, 'dog') < 0.5,
    seen: {
      text: 'With head {head#} of layer {layer#} off at “it” alone, the probability of “dog” was {p%}.',
      numbers: {
        layer: (facts) => 1 + (headOff(facts)?.layer ?? NaN),
        head: (facts) => 1 + (headOff(facts)?.head ?? NaN),
        p: (facts) => probabilityOf(facts, 'dog'),
      },
    },
    hint: 'Look at the row of “it” in each map. In which is a single cell dark?',
    doubt: {
      sentence: 'Switch each head off: the one without which the answer falls most did it.',
      verdict: 'Depends on what off means.',
      why:
        'Off everywhere, off at one word, its average instead of 0 and one link cut are four experiments, with four ' +
        'results. A head that finds the reason can look harmless in the first: then every word has lost it, not ' +
        '“it” alone.',
    },
  },
];
