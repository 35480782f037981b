// What the page says of each model: names, first texts, examples, what it was asked in training.

/**
 * @typedef {'creek' | 'translate' | 'continue' | 'untrained'} ModelName
 * @typedef {Exclude<ModelName, 'untrained'>} TrainedName
 *
 * `input` is how the reader writes: freely, by menus, or a beginning that the model continues.
 * @typedef {{
 *   input: 'text' | 'menus' | 'prompt', text: string, examples: Record<string, string>, longest: number,
 *   about: string, more: string, why: string, scores: Record<string, string>,
 * }} Entry
 */

/** @type {Record<ModelName, {label: string, does: string}>} */
export const LABELS = {
  creek: { label: 'Creek', does: 'says what “it” stands for' },
  translate: { label: 'Translate', does: 'English to French' },
  continue: { label: 'Continue', does: 'goes on with a story' },
  untrained: { label: 'Untrained', does: 'any size, any text' },
};

/** @type {Record<TrainedName, Entry>} */
export const CATALOGUE = {
  creek: {
    input: 'text',
    text: 'The creek was cold and the spunky dog wanted to jump over it.',
    examples: {
      'Jump over it': 'The creek was cold and the spunky dog wanted to jump over it.',
      'It was tired': 'The dog did not jump over the creek because it was tired.',
      'It was deep': 'The dog did not jump over the creek because it was deep.',
      'The cat sat on the mat': 'The cat sat on the mat.',
      'Who sat on the mat?': 'The [MASK] sat on the mat.',
      'Was or were?': 'The dogs near the creek [MASK] hungry.',
    },
    longest: 17,
    about:
      'was trained, in this engine, to guess hidden words and to name at each visible pronoun the noun it stands for.',
    more:
      'Its sentences come from a small made-up grammar, and it knows nothing outside that. [MASK] stands for a ' +
      'hidden word. The second ' +
      'question is what teaches a head to look from “it” to its noun: hidden words alone did not bring one about.',
    why: '',
    scores: {
      'visible pronoun -> antecedent': 'Says which noun a pronoun stands for',
      'the same after because': 'The same after “because”',
      'the same where only the adjective decides': 'The same where only the adjective decides',
      "best head's mass on the antecedent": 'Weight of its best head on that noun, mean',
      'its largest weight is there': 'Largest weight of that head is on that noun',
      'visible pronoun with that head off': 'Says the noun with that head off',
      'flip measure': 'One head changes sides with the adjective (tired, deep)',
      'answers right for both adjectives': 'Right for both adjectives',
      'it = creek, of the known sentence': '“it” answers creek, first sentence',
      "best head's mass on creek there": 'Weight of a head on creek there',
      'cat on mat over mat on cat, nats': 'Cat on mat likelier than mat on cat, nats',
      pron_masked: 'Hidden pronoun',
      be_masked: 'Hidden was or were',
      adj_masked: 'Hidden adjective before its noun: one that fits',
      padj_masked: 'Hidden adjective after was: one that fits',
      verb_masked: 'Hidden verb: one that fits the object',
    },
  },
  translate: {
    input: 'menus',
    text: '',
    examples: {},
    longest: 15,
    about:
      'was trained, in this engine, on English and French sentences of a small grammar; it writes the French now, ' +
      'always the likeliest next word.',
    more:
      'It has no words outside that grammar and drops what is against its rules, ' +
      'so the sentence is built from menus.',
    why:
      'Each row is the place that writes one French word. An adjective behind its noun makes the pattern cross. An ' +
      'article looks at ' +
      'the English noun too, because its gender is there: “the” does not tell it. The row of le or la before a verb ' +
      'need not look at a ' +
      'noun: what the encoder found out about “it” may stand at another word.',
    scores: {
      'alignment error of content words': 'Nouns, adjectives and verbs that look at a wrong word',
      'mass on the linked words': 'Weight of those on the right words, mean',
      'alignment error of all words': 'All words that look at a wrong word (most are articles)',
    },
  },
  continue: {
    input: 'prompt',
    text: 'one day a hungry fox saw a red ball . the',
    examples: {
      'Fox and ball': 'one day a hungry fox saw a red ball . the',
      'With a queen': 'one day a hungry fox and a queen saw a red ball . the fox wanted to chase it but the',
      'Any story': 'one day a',
    },
    longest: 36,
    about:
      'was trained, in this engine, to say the next word of short stories of a made-up grammar. Each word sees only ' +
      'those before it.',
    more:
      'Where the story leaves a choice, the model spreads its weight over many words; where it leaves none, it ' +
      'copies: one head looks from ' +
      '“the” back to the one who was named.',
    why: '',
    scores: {
      'determined words': 'Words that the story determines',
      'stories without a wrong one': 'Stories without a wrong one',
      "copy head's mass on the first mention": 'Weight of its copying head on the first mention, mean',
    },
  },
};

/** The pronouns whose noun creek was asked for. */
export const PRONOUNS = new Set(['it', 'they', 'them', 'he', 'she', 'him', 'her']);

/** @param {string} name @returns {name is ModelName} */
export const isModel = (name) => Object.hasOwn(LABELS, name);

/** @param {ModelName} name */
export const entryOf = (name) => (name === 'untrained' ? null : CATALOGUE[name]);
