// The neurons that are strongest at the pinned token, and the card of the pinned neuron: its key (what activates it),
// its value (which tokens it promotes), and its values at the token, as numbers and as a formula.

import { html, nothing } from 'lit-html';
import { exactValue, formatValue } from '../../draw/canvas.js';
import { tableOf } from '../../draw/figure.js';
import { math, num, row as mathRow, sub } from '../../draw/math.js';
import { gapBefore, sentenceOf } from '../../draw/sentence.js';
import { formatShare } from '../../draw/share.js';
import { choiceLabel } from '../../engine/model-settings.js';
import { attention, ffnName } from '../../engine/plan.js';
import { figure, inSight } from '../../kit/figure.js';
import { neuronAt } from '../shared/neuron-at.js';
import { STRONGEST, neuronsName } from '../shared/neurons-name.js';
import { descending } from '../shared/order.js';
import { selectedIn, visibleWords } from '../shared/words.js';
import style from './neuron.css';

/**
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../../engine/plan.js').ModelInfo} ModelInfo
 * @typedef {import('../../engine/plan.js').Stack} Stack
 *
 * @typedef {{word: string, value: number}} Said
 * @typedef {{before: string[], word: string, after: string[], value: number}} Place of the corpus
 * @typedef {{
 *   active: number, tokens: number, trained: boolean, sentences: number | null, writes: boolean, top: Place[],
 * }} Excitation over the corpus
 *
 * `before`, `after`: the neuron's pre-activation and activation at the token; `norm`: the length of
 * its value vector; `gain`: a norm's gain is applied between it and the words; `residual`: what the FFN
 * gives is added to what it was given; `silence`: why it promotes
 * none. `key`: null until the corpus has been read; `sentences`: null where the corpus is the text
 * itself; `writes`: the rows of the map are labelled by the words that are written, not those that are read.
 * @typedef {{
 *   word: string, pinned: number, function: string,
 *   before: number, after: number, norm: number,
 *   promotes: Said[], suppresses: Said[], gain: boolean, silence: string | null,
 *   residual: boolean, key: null | {done: number, of: number} | Excitation,
 * }} CardData
 *
 * @typedef {{neuron: number, value: number, promotes: string | null}} Strong
 */

const WORDS = 5;
const AROUND = 9; // words on either side that give a context
const READ_WORD = 'The marked token is the decoder’s input; a row of the map is labelled by the token predicted next.';

const count = new Intl.NumberFormat('en');

let seen = false; // the corpus is read, and the card opened, for a reader who is there

/** @param {Partial<import('../index.js').State>} state */
const isOpen = ({ neuronCard }) => seen && (neuronCard ?? true);

/** @type {import('../index.js').Feature} */
export const neuron = {
  name: 'neuron',
  style,
  needs({ plan, state }) {
    const { kind, layer } = state.selection;
    const place = `${attention(kind).stack}/${layer}`;
    const ffn = /** @type {const} */ (['activation', 'pre_activation']).map((role) => ffnName(kind, layer, role));
    const names = [...ffn, neuronsName(plan, place, state)];
    return plan.settings.d_ff > 0 ? [...names, ...(isOpen(state) ? [`@corpus/${place}`] : [])] : [];
  },
  render({ result, state, modelInfo }, { get, set }) {
    const { plan, tensors, derived } = result;
    const { d_ff, activation, residual } = plan.settings;
    const { selection, kind, stack, rowWords, row } = selectedIn(result, state);
    const { layer } = selection;
    if (d_ff === 0) return null;
    const after = tensors.get(ffnName(kind, layer, 'activation'))?.data;
    const before = tensors.get(ffnName(kind, layer, 'pre_activation'))?.data;
    /** @type {import('../derived/neuron.js').NeuronsAnswer | undefined} */
    const neurons = derived.get(neuronsName(plan, `${stack}/${layer}`, state));
    if (!after || !before || !neurons) return undefined;
    const { words, norms, gain, which } = neurons;
    const vocabulary = modelInfo && plan.model === modelInfo.name ? modelInfo.outputVocabulary : [];
    /** What a neuron gives each output word. @param {number} n */
    const values = (n) => {
      const at = which ? which.indexOf(n) : n;
      return words && words.data.subarray(at * words.shape[1], (at + 1) * words.shape[1]);
    };
    /** @param {number} n @param {number} most the least ones if negative */
    const said = (n, most) => extremes(values(n), most).map(({ id, value }) => ({ word: vocabulary[id], value }));
    const word = rowWords[row];
    const pinned = neuronAt(result, state);
    const at = row * d_ff;
    const list = [...descending(after, d_ff, row).subarray(0, STRONGEST)]
      .filter((n) => after[at + n] > 0)
      .map((n) => ({ neuron: n, value: after[at + n], promotes: said(n, 1)[0]?.word ?? null }));
    const open = isOpen(state);
    /** @type {CardData} */
    const data = {
      word,
      pinned,
      function: functionName(activation),
      before: before[at + pinned],
      after: after[at + pinned],
      norm: norms[pinned],
      promotes: said(pinned, WORDS),
      suppresses: said(pinned, -WORDS),
      gain,
      residual,
      silence: words ? null : silence(plan, stack),
      key: keyOf(derived.get(`@corpus/${stack}/${layer}`), pinned, plan, stack, modelInfo),
    };
    const name = `Strongest neurons at ${word}`;
    const shown = {
      name: open ? `Neuron ${pinned}` : name,
      tables: () => [strongestTable(name, list), ...(open ? cardTables(data) : [])],
    };
    const show = () => {
      if (seen) return;
      seen = true;
      set({}); // the corpus is asked for, the card opened
    };
    const toggle = (/** @type {Event} */ event) => {
      event.preventDefault(); // only the state opens it, otherwise a result that arrives would undo the click
      set({ neuronCard: !open });
    };
    const pin = (/** @type {number} */ n) => set({ cursor: { ...get().cursor, neuron: n }, neuronCard: true });
    return html`
      <section class="panel" aria-labelledby="neuron-title">
        <h2 id="neuron-title">Neurons</h2>
        <div id="neuron" ${figure(shown)} ${inSight(show)}>
          ${strongest(word, list, pinned, pin)}
          <details class="neuron-card" data-neuron=${pinned} ?open=${open}>
            <summary @click=${toggle}><span class="view-title">Neuron ${pinned}</span>: what activates it, which tokens
              it promotes</summary>
            ${open ? card(data) : nothing}
          </details>
        </div>
      </section>`;
  },
};

