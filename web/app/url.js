// The address: '#/explore?model=…' and what of the state differs from how its model opens, field by field as
// schema.js has them. A part that cannot be read leaves the default; nothing is ever thrown. Links of the form
// '#model=…', from before there were places, are read as Explore's.

import { isModel } from '../models/catalogue.js';
import { PLAN_FIELDS, attention, clampSelection, makePlan, pinOf } from '../engine/plan.js';
import { MAX_CHARACTERS } from '../engine/tokens.js';
import { flag, text } from './codecs.js';
import { FIELDS, valueAt, withMenuText, withValue } from './schema.js';

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {import('./schema.js').Field} Field
 * @typedef {import('../engine/plan.js').ModelInfo} ModelInfo
 * @typedef {typeof PLACES[number]} Place
 */

export const PLACES = /** @type {const} */ (['explore', 'train', 'claims']);

/** Of a link, in characters: four texts of the longest that a box holds, each character written as nine. */
const LONGEST = 750_000;
const LONGEST_CHOICE = 100;

/** Parts of older links that say nothing now. */
const RETIRED = ['several'];

const byAddress = new Map(FIELDS.map((field) => [field.address, field]));
const pinnedFields = FIELDS.filter(({ path }) => PLAN_FIELDS.some((name) => path.split('.')[0] === name));
const viewFields = new Set(FIELDS.filter(({ view }) => view).map(({ address }) => address));

/** @param {string} hash @returns {{place: Place, parts: URLSearchParams}} */
function parse(hash) {
  const [, place, query] = /^#\/(\w*)\??(.*)$/s.exec(hash) ?? ['', 'explore', hash.slice(1)];
  const found = PLACES.find((each) => each === place) ?? 'explore';
  const parts = new URLSearchParams(query);
  const puzzle = parts.get('puzzle'); // in links of before all lessons stood in one list
  if (puzzle !== null && /^\d\d?$/.test(puzzle)) {
    parts.delete('puzzle');
    parts.set('book', String(100 + Math.max(1, Number(puzzle))));
  }
  return { place: found, parts };
}

/** @param {string} hash */
export const placeOf = (hash) => parse(hash).place;

/** The address of a place that keeps no state in it. @param {Place} place */
export const placeLink = (place) => `#/${place}`;

/** @param {string} hash @returns {string | null} the model that a link names */
export const modelOf = (hash) => parse(hash).parts.get('model');

/** @param {string} hash @returns {string | null} the trail that a link plays */
export const trailOf = (hash) => parse(hash).parts.get('trail');

/**
 * A trail's link; where it names no state, it gets that of its step.
 * @param {string} hash
 * @param {import('../shared/trail.js').Step[]} steps
 */
export function withStep(hash, steps) {
  const { parts } = parse(hash);
  const at = Math.max(1, Math.min(steps.length, Math.trunc(Number(parts.get('step'))) || 1));
  parts.set('step', String(at));
  parts.set('trail', parts.get('trail') ?? ''); // once
  const own = parts.has('model') ? '' : `${steps[at - 1].link}&`;
  return `#/explore?${own}${parts}`;
}

/** A link without its trail. @param {string} hash */
export function withoutTrail(hash) {
  const { parts } = parse(hash);
  for (const name of ['trail', 'step']) parts.delete(name);
  return `#/explore?${parts}`;
}

/**
 * What differs of some fields, as written.
 * @param {Field[]} fields
 * @param {any} state
 * @param {any} base
 * @returns {[string, string][]}
 */
const differing = (fields, state, base) =>
  fields.flatMap(({ address, path, codec }) => {
    const now = codec.write(valueAt(state, path));
    return now === codec.write(valueAt(base, path)) ? [] : [[address, now]];
  });

/**
 * The link of a state: its model and what differs from how the model opens. One that would be too long names
 * the model only.
 * @param {State} state
 * @param {State} opening of its model
 */
export function writeLink(state, opening) {
  const base = withMenuText({ ...opening, menu: state.menu });
  const choices = Object.entries(state.menu.choices).filter(([name, value]) => value !== opening.menu.choices[name]);
  const parts = [
    ...differing(FIELDS, state, { ...base, menu: opening.menu }),
    ...choices.map(([name, value]) => [`menu.${name}`, value]),
  ];
  const selects = parts.some(([name]) => viewFields.has(name));
  if (state.follow !== (opening.follow && !selects)) parts.push(['follow', flag.write(state.follow)]);
  if (state.pinned) {
    const pinned = differing(pinnedFields, state.pinned, opening);
    parts.push(['pinned.model', state.pinned.model]);
    for (const [name, value] of pinned) parts.push([`pinned.${name}`, value]);
  }
  const link = `#/explore?${new URLSearchParams([['model', state.model], ...parts])}`;
  return link.length <= LONGEST ? link : `#/explore?model=${state.model}`;
}

