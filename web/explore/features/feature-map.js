// The features face of an FFN or of the stream: the button that finds its features, their training, and the map of
// tokens × the features that are active in the sentence; on a phone a list of those of the picked word.

import { html, nothing } from 'lit-html';
import { positiveScale, roundLimit } from '../../draw/color.js';
import { featureList, placeLabel } from '../../draw/features.js';
import { formatShare } from '../../draw/numbers.js';
import { readKept, writeKept } from '../../kit/kept.js';
import { markPart } from '../../draw/lit.js';
import { markedMap } from '../../kit/map.js';
import { dictionaryOf } from '../../engine/interventions.js';
import { shippedFeatures } from '../../engine/plan.js';
import { chooseRow } from '../shared/cursor.js';
import {
  answerOf,
  askedFor,
  columnsOf,
  faceTabs,
  factorAt,
  featuresName,
  foundIn,
  isFound,
  nameOf,
  noteFound,
  placeOf,
  withAsked,
} from '../shared/dictionary.js';
import { tall } from '../shared/map-height.js';
import { corpusOf } from '../shared/neurons.js';
import { isNameless } from '../shared/telling-feature.js';
import { selectedIn } from '../shared/words.js';
import listStyle from '../../draw/feature-list.css';
import own from './feature-map.css';

/**
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../index.js').Tools} Tools
 */

const style = listStyle + own;
const MOST = 24; // columns, each with its name
const BESIDE = 20; // of the map beside a lesson, which is narrower
const KEPT = 'glassformer-features'; // the seconds of the last training in this browser
const SECONDS = 5;
const count = new Intl.NumberFormat('en');

/** @type {import('../index.js').Feature} */
export const featureMap = {
  name: 'feature-map',
  style,
  needs({ plan, state }) {
    const { name, isAsked } = placeOf(state);
    if (!isAsked) return [];
    // The texts of a model that comes with its file are on their way to the worker.
    const isComing = corpusOf(plan.model)?.state?.() === 'coming';
    return isComing ? [] : [featuresName(name)];
  },
  render(context, tools) {
    const { result, state } = context;
    const place = placeOf(state);
    const answer = place.isAsked ? answerOf(result, place.name) : undefined;
    const head = html`<div class="view-head">${faceTabs(
      state,
      result.plan,
      place.part === 'ffn' ? 'Neurons' : 'Lengths',
      tools.set,
    )}</div>`;
    if (answer && 'absent' in answer)
      return panel(place, head, hint('This model comes with too few texts to learn from.'));
    if (!place.isAsked) return panel(place, head, offer(place, state, tools));
    if (!isFound(answer)) return panel(place, head, training(context, tools, /** @type {any} */ (answer)));
    return panel(place, head, found(context, tools));
  },
  blank: ({ plan }) => panel({ part: 'ffn' }, nothing, plan && nothing),
};

/** @param {string} text */
const hint = (text) => html`<p class="hint">${text}</p>`;

/** @param {{part: string}} place @param {unknown} head @param {unknown} body */
const panel = ({ part }, head, body) => html`<section class="panel picture" aria-labelledby="feature-map-title">
  <h2 id="feature-map-title">${part === 'ffn' ? 'Feed-forward network' : 'Residual stream'}</h2>
  <div id="feature-map">${head}${body}</div></section>`;

/** Of the last training in this browser, about. */
const seconds = () => Math.max(1, Math.round(Number(readKept(KEPT).seconds) || SECONDS));

/** @param {ReturnType<typeof placeOf>} place @param {import('../index.js').State} state @param {Tools} tools */
const offer = (place, state, { set }) => html`<div class="feature-offer">
  <p>${
    place.part === 'ffn'
      ? `The ${state.settings.d_ff} neurons of this layer each answer to several things.`
      : `The ${state.settings.d_model} coordinates of the stream each answer to several things.`
  } A dictionary takes them apart: it learns to rebuild these vectors from a few active features of many.</p>
  <button type="button" class="primary" id="find-features" @click=${() => set(withAsked(state, place.name))}
    >${
      shippedFeatures(state.model, place.name)
        ? 'Open its features (fetches 1 MB)'
        : `Find its features (about ${seconds()} s)`
    }</button></div>`;

/**
 * @param {Context} context @param {Tools} tools
 * @param {import('../derived/features.js').Training | undefined} answer
 */
function training({ result, state, scheme }, { get, set }, answer) {
  const { name } = placeOf(state);
  const { step = 0, steps = 1, unexplained = 1, values = null, size = 0 } = answer ?? {};
  const { rowWords: words, row } = selectedIn(result, state);
  const map = (/** @type {Float32Array} */ of) => trainingMap({ values: of, size }, words, row, scheme);
  const stop = () =>
    set({
      found: askedFor(get())
        .filter((each) => each !== name)
        .join(','),
    });
  return html`<div class="feature-training">
      <p role="status">${
        step ? html`step <b>${count.format(step)}</b> of ${count.format(steps)}` : 'Reading sentences…'
      }</p>
      <progress aria-label="Training" max=${steps} value=${step}></progress>
      <p>rebuilt <b>${step ? formatShare(1 - unexplained) : '…'}</b></p>
      <button type="button" @click=${stop}>Stop</button>
    </div>
    ${values ? html`<div>${markedMap([map(values), []], tall(MAP_IN_TRAINING))}</div>` : nothing}`;
}