/**
 * The largest of some values above 0, the largest first; with a negative count the smallest below it.
 * @param {Float32Array | null} values
 * @param {number} most
 */
function extremes(values, most) {
  if (!values) return [];
  const order = descending(values, values.length);
  const ids = most > 0 ? order.subarray(0, most) : order.slice(most).reverse();
  return Array.from(ids, (id) => ({ id, value: values[id] })).filter(({ value }) => value * most > 0);
}

/** The activation in a formula: GELU, exact or approximated. @param {string} activation */
const functionName = (activation) =>
  activation === 'none' ? 'id' : choiceLabel('activation', activation).replace(/ \(.*/, '');

/** Why a neuron promotes no words. @param {Plan} plan @param {Stack} stack */
const silence = ({ settings: { kind }, model }, stack) =>
  kind === 'encoder-decoder' && stack === 'encoder' && model
    ? 'An encoder neuron promotes no tokens directly: only the decoder reaches the output table.'
    : 'This model has no output table, so its neurons promote no tokens.';

/**
 * What excites a neuron.
 * @param {import('../shared/corpus.js').CorpusAnswer | undefined} corpus
 * @param {number} pinned
 * @param {Plan} plan
 * @param {Stack} stack
 * @param {ModelInfo | undefined} modelInfo
 * @returns {CardData['key']}
 */
function keyOf(corpus, pinned, { model, tokens }, stack, modelInfo) {
  if (!corpus) return null;
  if ('unfinished' in corpus) return { done: corpus.done, of: corpus.of };
  const { ids, starts, places, values, active } = corpus;
  const vocabulary = (stack === 'decoder' && modelInfo?.targetVocabulary) || modelInfo?.vocabulary;
  const words =
    model && vocabulary ? Array.from(ids, (id) => vocabulary[id]) : visibleWords(tokens[stack]?.words ?? []);
  const most = places.length / active.length;
  const top = [...places.subarray(pinned * most, (pinned + 1) * most)].filter((place) => place >= 0);
  return {
    active: active[pinned],
    tokens: ids.length,
    writes: Boolean(model && stack === 'decoder' && modelInfo?.targetVocabulary),
    trained: Boolean(model),
    sentences: starts.length > 1 ? starts.length : null, // a corpus has many, the text itself is one
    top: top.map((place, i) => {
      const sentence = starts.findLastIndex((start) => start <= place);
      const [from, to] = [starts[sentence], starts[sentence + 1] ?? ids.length];
      return {
        before: words.slice(from, place),
        word: words[place],
        after: words.slice(place + 1, to),
        value: values[pinned * most + i],
      };
    }),
  };
}

/** @param {string} word @param {Strong[]} list @param {number} pinned @param {(neuron: number) => void} pin */
const strongest = (word, list, pinned, pin) => html`
  <section class="neuron-strongest" aria-label="Strongest neurons at the selected token">
    <h3>Strongest neurons at <bdi class="quoted">${word}</bdi></h3>
    ${
      list.length
        ? html`<ol>${list.map(
            ({ neuron: n, value, promotes }) => html`<li data-neuron=${n}>
      <button type="button" aria-pressed=${n === pinned} @click=${() => pin(n)}>Neuron ${n}</button>
      <span class="number">${formatValue(value)}</span>
      ${promotes === null ? nothing : html`<span class="neuron-says">promotes <bdi>${promotes}</bdi></span>`}</li>`,
          )}</ol>`
        : html`<p class="hint">No activation is above 0 here.</p>`
    }
  </section>`;

/** @param {string} name @param {Strong[]} list */
const strongestTable = (name, list) =>
  tableOf(
    name,
    ['activation', 'promotes'],
    list.map(({ neuron: n, value, promotes }) => [`neuron ${n}`, value, promotes ?? '']),
  );

/** @param {CardData} data */
const card = (data) => html`
  ${formula(data)}
  <p class="neuron-sum">At <bdi class="quoted">${data.word}</bdi> its pre-activation is
    <b class="number" data-number="before">${formatValue(data.before)}</b>, its activation
    <b class="number" data-number="after">${formatValue(data.after)}</b>. It adds a vector of length
    ${exactValue(Math.abs(data.after))} × ${exactValue(data.norm)} =
    <b class="number" data-number="adds">${formatValue(Math.abs(data.after) * data.norm)}</b>.</p>
  <p>Its key w<sub>1</sub> is multiplied with each token’s vector: a large dot product gives a large
    activation. Its value w<sub>2</sub>, times the activation, is
    ${data.residual ? 'added to the token’s residual stream' : 'its part of what the FFN gives'}.</p>
  <div class="neuron-sides">
    <section class="neuron-key"><h3>Key: what activates it</h3>${key(data)}</section>
    <section class="neuron-value"><h3>Value: which tokens it promotes</h3>${value(data)}</section>
  </div>`;

/** The card's numbers. @param {CardData} data */
const cardTables = ({ pinned, promotes, suppresses, key: known }) => [
  tableOf(
    `Neuron ${pinned}, tokens`,
    ['logit per unit'],
    [...promotes, ...suppresses].map((each) => [each.word, each.value]),
  ),
  ...(known && 'top' in known
    ? [
        tableOf(
          `Neuron ${pinned}, what activates it`,
          ['activation', 'before', 'after'],
          known.top.map(({ word, value: each, before, after }) => [word, each, before.join(' '), after.join(' ')]),
        ),
      ]
    : []),
];

/** @param {CardData} data */
const formula = ({ pinned, function: f, before, after }) =>
  html`<p class="formula">${math(
    ...['f', '(', 'x', '·', sub('w', mathRow(1, ',', pinned)), '+', sub('b', mathRow(1, ',', pinned)), ')'],
    ...['=', f, '(', num(exactValue(before)), ')'],
    ...['=', num(formatValue(after))],
  )}</p>`;

/** @param {CardData} data */
function key({ key: known }) {
  if (!known) return html`<p class="hint">…</p>`;
  if ('done' in known) return html`<p class="hint">Reading the corpus: ${known.done} of ${known.of} sentences.</p>`;
  const { active, tokens, trained, sentences, writes, top } = known;
  const corpus =
    sentences !== null
      ? `${count.format(sentences)} held-out sentences`
      : trained
        ? 'the text above, as this model comes without one'
        : 'the text itself (untrained model)';
  return html`
    <p class="hint">Above 0 at <b class="number" data-number="active">${formatShare(active)}</b> of the
      ${count.format(tokens)} tokens of the corpus: ${corpus}. ${writes ? READ_WORD : nothing}</p>
    ${
      top.length
        ? html`<ol>${top.map(
            ({ before, word, after, value: each }) => html`<li><span class="number">${formatValue(each)}</span>
      <bdi>${before.length > AROUND ? '… ' : ''}
      ${sentenceOf(before.slice(-AROUND))}${markOf(word, after[0])}${sentenceOf(
        after.slice(0, AROUND),
      )}${after.length > AROUND ? ' …' : ''}</bdi></li>`,
          )}</ol>`
        : html`<p>None: this neuron is never active on the corpus (dead).</p>`
    }`;
}

/** @param {CardData} data */
function value({ promotes, suppresses, gain, silence: reason }) {
  if (reason) return html`<p class="hint">${reason}</p>`;
  const through = gain ? 'the last LayerNorm’s gain and the output table' : 'the output table';
  return html`<p class="hint">Change of each token’s logit per unit of activation: its value through ${through}, without
      ${gain ? 'the norm’s centring and division and ' : ''}the effect of later layers.</p>
    <div class="neuron-words">${words('Promotes', promotes)}${words('Suppresses', suppresses)}</div>`;
}

/** @param {string} title @param {Said[]} list */
const words = (title, list) =>
  html`<div><h4>${title}</h4><ol>${list.map(
    ({ word, value: each }) => html`<li>
  <bdi>${word}</bdi> <span class="number">${formatValue(each)}</span></li>`,
  )}</ol></div>`;

/** @param {string} word @param {string} [next] the word after it */
const markOf = (word, next) => html`${gapBefore(word)}<mark>${word}</mark>${gapBefore(next)}`;
