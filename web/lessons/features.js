// The textbook's chapter “Neurons and features”: neurons cannot be read, features can; one feature turns the answer;
// detecting is not causing.

import { setTo } from '../engine/interventions.js';
import { ffnName } from '../engine/plan.js';
import { neuronOf, neuronTool } from './tools.js';

/**
 * @typedef {import('./index.js').Lesson<Facts>} Page
 * @typedef {import('../explore/shared/facts.js').Facts} Facts
 * @typedef {import('../explore/index.js').Query} Query
 */

const IT = 9;
const TEXT = 'text=The dog did not jump over the creek because it was tired.';
const FFN = `model=creek&${TEXT}&part=ffn&head=2.1&row=${IT}&key=1`;
const STREAM = `model=creek&${TEXT}&part=norm&sublayer=2&face=features&head=2.1&row=${IT}&key=1`;
const DETECTS = 'pronoun for animal';
const KEY = 88; // the neuron that detects nearly the same

/** The dictionary after layer 2 that the reader has asked for. @param {string} [found] */
const nameIn = (found = '') => found.split(',').find((each) => each.startsWith('encoder.1.out.'));

/** @param {Query} query */
const ofDictionary = ({ state: { found } }) => {
  const name = nameIn(found);
  return name ? [`@features/${name}`] : [];
};

/** The dictionary's answer; none while it is being trained. @param {Facts} facts */
function foundIn({ derived, state }) {
  const found = derived(`@features/${nameIn(state.found)}`);
  return /** @type {import('../explore/derived/features.js').Found | null} */ (found.scores ? found : null);
}

/** @param {Facts} facts */
const found = (facts) => /** @type {import('../explore/derived/features.js').Found} */ (foundIn(facts));

/** The features that are active at the reader's word, the strongest first. @param {Facts} facts */
function activeHere(facts) {
  const { values, size } = found(facts);
  const own = values.subarray(facts.row * size, (facts.row + 1) * size);
  return [...own.keys()].filter((n) => own[n] > 0).sort((a, b) => own[b] - own[a]);
}

/** The feature that the pages speak of: it detects what “it” stands for. @param {Facts} facts */
const telling = (facts) =>
  activeHere(facts)
    .filter((n) => found(facts).scores[n]?.label === DETECTS)
    .sort((a, b) => Number(found(facts).scores[b]?.f1) - Number(found(facts).scores[a]?.f1))[0];

/** The chosen feature, until the reader chooses one the strongest. @param {Facts} facts */
const chosen = (facts) => facts.state.cursor.feature ?? activeHere(facts)[0];

/** Its score. @param {Facts} facts @param {number} feature */
const scoreOf = (facts, feature) =>
  /** @type {NonNullable<import('../explore/derived/features.js').Found['scores'][number]>} */ (
    found(facts).scores[feature]
  );

/** @param {Facts} facts */
const isTelling = (facts) => Boolean(foundIn(facts)) && chosen(facts) === telling(facts);

/** The pages' feature off at “it”. @param {Facts} facts @returns {import('../engine/interventions.js').Intervention} */
const offAtIt = (facts) => ({
  ...{ what: 'feature', kind: 'encoder', layer: 1, part: 'out' },
  ...{ seed: Number(nameIn(facts.state.found)?.split('.')[3]), feature: telling(facts), row: IT, to: 0 },
});

/** @param {Facts} facts */
const isOff = ({ interventions }) => interventions.some((each) => each.what === 'neuron' && each.to === 0);

const ANSWER = {
  answer: (/** @type {Facts} */ { answers }) => answers(IT)[0].word,
  p: (/** @type {Facts} */ { answers }) => answers(IT)[0].probability,
};
const WORD = { word: (/** @type {Facts} */ { word }) => word };

/** Number of the layer's neurons. @type {Record<string, (facts: Facts) => number>} */
const HIDDEN = { hidden: ({ settings }) => Number(settings.d_ff) };