/**
 * The state of a link, and the names of what could not be read.
 * @param {string} hash
 * @param {State} opening of the link's model
 * @param {ModelInfo} [modelInfo] of a trained model
 * @returns {{state: State, refused: string[], cut: number}} `cut`: characters of a text that is too long; 0: none is
 */
export function readLink(hash, opening, modelInfo) {
  if (hash.length > LONGEST) return { state: opening, refused: ['a link longer than this page reads'], cut: 0 };
  const reader = createReader(opening, modelInfo);
  const parts = [...parse(hash).parts];
  const refused = parts.filter(([name, value]) => !reader.read(name, value)).map(([name]) => name);
  const names = parts.map(([name]) => name).filter((name) => !refused.includes(name));
  let { state } = reader;
  if (!names.includes('text')) state = withMenuText(state);
  if (!names.includes('follow') && names.some((name) => viewFields.has(name))) state = { ...state, follow: false };
  const { pinned } = reader;
  if (pinned) state = { ...state, pinned: pinOf(pinned) };
  const texts = parts.filter(([name]) => byAddress.get(name)?.codec === text).map(([, value]) => value.length);
  const cut = texts.reduce((most, length) => (length > MAX_CHARACTERS ? Math.max(most, length) : most), 0);
  return { state, refused, cut };
}

/**
 * The state of a link with the nearest head and words that there are, and what the link says instead.
 * @param {State} state
 * @param {string} hash
 * @param {ModelInfo} [modelInfo] of a trained model
 * @returns {{state: State, beyond: string[]}}
 */
export function nearest(state, hash, modelInfo) {
  const { tokens, settings } = makePlan(state, modelInfo);
  if (!(settings.heads >= 0)) return { state, beyond: [] };
  const selection = clampSelection(state.selection, settings);
  const { stack, columns } = attention(selection.kind);
  /** @param {number} place @param {import('../engine/plan.js').Tokens | null} of */
  const inside = (place, of) => (of?.words.length ? Math.min(place, of.words.length - 1) : place);
  const { row, key } = state.cursor;
  const cursor = { ...state.cursor, row: inside(row, tokens[stack]), key: inside(key, tokens[columns]) };
  const next = { ...state, selection, cursor };
  const fields = ['attention', 'head', 'row', 'key'].map((name) => /** @type {Field} */ (byAddress.get(name)));
  const other = new Map(differing(fields, state, next));
  const beyond = [...parse(hash).parts].filter(([name, value]) => other.get(name) === value);
  return { state: beyond.length ? next : state, beyond: beyond.map(([name, value]) => `${name} ${value}`) };
}

/**
 * Reads a link part by part.
 * @param {State} opening
 * @param {ModelInfo} [modelInfo]
 */
function createReader(opening, modelInfo) {
  let state = opening;
  /** @type {State | null} */
  let pinned = null;
  let pinnable = true;

  /**
   * The state with a field as the link has it; null: it cannot be.
   * @param {State} from
   * @param {Field | undefined} field
   * @param {string} value
   */
  function withField(from, field, value) {
    if (!field || (field.size && modelInfo)) return null; // the sizes of a trained model are its file's
    const found = field.codec.read(value);
    const words = modelInfo?.vocabulary.length ?? 0;
    const isUnknown = field.path === 'written' && /** @type {number[]} */ (found)?.some((id) => id >= words);
    return found === undefined || isUnknown ? null : withValue(from, field.path, found);
  }

  /** @param {string} name @param {string} value @returns {State | null} */
  function pinnedWith(name, value) {
    if (name !== 'model') {
      const field = pinnedFields.find(({ address }) => address === name);
      return withField(pinned ?? opening, field, value);
    }
    pinnable = value === opening.model; // the numbers of another model's sizes are not here
    return pinnable ? (pinned ?? opening) : null;
  }

  return {
    /** @param {string} name @param {string} value @returns {boolean} whether it could be read */
    read(name, value) {
      const [group, inner] = split(name);
      if (RETIRED.includes(name)) return true;
      if (name === 'model') return isModel(value);
      if (group === 'pinned') {
        const next = pinnedWith(inner, value);
        pinned = next ?? pinned;
        return next !== null;
      }
      /** @type {State | null} */
      let next = null;
      if (name === 'follow') next = flag.read(value) === undefined ? null : { ...state, follow: value === '1' };
      else if (group === 'menu' && inner) {
        const choices = { ...state.menu.choices, [inner]: value };
        next = value.length < LONGEST_CHOICE ? { ...state, menu: { ...state.menu, choices } } : null;
      } else next = withField(state, byAddress.get(name), value);
      state = next ?? state;
      return next !== null;
    },
    get state() {
      return state;
    },
    get pinned() {
      return pinnable ? pinned : null;
    },
  };
}

/** The name of a part, and what stands behind its dot. @param {string} name */
function split(name) {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
}
