// The dictionary of features at the open node: its place, its names, what has been found of it, the chosen feature.

import { html, nothing } from 'lit-html';
import { activeAt } from '../../draw/active-features.js';
import { standingAt } from '../../engine/interventions.js';
import { attention, canHaveFeatures, openNode } from '../../engine/plan.js';
import { isNameless, tellingOf } from './telling-feature.js';
import { selectedIn } from './words.js';

/**
 * @typedef {import('../../app/schema.js').State} State
 * @typedef {import('../../engine/plan.js').Plan} Plan
 * @typedef {import('../../engine/results.js').Result} Result
 * @typedef {import('../derived/features.js').Found} Found
 * @typedef {import('../derived/features.js').Training} Training
 * @typedef {import('../../engine/dictionaries.js').Score} Score
 * @typedef {import('../../engine/interventions.js').FeatureIntervention} FeatureIntervention
 * @typedef {Pick<FeatureIntervention, 'kind' | 'layer' | 'part' | 'seed'>} Place
 */

/** The dictionaries that the reader has asked for. @param {Pick<State, 'found'> | Partial<State>} state */
export const askedFor = ({ found = '' }) => found.split(',').filter((each) => NAME.test(each));

const NAME = /^(en|de)coder\.\d{1,3}\.(ffn|out)\.\d{1,9}$/;

/**
 * The place of the dictionary at the open node: of a layer's neurons, or of the stream after it.
 * @param {Pick<State, 'selection'> & Partial<State>} state
 * @returns {Place & {name: string, isAsked: boolean}}
 */
export function placeOf(state) {
  const { kind, layer } = state.selection;
  const { stack } = attention(kind);
  const node = state.graph && state.settings ? openNode(/** @type {State} */ (state)) : 'ffn';
  const part = node === 'add' || node === 'norm' ? 'out' : 'ffn';
  const begin = `${stack}.${layer}.${part}.`;
  const name = askedFor(state).find((each) => each.startsWith(begin));
  const seed = Number(name?.slice(begin.length) ?? 0);
  return { kind: stack, layer, part, seed, name: name ?? `${begin}${seed}`, isAsked: name !== undefined };
}

/** The list with one more, in the place of one of another seed. @param {State} state @param {string} name */
export function withAsked(state, name) {
  const begin = name.slice(0, name.lastIndexOf('.') + 1);
  const found = [...askedFor(state).filter((each) => !each.startsWith(begin)), name].join(',');
  return { found, face: /** @type {const} */ ('features') };
}

/** Names of the derived values. @param {string} name of the dictionary */
export const featuresName = (name) => `@features/${name}`;

/**
 * The name of a value of the chosen feature at the picked word; none until the dictionary has been found.
 * @param {string} which @param {Pick<State, 'selection'> & Partial<State>} state
 */
export function ofFeature(which, state) {
  const { name } = placeOf(state);
  const { feature, row = 0 } = state.cursor ?? {};
  return state.ready?.includes(name) ? [`@${which}/${name}/${feature ?? ''}/${row}`] : [];
}

/** @param {Pick<State, 'selection'> & Partial<State>} state */
export const movedName = (state) => `@feature-moved/${placeOf(state).name}/${state.cursor?.row ?? 0}`;

/**
 * @param {Result} result @param {string} name
 * @returns {Found | Training | {absent: true} | undefined}
 */
export const answerOf = ({ derived }, name) => derived.get(featuresName(name));

/** @param {ReturnType<typeof answerOf>} answer @returns {answer is Found} */
export const isFound = (answer) => Boolean(answer && 'scores' in answer);

/**
 * The dictionary that has been found, and the chosen feature: until the reader chooses one, the word's most telling.
 * @param {Result} result @param {State} state
 */
export function foundIn(result, state) {
  const place = placeOf(state);
  const answer = answerOf(result, place.name);
  if (!place.isAsked || !isFound(answer)) return null;
  const { rowWords: words, row } = selectedIn(result, state);
  const here = activeAt(answer, row);
  const chosen = state.cursor.feature ?? tellingOf(here, answer.scores) ?? 0;
  return { ...place, answer, words, row, here, feature: Math.min(chosen, answer.size - 1) };
}

