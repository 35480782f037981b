// The whole state as the part of the address after '#', and back: only what differs from how its
// model opens. A part that cannot be read leaves the default standing; nothing is ever thrown.

import { entryOf, isModel } from '../models/catalogue.js';
import { isChange } from '../engine/interventions.js';
import { PATTERNS, compose } from '../models/sentences.js';
import { defaultState, pinOf, trainedState } from './schema.js';

/**
 * @typedef {import('./schema.js').State} State
 * @typedef {import('../engine/plan.js').Description} Description
 *
 * How a value is written; `read` gives undefined for what is none.
 * @typedef {{write: (value: any) => string, read: (text: string) => unknown}} Codec
 * @typedef {Codec & {path: string[]}} Field
 */

const LONGEST = 32768; // of a link, in characters
const LONGEST_TEXT = 20000;
const LONGEST_LIST = 512;

// ---- How values are written

/** @type {Codec} */
const text = { write: String, read: (value) => (value.length <= LONGEST_TEXT ? value : undefined) };

/** The name of a tensor. @type {Codec} */
const name = { write: String, read: (value) => (/^[\w.]{0,200}$/.test(value) ? value : undefined) };

/** Any number as the reader can type it, NaN for an empty field. @type {Codec} */
const number = { write: String, read: (value) => (String(Number(value)) === value ? Number(value) : undefined) };

/** @param {number} from @param {number} to @param {(value: unknown) => boolean} [is] @returns {Codec} */
const between = (from, to, is = Number.isFinite) => ({
  write: String,
  read: (value) =>
    String(Number(value)) === value && is(Number(value)) && Number(value) >= from && Number(value) <= to
      ? Number(value)
      : undefined,
});

/** @type {Codec} */
const flag = {
  write: (value) => (value ? '1' : '0'),
  read: (value) => (value === '1' || value === '0' ? value === '1' : undefined),
};

/** @param {string[]} options @returns {Codec} */
const oneOf = (...options) => ({ write: String, read: (value) => (options.includes(value) ? value : undefined) });

/** @param {number} from @param {number} to @param {number} [shift] what is added to be read @returns {Codec} */
const whole = (from, to, shift = 0) => ({
  write: (value) => String(value + shift),
  read(value) {
    const found = /^\d{1,7}$/.test(value) ? Number(value) - shift : NaN;
    return found >= from && found <= to ? found : undefined;
  },
});

/** Layer and head as the titles count them. @type {Codec} */
const place = {
  write: ({ layer, head }) => `${layer + 1}.${head + 1}`,
  read(value) {
    const [, layer, head] = /^([1-9]\d{0,3})\.([1-9]\d{0,4})$/.exec(value) ?? [];
    return layer ? { layer: Number(layer) - 1, head: Number(head) - 1 } : undefined;
  },
};

/** @type {Codec} */
const ids = {
  write: (value) => value.join('.'),
  read: (value) =>
    /^(\d{1,7}(\.\d{1,7})*)?$/.test(value) && value.split('.').length <= LONGEST_LIST
      ? value.split('.').filter(Boolean).map(Number)
      : undefined,
};

/** Plain data that has the form of `like`. @param {unknown} like @returns {Codec} */
const data = (like) => ({
  write: (value) => JSON.stringify(value),
  read(value) {
    try {
      const found = JSON.parse(value);
      return alike(like, found) ? found : undefined;
    } catch {
      return undefined;
    }
  },
});

/** Whether a value has the form of another; where that is null or an empty list, any is right. @param {any} like @param {any} value @returns {boolean} */
function alike(like, value) {
  if (like === null || like === undefined) return true;
  if (Array.isArray(like))
    return (
      Array.isArray(value) &&
      value.length <= LONGEST_LIST &&
      (!like.length || value.every((each) => alike(like[0], each)))
    );
  if (typeof like !== 'object') return typeof value === typeof like;
  return (
    value !== null &&
    typeof value === 'object' &&
    !Array.isArray(value) &&
    Object.keys(like).every((key) => Object.hasOwn(value, key) && alike(like[key], value[key])) &&
    Object.keys(value).every((key) => Object.hasOwn(like, key))
  );
}

/** @type {Codec} */
const changes = {
  write: (value) => JSON.stringify(value),
  read(value) {
    const found = /** @type {unknown[] | undefined} */ (data([]).read(value));
    return found?.every((each) => typeof each === 'object' && each !== null && isChange(each)) ? found : undefined;
  },
};

// ---- What is written

/** @param {string} path @param {Codec} codec @returns {Field} */
const field = (path, codec) => ({ ...codec, path: path.split('.') });

