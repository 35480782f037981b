// The lesson “Superposition”: five things through two numbers, live; then the features in the model's own FFN.

import { toyView } from './toy-view.js';

/**
 * @typedef {import('../explore/shared/facts.js').Facts} Facts
 * @typedef {import('../explore/derived/features.js').Found} Found
 */

const LINK = 'model=creek&part=ffn&head=2.1&row=12&key=1';

/** The dictionary of layer 2's neurons that the reader has asked for. @param {{found?: string}} state */
const nameIn = ({ found = '' }) => found.split(',').find((each) => each.startsWith('encoder.1.ffn.'));

/** It has no scores while it is trained. @param {Facts} facts */
const found = ({ derived, state }) => /** @type {Found} */ (derived(`@features/${nameIn(state)}`));

/** @type {import('./index.js').Lesson<Facts>[]} */
export const superpositionPages = [
  {
    id: 'superposition',
    title: 'Five things, two numbers',
    link: LINK,
    text: [
      'A layer has fewer numbers than there are things to say. Here are **five inputs** and only **two numbers** to ' +
        'carry them: each input is an arrow, and `x′ = ReLU(WᵀW x + b)` brings it back.',
      'If every input is there all the time, the best the model can do is to keep two, at a right angle, and forget ' +
        'three. If each is **rare**, they seldom meet. Then all five fit, as a pentagon: each is a direction, and ' +
        'none has a number of its own.',
    ],
    numbers: {},
    live: toyView,
    judge: () => true,
    doubt: {
      sentence: 'Two numbers can hold two things.',
      verdict: 'Depends on how often they occur.',
      why:
        'Set one input, and its neighbors come back a little, too; ReLU cuts off the rest. Set two neighbors, and ' +
        'they blur. Rare inputs seldom meet, so it pays to keep more than two.',
    },
  },
  {
    id: 'superposed-ffn',
    title: 'In this model’s FFN',
    link: `${LINK}&face=features`,
    target: '#feature-map',
    needs: ({ state }) => (nameIn(state) ? [`@features/${nameIn(state)}`] : []),
    text: [
      'The FFN of layer 2 has {hidden#} neurons: so many numbers at each word. A dictionary finds the directions ' +
        'that things have in them.',
      'Two things make room for more directions than numbers: few of them are active at a word, and ReLU cuts off ' +
        'what leaks.',
    ],
    numbers: { hidden: ({ settings }) => Number(settings.d_ff) },
    task: 'Press “Find its features”.',
    control: '#feature-map',
    judge: (facts) => Boolean(nameIn(facts.state) && found(facts).scores),
    seen: {
      text: '{alive#} features live in {hidden#} numbers, and at most {active#} of them at a word.',
      numbers: {
        alive: (facts) => found(facts).alive,
        hidden: ({ settings }) => Number(settings.d_ff),
        active: (facts) => found(facts).active,
      },
    },
    doubt: null,
  },
];