/**
 * The features that get a column: those of the picked row, the strongest first; then the others by the row where each
 * is strongest. Of more than fit the strongest.
 * @param {{values: Float32Array, size: number}} of @param {number} row @param {number} most
 */
export function columnsOf({ values, size }, row, most) {
  const own = activeAt({ values, size }, row);
  /** @type {Map<number, {at: number, value: number}>} */
  const others = new Map();
  values.forEach((value, i) => {
    const n = i % size;
    if (value > 0 && !own.includes(n) && value > (others.get(n)?.value ?? 0))
      others.set(n, { at: Math.floor(i / size), value });
  });
  const kept = [...others].sort((a, b) => b[1].value - a[1].value).slice(0, Math.max(0, most - own.length));
  const ordered = kept.sort(([, a], [, b]) => a.at - b.at || b.value - a.value).map(([n]) => n);
  return { columns: [...own, ...ordered], own: own.length, all: own.length + others.size };
}

/** Labels of rules that are no words. @type {Record<string, string>} */
const RULES = {
  capital: 'capital letter',
  punctuation: 'punctuation',
  quoted: 'in quotation marks',
  'place 1': 'first token',
  'place 2': 'second token',
  'place 3': 'third token',
};

const quoted = (/** @type {string} */ text) => `“${text.replace(/^␣/, '')}”`;

/** The first of them, as a column has little space. @param {string[]} words */
const listOf = (words) => words.slice(0, SAID).map(quoted).join(', ') + (words.length > SAID ? ' …' : '');

/** A label in words: a word is quoted. @param {string} label */
function inWords(label) {
  if (RULES[label]) return RULES[label];
  const [, rule, rest] = /^(word|after|ends|begins|one of) (.+)$/.exec(label) ?? [];
  switch (rule) {
    case 'word':
      return quoted(rest);
    case 'after':
      return `after ${quoted(rest)}`;
    case 'ends':
      return `ends in “-${rest}”`;
    case 'begins':
      return `begins with “${rest}-”`;
    case 'one of':
      return listOf(rest.split('\u2009'));
    default:
      return label;
  }
}

const SAID = 3; // of a set of tokens
const LOOSE = 0.7;

/**
 * The name of a feature by the label that it detects best: “≈” before one that fits loosely; its number where none
 * fits.
 * @param {Score} score @param {number} feature
 */
export function nameOf(score, feature) {
  const { f1 = 0, label = '' } = score ?? {};
  return isNameless(score) ? `feature ${feature}` : `${f1 < LOOSE ? '≈ ' : ''}${inWords(label)}`;
}

/**
 * Notes that a dictionary has been found, once this drawing has ended.
 * @param {{get: () => State, set: (patch: Partial<State>) => void}} tools @param {string} name
 */
export function noteFound({ get, set }, name) {
  queueMicrotask(() => {
    const { ready } = get();
    if (!ready.includes(name)) set({ ready: [...ready, name] });
  });
}

/**
 * The change of a feature at a word.
 * @param {Place} place @param {number | null} feature @param {number} row @returns {FeatureIntervention}
 */
export const changeAt = ({ kind, layer, part, seed }, feature, row) => ({
  ...{ what: 'feature', kind, layer, part, seed, feature, row },
  to: 0,
});

/**
 * The factor of a feature at a word: 1 as computed, null: it comes from another text.
 * @param {State} state @param {Place} place @param {number} feature @param {number} row
 * @returns {number | null}
 */
export function factorAt({ interventions }, place, feature, row) {
  const change = /** @type {FeatureIntervention | undefined} */ (
    standingAt(interventions, changeAt(place, feature, row)) ?? standingAt(interventions, changeAt(place, null, row))
  );
  return change ? (typeof change.to === 'number' ? change.to : null) : 1;
}

/**
 * The two faces of a node.
 * @param {State} state @param {Plan} plan @param {string} first @param {(patch: Partial<State>) => void} set
 */
export const faceTabs = (state, plan, first, set) =>
  canHaveFeatures(plan)
    ? html`<div class="tabs" role="group" aria-label="Face">${
        /** @type {const} */ ([
          ['neurons', first],
          ['features', 'Features'],
        ]).map(
          ([face, name]) => html`<button type="button" class="plain" aria-pressed=${state.face === face}
          @click=${() => set({ face })}>${name}</button>`,
        )
      }</div>`
    : nothing;
