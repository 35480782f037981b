// Describes each model for the page: names, first texts, examples, its task in training.

/**
 * @typedef {'creek' | 'translate' | 'continue' | 'austen' | 'spanish' | 'untrained'} ModelName
 * @typedef {Exclude<ModelName, 'untrained'>} TrainedName
 * @typedef {import('../app/schema.js').State} State
 *
 * `input` is how the reader writes: freely, by menus, or a beginning that the model continues.
 * @typedef {{
 *   input: 'text' | 'menus' | 'prompt', text: string, examples: Record<string, string>, longest: number,
 *   about?: string, more?: string, why: string, pair?: [string, string][],
 *   token?: RegExp, joint?: string, joined?: (labels: string[]) => string[],
 *   facts?: {name: string, value: string}[], opening?: Record<string, any>,
 *   mask?: string, read?: (text: string) => import('../engine/tokens.js').Read,
 *   decode?: (ids: readonly number[]) => string,
 *   target?: (state: Pick<State, 'targetText' | 'written'>, info: import('../engine/plan.js').ModelInfo) =>
 *     import('../engine/target.js').Generate & {isWaiting?: boolean},
 *   readTarget?: (text: string) => import('../engine/tokens.js').Read,
 *   decodeTarget?: (ids: readonly number[]) => string, lang?: string,
 *   special?: ReadonlySet<number>,
 *   hide?: (text: string, row: number) => string | null, close?: () => void,
 *   corpus?: {
 *     said: string, read: () => Promise<number[][]>, cut?: (text: string) => Promise<number[]>,
 *     state?: () => 'coming' | 'here' | 'none', turn?: number, isStopped?: boolean,
 *   },
 *   telling?: (...of: Parameters<typeof import('../engine/telling.js').tellingHead>) => State['selection'] | null,
 *   units?: 'words' | 'characters' | 'parts' | 'symbols' | 'ids',
 *   load?: () => Promise<void>, compose?: (menu: import('./sentences.js').MenuState) => {text: string},
 * }} Entry
 * `load`: fetches `compose`, the sentence of its menus, `why` and `lang` before the model is shown; the page gives it.
 * `units`: the name of its tokens; left out, words, or with `token` symbols; `parts`: also parts of words.
 * `pair`: two of its examples that differ in a word, by that word.
 * `token`: the pattern of its tokens, where the reader may type all of them, those in brackets too; left out, words as
 * tokens.js cuts them; `joint`: the text between them; `joined`: their labels as they stand in a row.
 * `facts`: how it was trained, where no script of this project did it. `opening`: what of the
 * state it opens with otherwise. `mask`: the word that stands for a hidden one.
 * `read`, `decode`: its tokenizer's, where that is no list of words; `special`: those that are no text of the reader's;
 * `target`: of an encoder–decoder: which target is asked for; `readTarget`, `decodeTarget`: its tokenizer's;
 * `lang`: the language of its targets;
 * `telling`: chooses the head at which it opens, left out, the one that links the answer;
 * `hide`: the text with the mask in place of a token. These three give what they know, and more once the tokenizer's
 * worker has answered, which `close` ends.
 *
 * `corpus`: of a model that comes with its file, or the reader's own text; `said`: what its texts are, `read`: as ids,
 * `cut`: a text into ids, `state`: whether the worker has it, which the first call brings about; `turn`: so many texts
 * of the reader's stood there; `isStopped`: it is not read to its end.
 *
 * A model that comes with its file, beside those of the catalogue.
 * @typedef {{
 *   name: string, label: Label, entry: Entry, file: import('../engine/model-cache.js').GivenFile,
 *   words?: string[],
 * }} GivenModel
 * `words`: of its vocabulary, by id, where the file has none.
 *
 * `wanted`: it is to be had, and its file is not here; `onWait` hears whether the page waits for it; `shipped`: it is
 * the page's own, and stays.
 * @typedef {{
 *   label: string, does: string, wanted?: boolean, shipped?: boolean, onWait?: (waits: boolean) => void,
 * }} Label
 */

/** @type {Record<ModelName, Label>} */
export const LABELS = {
  creek: { label: 'Pronouns', does: 'what does “it” refer to?' },
  translate: { label: 'Translate', does: 'English to French' },
  continue: { label: 'Continue', does: 'a short story' },
  austen: { label: 'Austen', does: 'goes on with any English sentence', wanted: true, shipped: true },
  spanish: { label: 'Spanish', does: 'translates an English verse', wanted: true, shipped: true },
  untrained: { label: 'Untrained', does: 'any size, any text' },
};

/** An entry that says nothing yet. @type {Entry} */
export const NOTHING = { input: 'text', text: '', examples: {}, longest: 0, why: '' };

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
    pair: [
      ['tired', 'The dog did not jump over the creek because it was tired.'],
      ['deep', 'The dog did not jump over the creek because it was deep.'],
    ],
    longest: 17,
    mask: '[MASK]',
    why: '',
  },
  translate: { input: 'menus', text: '', examples: {}, longest: 15, why: '' },
  continue: {
    input: 'prompt',
    text: 'one day a hungry fox saw a red ball. the',
    examples: {
      'Fox and ball': 'one day a hungry fox saw a red ball. the',
      'With a queen': 'one day a hungry fox and a queen saw a red ball. the fox wanted to chase it but the',
      'Any story': 'one day a',
    },
    longest: 36,
    why: '',
  },
  austen: {
    ...NOTHING,
    input: 'prompt',
    text: 'It is a truth universally acknowledged, that a single',
    longest: 128,
    units: 'parts',
  },
  spanish: { ...NOTHING, text: 'The men were afraid, and they cried to God.', longest: 128, units: 'parts' },
};

/**
 * Adds a model to choose from, or takes it away.
 * @param {string} name @param {Pick<GivenModel, 'label' | 'entry'> | null} given
 */
export function setModel(name, given) {
  const model = /** @type {TrainedName} */ (name);
  delete LABELS[model];
  delete CATALOGUE[model];
  if (given) [LABELS[model], CATALOGUE[model]] = [given.label, given.entry];
}

/** The pronouns whose noun creek was asked for. */
export const PRONOUNS = new Set(['it', 'they', 'them', 'he', 'she', 'him', 'her']);

/** @param {string} name @returns {name is ModelName} */
export const isModel = (name) => Object.hasOwn(LABELS, name);

/** @param {ModelName} name */
export const entryOf = (name) => (name === 'untrained' ? null : CATALOGUE[name]);

/** The kind of a model's tokens. @param {string | null} name */
export function unitsOf(name) {
  const { units, token } = (name && entryOf(/** @type {ModelName} */ (name))) || NOTHING;
  return units ?? (token ? 'symbols' : 'words');
}

/** The word for one token in a sentence. @param {string | null} name @returns {'word' | 'token'} */
export const unitOf = (name) => (unitsOf(name) === 'words' ? 'word' : 'token');