/** @type {Page[]} */
export const featurePages = [
  {
    id: 'mute-neurons',
    title: 'Neurons cannot be read',
    link: FFN,
    target: '#ffn',
    needs: () => [ffnName('encoder', 1, 'activation')],
    text: [
      'After its attention each layer computes with **neurons**, its FFN. That of layer 2 has {hidden#}, ' +
        'and {active#} of them are active at {word}.',
      'What does one stand for? Look at a few: each answers to several unrelated words. There are more things to ' +
        'say than neurons, so the model mixes them. This is **superposition**.',
      'The answer is {answer}, with {p%}.',
    ],
    numbers: {
      ...HIDDEN,
      active: ({ rowOf }) => rowOf(ffnName('encoder', 1, 'activation'), IT).filter((value) => value > 0).length,
      word: ({ rowWords }) => rowWords[IT],
      ...ANSWER,
    },
    holds: ({ interventions }) => !interventions.length,
    task: 'Choose a neuron in the map and switch it off. Can one of them turn the answer?',
    tool: neuronTool,
    judge: isOff,
    seen: { text: 'With one neuron off the answer was {answer}, with {p%}.', numbers: ANSWER },
    doubt: {
      sentence: 'Enough patience would find the neuron that turns it.',
      verdict: 'Fails here.',
      why: 'Each of the 288 neurons of this model, off at every word or at “it” alone, leaves “dog” the first answer.',
    },
  },
  {
    id: 'dictionary',
    title: 'A dictionary',
    link: STREAM,
    target: '#feature-map',
    needs: ofDictionary,
    text: [
      'A **dictionary** takes these sums apart. It is a feed-forward network itself, very wide. Of its units, the ' +
        '**features**, only the few strongest may stay active at a word. From them it learns to rebuild the vector.',
      'So a feature has to be worth its place: most end up with one meaning. Elsewhere this takes a server and days. ' +
        'The vectors of this model have {width#} numbers, and it takes seconds.',
    ],
    numbers: { width: ({ settings }) => settings.d_model },
    task: 'Press “Find its features” and watch the map grow clear.',
    control: '#feature-map',
    judge: (facts) => Boolean(nameIn(facts.state.found) && foundIn(facts)),
    seen: {
      text: 'Of {size#} features {here#} are active at {word}. Of the held-out vectors {rebuilt%} is rebuilt.',
      numbers: {
        size: (facts) => found(facts).size,
        here: (facts) => activeHere(facts).length,
        ...WORD,
        rebuilt: (facts) => 1 - found(facts).unexplained,
      },
    },
    doubt: {
      sentence: 'The names come from the dictionary.',
      verdict: 'Fails.',
      why:
        'It has numbers only. A name is the label of the grammar that the feature detects best, measured in ' +
        'sentences that its training did not see. “≈” says that it fits loosely.',
    },
  },
  {
    id: 'find-feature',
    title: 'Find the switch',
    link: `${STREAM}&found=encoder.1.out.0&feature=228`,
    target: '#feature-map',
    needs: ofDictionary,
    text: [
      'First stand the features that are active at {word}, the strongest in front; those of the other words follow.',
      'A card says in which sentences a feature fires and how well it detects. Some only say which word this is. One ' +
        'says what the word **stands for**.',
    ],
    numbers: WORD,
    task: 'Choose the feature that knows what “it” stands for.',
    control: '#feature-map',
    judge: isTelling,
    seen: {
      text: 'It is right {precision%} of the times it fires, and finds {recall%} of these pronouns: F1 {f1}.',
      numbers: {
        precision: (facts) => scoreOf(facts, chosen(facts)).precision,
        recall: (facts) => scoreOf(facts, chosen(facts)).recall,
        f1: (facts) => scoreOf(facts, chosen(facts)).f1,
      },
    },
    doubt: null,
  },
  {
    id: 'flip-feature',
    title: 'Flip it',
    link: `${STREAM}&found=encoder.1.out.0`,
    target: '#feature-map',
    needs: ofDictionary,
    text: [
      'Is this feature a **cause**, or does it only know? Take it out of the vector of “it”, at this one place: its ' +
        'strength times its direction is subtracted, and nothing else is touched.',
      'With it the answer is {answer}, {p%}.',
    ],
    numbers: ANSWER,
    holds: ({ interventions }) => !interventions.length,
    task: 'Switch it off at “it”.',
    tool: {
      label: 'Pronoun for animal, at “it”',
      choices: {
        on: ({ interventions }, facts) => ({ interventions: setTo(interventions, offAtIt(facts), null) }),
        off: ({ interventions }, facts) => ({ interventions: setTo(interventions, offAtIt(facts), 0) }),
      },
    },
    judge: ({ interventions }) => interventions.some((each) => each.what === 'feature' && each.to === 0),
    seen: {
      text: 'Without this one feature the answer was {answer}, with {p%}. Below the map stands every neuron beside it.',
      numbers: ANSWER,
    },
    doubt: {
      sentence: 'One sentence proves it.',
      verdict: 'Fails.',
      why: '“Does it hold?” below the map tries all sentences of this kind and counts where it turns, and where not.',
    },
  },
  {
    id: 'detecting',
    title: 'Detecting is not causing',
    link: `${FFN}&neuron=${KEY}`,
    target: '#ffn',
    needs: () => [ffnName('encoder', 1, 'activation')],
    text: [
      `Neuron ${KEY} of layer 2 is a fair detector, too: in held-out sentences it is large where a pronoun stands ` +
        'for an animal. At {word} it is {value}.',
      'If what detects were what causes, this neuron would carry the answer: {answer}, {p%}.',
    ],
    numbers: {
      word: ({ rowWords }) => rowWords[IT],
      value: ({ rowOf }) => rowOf(ffnName('encoder', 1, 'activation'), IT)[KEY],
      ...ANSWER,
    },
    holds: ({ interventions }) => !interventions.length,
    task: `Switch neuron ${KEY} off, at every word.`,
    tool: neuronTool,
    judge: (facts) =>
      facts.interventions.some((each) => each.what === 'neuron' && each.neuron === KEY && each.to === 0) &&
      neuronOf(facts) === KEY,
    seen: { text: `With neuron ${KEY} off at every word the answer was {answer}, with {p%}.`, numbers: ANSWER },
    doubt: {
      sentence: 'A part that knows something is the part that uses it.',
      verdict: 'Fails.',
      why:
        'Knowing shows in what a part answers to, causing only in what changes without it. So a name is a guess ' +
        'until the feature has been switched off.',
    },
  },
];
