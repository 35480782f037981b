// The facts of a trained model: size, recipe, measured scores. Fetched when the reader opens the fold around them.

import { html, nothing } from 'lit-html';
import { shortValue } from '../../draw/numbers.js';
import { aboutOf } from '../../models/about.js';
import { CATALOGUE } from '../../models/catalogue.js';
import style from './model-card.css';

/** @type {import('../index.js').Feature} */
export const modelCard = {
  name: 'model-card',
  style,
  render({ result: { facts }, modelInfo }) {
    if (!modelInfo) return null;
    const { more, facts: all, scores } = cardOf(modelInfo, facts.parameters);
    return html`<div id="model-card">
      <p class="hint">${more}</p>
      <dl class="card-facts">${all.map(({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
      <details class="scores" ?hidden=${!scores.length}><summary>Evaluation</summary>
        <p class="hint">Measured after training on held-out sentences, not in this page.</p>
        <dl class="card-facts">${scores.map(
          ({ name, value, note }) => html`
          <div><dt>${name}${note ? html` <i>${note}</i>` : nothing}</dt><dd>${value}</dd></div>`,
        )}</dl>
      </details></div>`;
  },
  blank: () => undefined, // it does not depend on the text
};

const count = new Intl.NumberFormat('en');

/** @type {Record<string, string>} */
const KEPT = { bf16: 'bfloat16', f16: 'float16', int8: '8 bits, approximate' };

/**
 * @param {NonNullable<import('../../engine/plan.js').ModelInfo['weightsError']>} error
 * @param {string} what
 */
const offBy = ({ rms, spread }, what) => ({
  name: `${what} off by`,
  value: `${shortValue(rms)} (RMS), of a spread of ${shortValue(spread)}`,
});

/** @param {import('../../engine/plan.js').ModelInfo} modelInfo @param {number} parameters */
function cardOf(modelInfo, parameters) {
  const { name, config, vocabulary, outputVocabulary, recipe, scores, bytes, notes, rounded, weightsError } = modelInfo;
  const { facts } = CATALOGUE[/** @type {import('../../models/catalogue.js').TrainedName} */ (name)];
  const words = SCORES[name] ?? {};
  const layers =
    config.kind === 'encoder-decoder'
      ? `${config.layers} encoder, ${config.decoderLayers} decoder`
      : `${config.layers} (${config.kind})`;
  return {
    more: aboutOf(name).more,
    facts: [
      { name: 'Layers', value: layers },
      {
        name: 'Heads',
        value: config.keyValueHeads ? `${config.heads}, ${config.keyValueHeads} of keys and values` : `${config.heads}`,
      },
      { name: 'd_model, d_ff', value: `${config.d_model}, ${config.d_ff}` },
      {
        name: 'Vocabulary',
        value:
          name === 'translate'
            ? `${vocabulary.length} English, ${outputVocabulary.length} French tokens`
            : vocabulary.length === outputVocabulary.length
              ? `${count.format(vocabulary.length)} tokens`
              : `${count.format(vocabulary.length)} tokens, ${count.format(outputVocabulary.length)} of the output`,
      },
      { name: 'Parameters', value: count.format(parameters) },
      { name: 'File', value: `${count.format(Math.round(bytes / 1000))} kB` },
      ...(KEPT[config.weights]
        ? [{ name: 'Matrices', value: `${rounded ? 'rounded to ' : ''}${KEPT[config.weights]}` }]
        : []),
      ...(weightsError ? [offBy(weightsError, config.head === 'none' ? 'Output' : 'Logits')] : []),
      ...(facts ?? [
        { name: 'Training', value: `${count.format(recipe.steps)} steps, batch size ${recipe.batchSize}` },
        { name: 'Seed', value: `${recipe.seed}` },
        { name: 'Train it again', value: `npm run train -- ${name}` },
      ]),
      ...(notes ?? []).map((value) => ({ name: 'Note', value })),
    ],
    scores: scores.map((row) => ({
      name: words[row.name] ?? capital(row.name),
      value: valueOf(row),
      note: noteOf(row),
    })),
  };
}

/** @param {{name: string, value: number}} row */
const valueOf = ({ name, value }) =>
  /nats|bits|BLEU|chrF/.test(name) ? value.toFixed(2) : `${(100 * value).toFixed(1)} %`;

/**
 * Heads are counted from 1 here and from 0 in the file.
 * @param {{head?: {layer: number, head: number}, note?: string}} row
 */
const noteOf = ({ head, note = '' }) =>
  [head && `layer ${head.layer + 1}, head ${head.head + 1}`, note].filter(Boolean).join('; ');

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The measurements of each model after training, by the names in its file.
 * @type {Record<string, Record<string, string>>}
 */
const SCORES = {
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