const MAP_IN_TRAINING = { min: 1, max: 44, empty: '', onCursor() {} };
const MAP = {
  ...{ uprightColumns: true, names: 128, min: 14, max: 44, empty: 'No features: there are no tokens.', onCursor() {} },
  /** @type {import('../../draw/axis.js').Mark} Its style slants a name from the middle of its column. */
  mark(label, axis, i) {
    markPart(label, axis, i);
    if (axis.part === 'feature') label.style.setProperty('--column', String(i + 0.5));
  },
};

/**
 * All features as they are in training, by their numbers.
 * @param {{values: Float32Array, size: number}} of @param {string[]} words @param {number} row
 * @param {import('../../draw/color.js').Scheme} scheme
 * @returns {import('../../draw/map.js').MapData}
 */
const trainingMap = ({ values, size }, words, row, scheme) => ({
  name: 'Features in training',
  matrix: { rows: words.length, columns: size, data: values, scheme, scale: positiveScale(scheme, roundLimit(values)) },
  scaleTitle: 'Strength',
  rowAxis: { title: 'token', noun: 'row', part: 'row', label: (i) => words[i] },
  columnAxis: { title: 'feature', noun: 'feature', part: null, label: String },
  cursor: { row, column: 0 },
});

/**
 * The strength of chosen features with the reader's changes, [rows, columns].
 * @param {NonNullable<ReturnType<typeof foundIn>>} now @param {import('../index.js').State} state
 * @param {number[]} columns
 */
function chosenColumns(now, state, columns) {
  const { values, size } = now.answer;
  return Float32Array.from({ length: (values.length / size) * columns.length }, (_, i) => {
    const n = columns[i % columns.length];
    const row = Math.floor(i / columns.length);
    return values[row * size + n] * (factorAt(state, now, n, row) ?? 1);
  });
}

/** @param {Context} context @param {Tools} tools */
function found(context, { get, set, result: latest }) {
  const { result, state, scheme } = context;
  const now = foundIn(result, state);
  if (!now) return nothing;
  const { answer, words, row, feature, name } = now;
  const isShipped = shippedFeatures(state.model, name);
  if (!isShipped) remember(answer.seconds);
  noteFound({ get, set }, name);
  const { columns: all, all: active } = columnsOf(answer, row, document.documentElement.dataset.book ? BESIDE : MOST);
  const columns = all.includes(feature) ? all : [...all, feature];
  const label = (/** @type {number} */ column) => nameOf(answer.scores[columns[column]], columns[column]);
  const marks = columns.flatMap((n, column) =>
    words.flatMap((word, at) =>
      factorAt(state, now, n, at) === 0
        ? [{ row: at, column, text: `${nameOf(answer.scores[n], n)} off at ${word}` }]
        : [],
    ),
  );
  const data = chosenColumns(now, state, columns);
  const map = {
    name: `Features ${placeLabel(now)}`,
    matrix: {
      ...{ rows: words.length, columns: columns.length, data, scheme },
      scale: positiveScale(scheme, roundLimit(data)),
    },
    scaleTitle: 'Strength',
    rowAxis: { title: 'token', noun: 'row', part: 'row', label: (/** @type {number} */ i) => words[i] },
    columnAxis: {
      ...{ title: 'feature', noun: 'feature', part: 'feature', label },
      words: (/** @type {number} */ i) => (isNameless(answer.scores[columns[i]]) ? label(i) : undefined),
      index: (/** @type {number} */ i) => columns[i],
      value: (/** @type {number} */ i) => String(columns[i]),
    },
    cursor: { row, column: columns.indexOf(feature) },
  };
  function onCursor(/** @type {import('../../draw/map.js').Cell} */ cell) {
    const { cursor, own } = chooseRow(get(), cell.row, latest());
    set({ own, cursor: { ...cursor, feature: columns[cell.column] } });
  }
  const again = () => {
    const next = dictionaryOf({ ...now, seed: now.seed + 1 });
    set({ ...withAsked(get(), next), cursor: { ...get().cursor, feature: null } });
  };
  return html`<div class="feature-cells" .style=${`--columns: ${columns.length}`}>${markedMap(
    [map, marks],
    tall({ ...MAP, onCursor }),
  )}</div>
    ${list(now, state, set)}
    <p class="view-fact" data-sha256=${answer.sha256}>${columns.length} of ${active} features that are active here ·
      ${answer.alive} of ${answer.size} are alive · ${formatShare(1 - answer.unexplained)} of the vectors${
        isShipped ? ' of the sentences here' : nothing
      } rebuilt ·
      “≈”: the name fits loosely${isShipped ? ' · trained beforehand on 50,000 tokens of the novels' : nothing}
      <button type="button" class="plain" @click=${again}>Train ${isShipped ? 'one here,' : 'again'} from seed ${
        now.seed + 1
      }</button></p>`;
}

/**
 * The features of the picked word, where a map has no space.
 * @param {NonNullable<ReturnType<typeof foundIn>>} now @param {import('../index.js').State} state
 * @param {Tools['set']} set
 */
const list = (now, state, set) =>
  featureList({
    title: html`<h3>At <bdi class="is-query">${now.words[now.row]}</bdi></h3>`,
    items: now.here.map((feature) => ({
      feature,
      name: nameOf(now.answer.scores[feature], feature),
      value: now.answer.values[now.row * now.answer.size + feature],
      isOff: factorAt(state, now, feature, now.row) === 0,
    })),
    chosen: now.feature,
    choose: (feature) => set({ cursor: { ...state.cursor, feature } }),
  });

/** @param {number} taken seconds */
function remember(taken) {
  if (taken > 0.5 && Math.round(taken) !== seconds()) writeKept(KEPT, { seconds: taken });
}
