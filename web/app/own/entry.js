// Explore's texts for a model of the reader's, and its way of cutting texts, both from the model's file.

import { WORD, charactersOf } from '../../../src/js/text/cuts.js';
import { parseJson } from '../../../src/js/formats/json.js';
import { CATALOGUE } from '../../models/catalogue.js';
import { beginning } from '../../kit/letters.js';

const FIRST = 6; // words of a text of which nothing is known

/**
 * @param {Record<string, string>} said in the header of its file
 * @param {string} key
 */
function parsed(said, key) {
  try {
    return parseJson(said[`glassformer.${key}`] ?? 'null');
  } catch {
    return null; // opening the file reports it
  }
}

/**
 * @param {{title: string, weights: File | null}} found null: it is not here yet
 * @param {Record<string, string>} said in the header of its file
 * @returns {Pick<import('../../models/catalogue.js').GivenModel, 'label' | 'entry'>}
 */
export function describe({ title, weights }, said) {
  const [config, words, recipe] = ['config', 'vocabulary', 'recipe'].map((key) => parsed(said, key));
  const list = words?.words ?? words; // of characters, with its level
  const known = Array.isArray(list) ? list.map(String) : null;
  const size = Number(config?.vocabulary) || 0;
  const ofCharacters = known !== null && words.level === 'characters';
  const joint = ofCharacters ? '' : known ? undefined : ' ';
  const token = !known ? /\S+/g : ofCharacters ? charactersOf(known) : WORD;
  return {
    label: { label: title, does: 'your own' },
    entry: {
      input: config?.kind === 'decoder' ? 'prompt' : 'text',
      token,
      joint,
      units: !known ? 'ids' : ofCharacters ? 'characters' : 'words',
      text: firstText(known, token, size, joint ?? ' '),
      examples: {},
      longest: config?.positions === 'learned' ? Number(config.maxLength) : Infinity,
      ...(known?.includes('[MASK]') && { mask: '[MASK]' }),
      about: `your own file ${weights?.name ?? title}, which was read in this tab and has not left this machine.`,
      more:
        (known ? '' : 'Its file has no words: texts and answers are ids. ') +
        'It has no corpus here: what views show of its neurons is measured on the text above. A link to this page ' +
        'names the file and holds none of its weights.',
      why: '',
      facts: factsOf(recipe),
    },
  };
}

/** The values of the recipe in a file, each in one line. @param {unknown} recipe */
const factsOf = (recipe) =>
  Object.entries(Object(recipe))
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, 12)
    .map(([name, value]) => ({ name, value: beginning(String(value), 80) }));

/**
 * A text to begin with: one of this page's if the model knows all of it, else the first of its words.
 * @param {string[] | null} words
 * @param {RegExp} token
 * @param {number} size of the vocabulary
 * @param {string} joint
 */
function firstText(words, token, size, joint) {
  const all = words ?? Array.from({ length: size }, (_, id) => String(id));
  const known = new Set(all);
  const texts = Object.values(CATALOGUE).map(({ text }) => text);
  const whole = texts.find((text) => {
    const tokens = words ? (text.match(token) ?? []) : [];
    return tokens.length > 0 && tokens.every((each) => known.has(each) || known.has(each.toLowerCase()));
  });
  const plain = all.filter((word) => !/^[[<].+[\]>]$/.test(word) && word.trim());
  return whole ?? plain.slice(0, FIRST).join(joint);
}