/** Only an untrained model has these to set. */
const SIZES = ['kind', 'layers', 'heads', 'd_model', 'd_ff', 'seed'];

/** By the name in the link. @type {Record<string, Field>} */
const FIELDS = {
  text: field('text', text),
  target: field('targetText', text),
  written: field('written', ids),
  kind: field('settings.kind', oneOf('encoder', 'decoder', 'encoder-decoder')),
  layers: field('settings.layers', whole(1, 12)),
  heads: field('settings.heads', number),
  d_model: field('settings.d_model', number),
  d_ff: field('settings.d_ff', number),
  seed: field('settings.seed', number),
  scoreScale: field('settings.scoreScale', flag),
  causal: field('settings.causal', flag),
  residual: field('settings.residual', flag),
  positions: field('settings.positions', oneOf('sinusoidal', 'learned', 'none')),
  norm: field('settings.norm', oneOf('pre', 'post', 'none')),
  activation: field('settings.activation', oneOf('relu', 'gelu', 'gelu-tanh', 'none')),
  attention: field('selection.kind', oneOf('encoder', 'decoder', 'cross')),
  head: field('selection', place),
  mean: field('selection.mean', flag),
  row: field('cursor.row', whole(0, 1e6)),
  key: field('cursor.key', whole(0, 1e6)),
  neuron: field('cursor.neuron', whole(0, 1e6)),
  dimension: field('cursor.dimension', whole(0, 1e6)),
  brush: field('brush', ids),
  lineHeads: field('lineHeads', ids),
  several: field('several', flag),
  quantity: field('quantity', oneOf('weights', 'scores', 'scaled', 'masked')),
  colours: field('colours', oneOf('auto', 'linear', 'root')),
  ffn: field('ffnQuantity', oneOf('activation', 'pre_activation')),
  part: field(
    'way.part',
    oneOf('tokens', 'embedding', 'positions', 'attention', 'add', 'norm', 'ffn', 'logits', 'probabilities'),
  ),
  sublayer: field('way.place', whole(0, 3)),
  embedding: field('way.embedding', oneOf('embedding', 'input')),
  stream: field('way.stream', oneOf('norms', 'changes', 'cosines')),
  stage: field('way.stage', whole(0, 1e6)),
  neurons: field('neuronOrder', oneOf('index', 'token', 'similar', 'active')),
  ffnColours: field('ffnColours', oneOf('linear', 'root')),
  card: field('neuronCard', flag),
  temperature: field('writing.temperature', between(0, 5)),
  topK: field('writing.topK', whole(0, 1e6)),
  draw: field('writing.seed', between(0, 2 ** 32 - 1, Number.isInteger)),
  length: field('writing.length', whole(1, 100)),
  menu: field('menu.pattern', oneOf(...Object.keys(PATTERNS))),
  'weight.name': field('weight.name', name),
  'weight.row': field('weight.row', whole(0, 1e6)),
  'weight.column': field('weight.column', whole(0, 1e6)),
  changes: field('changes', changes),
  tensor: field('tensor', { write: (value) => value ?? '', read: (value) => name.read(value) || null }),
};
const LOOK = ['attention', 'head', 'mean', 'row', 'key'];
const PINNED = [
  'text',
  'target',
  'written',
  'changes',
  ...Object.keys(FIELDS).filter((name) => FIELDS[name].path[0] === 'settings'),
];
const KNOWN = new Set(['model', 'follow', 'pinned', ...Object.values(FIELDS).map(({ path }) => path[0])]);

/** A part of the state. @param {any} state @param {string[]} path */
const at = (state, path) => path.reduce((whole, key) => whole?.[key], state);

/** @param {State} state @param {string[]} path @param {any} value @returns {State} */
function put(state, [key, inner], value) {
  const old = /** @type {any} */ (state)[key];
  const isPart = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { ...state, [key]: inner ? { ...old, [inner]: value } : isPart ? { ...old, ...value } : value };
}

/** What differs of the named fields, as written. @param {string[]} names @param {any} state @param {any} base @returns {[string, string][]} */
const differing = (names, state, base) =>
  names.flatMap((name) => {
    const { path, write } = FIELDS[name];
    const now = write(at(state, path));
    return now === write(at(base, path)) ? [] : [[name, now]];
  });

/** Fields of the state that have no name of their own here. @param {State} base */
const others = (base) => Object.keys(base).filter((name) => !KNOWN.has(name));

/**
 * How the page opens on a model.
 * @param {import('../models/catalogue.js').ModelName} model
 * @param {Description | undefined} known
 */
