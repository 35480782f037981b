// The measurements of each model after training, by the names in its file: read with the model card.

/** @type {Record<string, Record<string, string>>} */
export const SCORES = {
  creek: {
    'visible pronoun -> antecedent': 'Pronoun: right noun predicted',
    'the same after because': 'Pronoun after “because”',
    'the same where only the adjective decides': 'Pronoun where only the adjective decides',
    "best head's mass on the antecedent": 'Best head: mean weight on that noun',
    'its largest weight is there': 'Best head: largest weight on that noun',
    'visible pronoun with that head off': 'Right noun with that head switched off',
    'flip measure': 'A head follows the adjective (tired, deep)',
    'answers right for both adjectives': 'Right noun for both adjectives',
    'it = creek, of the known sentence': '“it” → “creek” in the first example',
    "best head's mass on creek there": 'Best head: weight on “creek” there',
    'cat on mat over mat on cat, nats': '“Cat on mat” more probable than “mat on cat”, nats',
    pron_masked: 'Masked pronoun',
    be_masked: 'Masked “was” or “were”',
    adj_masked: 'Masked adjective before its noun: one that fits',
    padj_masked: 'Masked adjective after “was”: one that fits',
    verb_masked: 'Masked verb: one that fits its object',
  },
  translate: {
    'alignment error of content words': 'Nouns, adjectives, verbs: largest weight on a wrong word',
    'mass on the linked words': 'Their mean weight on the right words',
    'alignment error of all words': 'All words: largest weight on a wrong word (mostly articles)',
  },
  continue: {
    'determined words': 'Words that the story determines: predicted',
    'stories without a wrong one': 'Stories without an error',
    "copy head's mass on the first mention": 'Copying head: mean weight on the first mention',
  },
};
