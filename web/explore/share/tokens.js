// What the tokens of the chosen model are, and what their ids.

import { unitsOf } from '../../models/catalogue.js';

/** @type {Record<ReturnType<typeof unitsOf>, string>} */
const TEXTS = {
  words:
    'Tokens are words and punctuation marks. A token’s id is its index in the model’s vocabulary; a word that is not ' +
    'in it is read in small letters.',
  characters: 'Tokens are characters. A token’s id is its index in the model’s vocabulary.',
  parts: 'Tokens are words, parts of words and punctuation marks, as the model’s tokenizer cuts them.',
  symbols: 'Tokens are the symbols of the model’s vocabulary. A token’s id is its index in it.',
  ids: 'There is no vocabulary: the text is a row of ids.',
};

const UNTRAINED =
  'Tokens are words and punctuation marks. A token’s id is a hash into a table of 2,048 random rows; “The” and “the” ' +
  'are different words.';

/** @param {string | null} model null: an untrained one */
export const tokensText = (model) => (model === null || model === 'untrained' ? UNTRAINED : TEXTS[unitsOf(model)]);
