// The verses of the World English Bible and of the Reina-Valera of 1909, both in the public domain, as pairs.

/** Commands that write the two files, from Debian's packages sword-text-web 426.0 and sword-text-sparv 2.60. */
export const HOW = `apt-get install libsword-utils sword-text-web sword-text-sparv
mod2imp engWEB2015eb > english.imp
mod2imp spaRV1909eb > spanish.imp`;

/**
 * Books that nothing is learned from: the scores are measured on the first, the loss during training on the others.
 */
export const HELD_OUT = { test: ['Ruth', 'Jonah', 'Philippians', 'James'], watched: ['Obadiah', 'Haggai', 'Titus'] };

/** A pair of texts is left out where one is so many times as long: the verses are numbered otherwise there. */
const MOST_LONGER = 2.5;

/**
 * @typedef {{at: string, english: string, spanish: string}} Verse at: book, chapter and verse, as "Ruth 1:16"
 * @typedef {Verse & {links: [english: string, spanish: string][]}} LinkedVerse links: words that translate each other
 */

/**
 * The verses that both have; those of `test` with the words that are linked.
 * @param {string} english as mod2imp writes it @param {string} spanish
 * @returns {{learned: Verse[], test: LinkedVerse[], watched: Verse[]}}
 */
export function versesOf(english, spanish) {
  const [own, other] = [english, spanish].map(entriesIn);
  const all = Array.from(own, ([at, markup]) => ({ at, english: plain(markup), spanish: plain(other.get(at) ?? '') }));
  const used = all.filter(({ english: a, spanish: b }) => a && b && longer(a, b) <= MOST_LONGER);
  const { test, watched } = HELD_OUT;
  const of = (/** @type {readonly string[]} */ books) =>
    used.filter(({ at }) => books.includes(at.slice(0, at.lastIndexOf(' '))));
  const held = [...of(test), ...of(watched)];
  return {
    learned: used.filter((each) => !held.includes(each)),
    test: of(test).map((verse) => ({ ...verse, links: linksIn(verse, own.get(verse.at), other.get(verse.at)) })),
    watched: of(watched),
  };
}

/** @param {string} a @param {string} b */
const longer = (a, b) => Math.max(a.length / b.length, b.length / a.length);

/**
 * Words for one Hebrew or Greek word that stands once in the verse: people linked them in both by Strong's numbers.
 * @param {Verse} verse @param {string} [english] with its markup @param {string} [spanish]
 * @returns {LinkedVerse['links']}
 */
function linksIn(verse, english = '', spanish = '') {
  const [own, other] = [english, spanish].map(numberedIn);
  const isOnce = (/** @type {string} */ text, /** @type {string} */ part) => part && text.split(part).length === 2;
  const only = (/** @type {typeof own} */ parts, /** @type {string} */ number) => {
    const found = parts.filter((each) => each.number === number);
    return found.length === 1 ? found[0].text : '';
  };
  return own
    .map(({ number }) => /** @type {[string, string]} */ ([only(own, number), only(other, number)]))
    .filter(([a, b]) => isOnce(verse.english, a) && isOnce(verse.spanish, b));
}

/** A verse as mod2imp writes it: its place in a line of its own, then its text with its markup. */
const ENTRY = /^\$\$\$(.+ \d+:\d+)\n([^]*?)(?=^\$\$\$|$(?![^]))/gm;

/** @param {string} file @returns {Map<string, string>} verses with their markup, by their places */
const entriesIn = (file) => new Map(Array.from(file.matchAll(ENTRY), ([, at, markup]) => [at, markup]));

/**
 * The text of a verse without notes, titles and other markup; with straight apostrophes, and without quotation marks,
 * which the Spanish text does not have either.
 * @param {string} markup
 */
export function plain(markup) {
  return markup
    .replace(/<(note|title)\b(?:[^>]*[^/])?>[^]*?<\/\1>/g, ' ')
    .replace(/<\/?(w|divineName|transChange|foreign|hi|seg|q|inscription|name|a)\b[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/(\p{L})’/gu, "$1'")
    .replace(/[“”‘’«»¶]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?])/g, '')
    .trim();
}

/** The parts of a verse that carry a number of Strong's: words for one Hebrew or Greek word. @param {string} markup */
export function numberedIn(markup) {
  const parts = markup.matchAll(/<w [^>]*lemma="strong:([GH]\d+)"[^>]*>([^<]*)<\/w>/g);
  return Array.from(parts, ([, number, text]) => ({ number, text: plain(text) }));
}
