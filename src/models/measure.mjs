// The shipped models: what each is trained for, and the scores that it must reach on sentences that it has never seen.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readSafetensors } from 'glassformer';
import { creek, examine, story, translate } from 'glassformer/tasks';

/** Models by name. */
export const MODELS = {
  creek: { task: creek, rows: creekRows },
  translate: { task: translate, rows: translateRows },
  continue: { task: story, rows: storyRows },
};

/** @typedef {keyof typeof MODELS} Name */

/**
 * Where the shipped files are.
 * @param {Name} name
 */
export const pathOf = (name) => fileURLToPath(new URL(`../../web/models/${name}.safetensors`, import.meta.url));

/**
 * The file of a trained model: everything that it takes to use it and to make it again. Always the same bytes.
 * @param {Name} name
 * @param {any} model
 * @param {object} recipe
 * @param {Row[]} scores
 * @returns {Promise<Uint8Array>}
 */
export async function fileOf(name, model, recipe, scores) {
  const { vocabulary, targetVocabulary } = /** @type {any} */ (MODELS[name].task);
  const metadata = { name, scores: JSON.stringify(scores) };
  return model.save({ vocabulary, targetVocabulary, recipe, float16: true, metadata });
}

/**
 * Reads the facts and the weights in a file of `fileOf`.
 * @param {Name} name
 * @returns {{name: string, config: any, vocabulary: string[], targetVocabulary?: string[], outputVocabulary: string[],
 *   recipe: any, scores: Row[], bytes: number, weights: Map<string, any>}}
 */
export function readModel(name) {
  const file = readFileSync(pathOf(name));
  const { tensors: weights, metadata } = readSafetensors(file);
  const said = [...metadata].map(([key, text]) => [
    key.replace('glassformer.', ''),
    key === 'name' ? text : JSON.parse(text),
  ]);
  const facts = Object.fromEntries(said);
  const outputVocabulary = facts.targetVocabulary ?? facts.vocabulary;
  return { ...facts, outputVocabulary, bytes: file.length, weights };
}

/** The loss in nats at one place. @param {Float32Array} logits @param {number} id the right token */
export function lossAt(logits, id) {
  const most = logits.reduce((a, x) => Math.max(a, x), -Infinity);
  return most + Math.log(logits.reduce((sum, x) => sum + Math.exp(x - most), 0)) - logits[id];
}

/**
 * One line of a score table: a measured value, the bound that it must keep, if it has one, and the head that it is of,
 * both numbers from 0.
 * @typedef {{name: string, value: number, atLeast?: number, atMost?: number, head?: {layer: number, head: number},
 *   note?: string}} Row
 */

/**
 * @param {Name} name
 * @param {any} model
 * @param {number} seed of the data that it was trained on, which are left out
 * @param {number} sample another number measures on other sentences
 * @returns {Promise<Row[]>}
 */
export async function measure(name, model, seed, sample) {
  /** @type {{task: any, rows: (scores: any) => Row[]}} */
  const { task, rows } = MODELS[name];
  const heldOut = task.heldOut(seed, { sample });
  const scores = await task.score(model, heldOut);
  if (task === creek) {
    const { pron_visible: visible } = scores.columns; // the table has no other column with its best head off
    const off = { layer: visible.best.layer, head: visible.best.head };
    visible.ablated = (await examine(model, heldOut.columns.pron_visible, { maps: false, off })).accuracy;
  }
  const table = rows(scores);
  return table.map((row) => ({ ...row, value: Math.round(row.value * 1e4) / 1e4 }));
}

/** @param {Row} row */
export const holds = ({ value, atLeast = -Infinity, atMost = Infinity }) => value >= atLeast && value <= atMost;

/**
 * @param {Row[]} rows
 * @returns {string} a table for people
 */
export function tableOf(rows) {
  const width = Math.max(...rows.map(({ name }) => name.length));
  return rows
    .map((row) => {
      const { name, value, atLeast, atMost, head } = row;
      const note = [head && `layer ${head.layer}, head ${head.head}`, row.note].filter(Boolean).join('; ');
      const bound = atLeast !== undefined ? `>= ${atLeast}` : atMost !== undefined ? `<= ${atMost}` : '';
      const verdict = bound && (holds(row) ? 'ok' : 'MISSED');
      const columns = [
        name.padEnd(width),
        value.toFixed(4).padStart(8),
        `${bound.padEnd(7)} ${verdict.padEnd(6)}`,
        note,
      ];
      return columns.join('  ').trimEnd();
    })
    .join('\n');
}

/** @param {{layer: number, head: number}} score */
const headOf = ({ layer, head }) => ({ layer, head });

/** @param {any} scores of creek.score */
function creekRows({ columns, flip, pronoun, order }) {
  const { pron_visible: visible, wino_visible: because, wino_decided: decided, ...others } = columns;
  return [
    { name: 'visible pronoun -> antecedent', value: visible.accuracy, atLeast: 0.98 },
    { name: 'the same after because', value: because.accuracy, atLeast: 0.96 },
    { name: 'the same where only the adjective decides', value: decided.accuracy, atLeast: 0.96 },
    { name: "best head's mass on the antecedent", value: visible.best.mass, atLeast: 0.55, head: headOf(visible.best) },
    { name: 'its largest weight is there', value: visible.best.top1, atLeast: 0.75 },
    { name: 'visible pronoun with that head off', value: visible.ablated, atMost: 0.8 },
    { name: 'flip measure', value: flip.best.flip, atLeast: 0.4, head: headOf(flip.best) },
    { name: 'answers right for both adjectives', value: flip.both, atLeast: 0.95 },
    { name: 'it = creek, of the known sentence', value: pronoun.probability, atLeast: 0.85 },
    { name: "best head's mass on creek there", value: pronoun.best.mass, atLeast: 0.75, head: headOf(pronoun.best) },
    { name: 'cat on mat over mat on cat, nats', value: order.difference, atLeast: 8 },
    ...Object.entries(others).map(([name, { accuracy }]) => ({ name, value: accuracy })),
  ];
}

/** @param {any} scores of translate.score */
function translateRows({ exact, count, layers, sentences }) {
  const { all, content } = layers.at(-1);
  return [
    { name: `translated word by word, of ${count}`, value: exact, atLeast: 0.99 },
    {
      name: 'alignment error of content words',
      value: content.error,
      atMost: 0.06,
      note: 'last cross-attention, mean of heads',
    },
    { name: 'mass on the linked words', value: content.mass },
    { name: 'alignment error of all words', value: all.error },
    ...sentences.map((/** @type {any} */ { source, target, answer }) => ({
      name: source,
      value: Number(answer === target),
      atLeast: 1,
      note: answer,
    })),
  ];
}

/** @param {any} scores of story.score */
function storyRows({ accuracy, sequences, best }) {
  return [
    { name: 'determined words', value: accuracy, atLeast: 0.999 },
    { name: 'stories without a wrong one', value: sequences },
    { name: "copy head's mass on the first mention", value: best.mass, atLeast: 0.9, head: headOf(best) },
  ];
}