export const openingState = (model, known) =>
  model === 'untrained' || !known ? defaultState() : trainedState(model, known.config);

/** With the sentence that its menus make. @param {State} state @returns {State} */
const composed = (state) =>
  entryOf(state.model)?.input === 'menus' ? { ...state, text: compose(state.menu).text } : state;

/**
 * The link of a state: '#model=…' and what differs from how the model opens. One that would be too
 * long names the model only.
 * @param {State} state
 * @param {State} opening of its model
 */
export function writeLink(state, opening) {
  const base = composed({ ...opening, menu: state.menu });
  const parts = [
    ...differing(Object.keys(FIELDS), state, { ...base, menu: opening.menu }),
    ...Object.entries(state.menu.choices)
      .filter(([name, value]) => value !== opening.menu.choices[name])
      .map(([name, value]) => [`menu.${name}`, value]),
    ...others(opening)
      .map((name) => [name, JSON.stringify(/** @type {any} */ (state)[name])])
      .filter(([name, value]) => value !== JSON.stringify(/** @type {any} */ (opening)[name])),
  ];
  if (state.follow !== (opening.follow && !looks(parts))) parts.push(['follow', flag.write(state.follow)]);
  if (state.pinned) {
    const pinned = differing(PINNED, state.pinned, opening);
    parts.push(['pinned.model', state.pinned.model], ...pinned.map(([name, value]) => [`pinned.${name}`, value]));
  }
  const link = `#${new URLSearchParams([['model', state.model], ...parts])}`;
  return link.length <= LONGEST ? link : `#model=${state.model}`;
}

/** Whether a link says where to look. @param {string[][]} parts */
const looks = (parts) => parts.some(([name]) => LOOK.includes(name));

/** @param {string} hash @returns {string | null} the model that a link names */
export const modelOf = (hash) => new URLSearchParams(hash.slice(1)).get('model');

/**
 * The state of a link, and the names of what could not be read.
 * @param {string} hash
 * @param {State} opening of the link's model
 * @param {Description | undefined} [known] the file of the trained model
 * @returns {{state: State, refused: string[]}}
 */
export function readLink(hash, opening, known) {
  if (hash.length > LONGEST) return { state: opening, refused: ['a link longer than this page reads'] };
  const parts = [...new URLSearchParams(hash.slice(1))];
  /** @type {string[]} */
  const refused = [];
  let state = opening;
  /** @type {State | null} */
  let pinned = null;
  let pinnable = true;
  for (const [name, value] of parts) {
    const [group, inner] = split(name);
    /** @type {State | null} */
    let next = null;
    if (name === 'model') next = isModel(value) ? state : null;
    else if (name === 'follow') next = read(state, { ...flag, path: ['follow'] }, value);
    else if (group === 'menu' && inner)
      next = value.length < 100 ? put(state, ['menu', 'choices'], { ...state.menu.choices, [inner]: value }) : null;
    else if (group === 'pinned' && inner === 'model') {
      pinnable = value === opening.model; // the numbers of another model's sizes are not here
      if (pinnable) pinned ??= opening;
      next = pinnable ? state : null;
    } else if (group === 'pinned') {
      /** @type {State | null} */
      const held =
        PINNED.includes(inner) && !(known && SIZES.includes(inner))
          ? read(pinned ?? opening, FIELDS[inner], value, known)
          : null;
      pinned = held ?? pinned;
      next = held && state;
    } else if (Object.hasOwn(FIELDS, name))
      next = known && SIZES.includes(name) ? null : read(state, FIELDS[name], value, known);
    else if (others(opening).includes(name))
      next = read(state, { ...data(/** @type {any} */ (opening)[name]), path: [name] }, value);
    if (next) state = next;
    else refused.push(name);
  }
  const names = parts.map(([name]) => name).filter((name) => !refused.includes(name));
  if (!names.includes('text')) state = composed(state);
  if (!names.includes('follow') && names.some((name) => LOOK.includes(name))) state = { ...state, follow: false };
  return { state: pinned && pinnable ? { ...state, pinned: pinOf(pinned) } : state, refused };
}

/** The name of a part, and what stands behind its dot. @param {string} name */
function split(name) {
  const dot = name.indexOf('.');
  return dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot + 1)];
}

/** The state with a field as the link has it; null: it cannot be. @param {State} state @param {Field} how @param {string} value @param {Description} [known] */
function read(state, { path, read: parse }, value, known) {
  const found = parse(value);
  const words = known?.vocabulary.length ?? 0;
  if (found === undefined || (path[0] === 'written' && /** @type {number[]} */ (found).some((id) => id >= words)))
    return null;
  return put(state, path, found);
}
