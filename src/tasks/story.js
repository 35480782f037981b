import { lexiconWords } from './lexicon.js';
import { STORY_VERBS, drawStory } from './story-grammar.js';
import { configOf, continued, freshTask, trainerOf } from './task.js';
import { Vocabulary } from './vocabulary.js';

const FUNCTION_WORDS = [
  '.',
  'one',
  'day',
  'a',
  'an',
  'and',
  'saw',
  'the',
  'wanted',
  'to',
  'it',
  'he',
  'she',
  'but',
  'first',
  'so',
  'then',
  'was',
  'sad',
  'happy',
  'end',
];

/** Words of the longest story. */
const LONGEST = 37;

function makeStory() {
  const vocabulary = new Vocabulary([
    '[PAD]',
    ...FUNCTION_WORDS,
    ...lexiconWords({ plurals: false, verbs: STORY_VERBS }),
  ]);
  return freshTask({
    name: 'story',
    about: {
      title: 'Stories',
      goal: 'Say the next word of a story: the loss counts every word, the score those that the beginning determines.',
      input: `2 to ${LONGEST} words of stories`,
      solved: 'A copying head: before a noun is repeated, it attends to its first mention.',
      measure: 'accuracy',
      atLeast: 0.999,
      steps: 400,
    },
    vocabulary,
    config: configOf({ kind: 'decoder', vocabulary, d_model: 48, heads: 4, d_ff: 96, layers: 2, causal: true }),
    trainer: trainerOf({ learningRate: 3e-3, schedule: 'cosine', warmup: 150, steps: 1000 }),
    batchSize: 32,
    width: LONGEST - 1,
    padded: true,
    heldOutCount: 500,
    draw(random) {
      const tokens = drawStory(random);
      return { ...continued(vocabulary.ids(tokens.map(({ word }) => word))), tokens };
    },
    // A reader's story may end anywhere and does not mark its determined words, so every word is scored.
    read(_, text) {
      const { ids, tokens: words, unknown } = vocabulary.encode(text);
      if (unknown?.length) vocabulary.id(unknown[0].word);
      if (ids.length < 2 || ids.length > LONGEST) return undefined;
      const tokens = words.map((word, at) => {
        const before = words.indexOf(word);
        const repeats = words[at - 1] === 'the' && before < at && !FUNCTION_WORDS.includes(word);
        return { word, determined: true, first: repeats ? before : -1 };
      });
      return { ...continued(ids), tokens };
    },
    links({ tokens }, at) {
      const { first } = tokens[at + 1];
      return first < 0 ? [] : [first];
    },
    asked: ({ tokens }, at) => tokens[at + 1].determined,
  });
}

/**
 * Goes on with a story. Asked of held-out stories are the words that the beginning determines;
 * head score: from the word before a repeated noun to its first mention.
 */
export const story = /* @__PURE__ */ makeStory();
