import { chunks } from './batch.js';
import { batchOf, idsOf, masked, vocabulary } from './creek-batch.js';
import { ADJECTIVES, VERBS, groupOf } from './lexicon.js';
import { examine } from './scores.js';

/** @typedef {import('./creek-grammar.js').Sentence} Sentence */
/** @typedef {import('./creek-grammar.js').Token} Token */
/** @typedef {import('./creek-grammar.js').Role} Role */
/** @typedef {import('./scores.js').Predict} Predict */
/** @typedef {import('./scores.js').Probe} Probe */
/** @typedef {import('./scores.js').Score} Score */

const ROWS = 64;

/** @typedef {(token: Token, sentence: Token[]) => readonly string[]} Answers */

/** @type {Answers} */
const antecedent = ({ link }, tokens) => [tokens[link].word];
/** @type {Answers} */
const itself = ({ word }) => [word];
/** @type {Answers} */
const adjectives = ({ kind }) => (kind ? ADJECTIVES[groupOf(kind)] : []);
/** @type {Answers} either form of a verb that takes such an object */
const verbs = ({ kind }) => (kind ? VERBS[groupOf(kind)].flatMap(({ base, past }) => [base[0], past[0]]) : []);

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {Role} role of the word that is asked
 * @property {boolean} hidden whether it is [MASK]
 * @property {Answers} accepts
 * @property {(sentence: Sentence) => boolean} [where] in which sentences, default all
 */

/** @type {readonly Column[]} the names are those of the score table; the head score is on the linked word */
const TABLE = [
  { name: 'pron_visible', role: 'pronoun', hidden: false, accepts: antecedent },
  { name: 'wino_visible', role: 'pronoun', hidden: false, accepts: antecedent, where: ({ family }) => family === 'F2' },
  { name: 'wino_decided', role: 'pronoun', hidden: false, accepts: antecedent, where: ({ decided }) => decided },
  { name: 'pron_masked', role: 'pronoun', hidden: true, accepts: itself },
  { name: 'be_masked', role: 'be', hidden: true, accepts: itself },
  { name: 'adj_masked', role: 'adjective', hidden: true, accepts: adjectives },
  { name: 'padj_masked', role: 'predicate', hidden: true, accepts: adjectives },
  { name: 'verb_masked', role: 'verb', hidden: true, accepts: verbs },
];

/** @type {readonly string[]} */
export const COLUMNS = /* @__PURE__ */ TABLE.map(({ name }) => name);

/**
 * One question a sentence, where a column has one; of several words one is drawn.
 * @param {readonly Sentence[]} sentences
 * @param {import('./random.js').Random} random
 * @param {number} limit questions in a column, at most
 * @returns {Record<string, Probe[]>}
 */
export function columnProbes(sentences, random, limit) {
  return Object.fromEntries(
    TABLE.map((column) => {
      const { role, hidden, accepts, where = () => true } = column;
      const cases = sentences
        .filter(where)
        .flatMap((sentence) => {
          const { tokens } = sentence;
          const places = tokens.flatMap((token, at) => (token.role === role ? [at] : []));
          if (places.length === 0) return [];
          const at = random.choose(places);
          const ids = idsOf(sentence);
          const question = {
            at,
            accepts: vocabulary.ids(accepts(tokens[at], tokens)),
            links: [tokens[at].link],
            keys: ids.length,
          };
          return [{ ids: hidden ? masked(ids, at) : ids, question }];
        })
        .slice(0, limit);
      const probes = chunks(cases, ROWS).map((list) => ({
        batch: batchOf(list.map(({ ids }) => ids)),
        questions: list.map(({ question }, row) => ({ ...question, row })),
      }));
      return [column.name, probes];
    }),
  );
}

/**
 * @param {Predict} predict
 * @param {Record<string, Probe[]>} columns
 * @param {boolean} ablate
 * @returns {Promise<Record<string, Score & {ablated: number | null}>>} ablated: the accuracy with
 *   the column's best head off
 */
export async function scoreColumns(predict, columns, ablate) {
  /** @type {Record<string, Score & {ablated: number | null}>} */
  const scores = {};
  for (const [name, probes] of Object.entries(columns)) {
    const score = await examine(predict, probes);
    const { best } = score;
    const off = ablate && best ? { layer: best.layer, head: best.head } : undefined;
    const ablated = off ? (await examine(predict, probes, { maps: false, off })).accuracy : null;
    scores[name] = { ...score, ablated };
  }
  return scores;
}
