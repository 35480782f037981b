// Weights that were split into several files: which of them are opened, by their index and before any is.
import { GlassformerError } from '../errors.js';
import { hasClasses } from './families/classes.js';
import { FAMILIES } from './families/index.js';
import { aliasesOf, isUntied, layersOf, shapeOf, unrolled } from './families/match.js';
import { isObject } from '../arrays/tensor.js';

/**
 * A file of weights.
 * @typedef {object} Part
 * @property {() => any} source
 * @property {string[]} [names] of the tensors in it, where an index says them
 */

/** Files that are opened. The largest models have 200; those that fit here have 1 to 10. */
const MOST_FILES = 256;

/**
 * The files that an index names, with their tensors.
 * @param {Record<string, unknown>} json @param {string} index its name @param {RegExp} ending of theirs
 * @returns {Map<string, string[]>}
 */
export function filesIn({ weight_map: map }, index, ending) {
  /** @type {Map<string, string[]>} */
  const files = new Map();
  for (const [tensor, file] of isObject(map) ? Object.entries(map) : []) {
    if (typeof file !== 'string' || !/^[\w.-]+$/.test(file) || !ending.test(file)) return refuse();
    const names = files.get(file);
    if (names) names.push(tensor);
    else files.set(file, [tensor]);
  }
  return files.size ? files : refuse();

  /** @returns {never} */
  function refuse() {
    throw new GlassformerError('format', index, map, 'weight_map must name files by their tensors');
  }
}

/**
 * @typedef {object} Of
 * @property {import('./families/index.js').FamilyName} family
 * @property {import('./families/match.js').Settings} settings
 */

/**
 * The names that a family's model has in files, without prefix.
 * @param {Of} of
 */
function namesOf({ family, settings }) {
  const { tensors, head, classifier, copies = [], computed = {} } = FAMILIES[family];
  const isComputed = (/** @type {[string, any[]]} */ [to]) => to in computed;
  const inFile = (/** @type {Record<string, any[]>} */ table) =>
    unrolled(table, settings).flatMap(([, sources]) => sources.map(({ name }) => name));
  const part = (/** @type {boolean} */ which) =>
    Object.fromEntries(Object.entries(tensors).filter((each) => isComputed(each) === which));
  const others = Object.values(head.aliases ?? {});
  const heads = [classifier?.dense, classifier?.out, 'classifier', 'qa_outputs'];
  const ofClasses = heads.flatMap((name) => [`${name}.weight`, `${name}.bias`]);
  const ofHead = [...inFile(head.tensors), head.table, ...others, ...(hasClasses(FAMILIES[family]) ? ofClasses : [])];
  return { always: inFile(part(false)), maybe: [...inFile(part(true)), ...copies, ...ofHead] };
}

/**
 * The parts that hold something of a model, and the names in the others.
 * @param {Part[]} parts
 * @param {Of} of
 * @returns {{needed: Part[], others: string[]}}
 * @throws {GlassformerError} missing for a weight that no part has; range for too many parts
 */
export function neededOf(parts, of) {
  if (!parts.every(({ names }) => names)) return { needed: parts, others: [] };
  const { always, maybe } = namesOf(of);
  const { prefix } = FAMILIES[of.family];
  const known = new Set([...always, ...maybe]);
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {string} name */
  const isKnown = (name) => {
    const inner = name.replace(/^(module\.|_orig_mod\.)*/, '');
    const bare = inner.startsWith(prefix) ? inner.slice(prefix.length) : inner;
    const now = bare.replace(/\.gamma$/, '.weight').replace(/\.beta$/, '.bias');
    found.add(now);
    return known.has(now);
  };
  const isNeeded = parts.map(({ names = [] }) => names.map(isKnown).includes(true));
  const aliases = aliasesOf(FAMILIES[of.family]);
  const lacking = always.find((name) => ![name, ...(aliases[name] ?? [])].some((each) => found.has(each)));
  if (lacking) throw new GlassformerError('missing', lacking, undefined, 'no file has this weight, by their index');
  const needed = parts.filter((_, i) => isNeeded[i]);
  if (needed.length > MOST_FILES) {
    throw new GlassformerError('range', 'weights', needed.length, `must be in at most ${MOST_FILES} files`);
  }
  return { needed, others: parts.flatMap(({ names = [] }, i) => (isNeeded[i] ? [] : names)) };
}

/**
 * The weights that a model has whatever its file holds, as its config says.
 * @param {Of} of
 * @param {import('./families/read.js').ModelConfig} config
 */
export function tensorsOf({ family, settings }, config) {
  /** @type {Record<string, import('./families/read.js').Source[]>} */
  const table = isUntied(family, config) ? { 'generator.weight': [] } : {};
  return unrolled({ ...FAMILIES[family].tensors, ...table }, settings).map(([to]) => ({
    shape: shapeOf(to, settings),
  }));
}

/** Bytes of a file beside its weights, such as a head that is left over. */
const BESIDE = 2 ** 24;

/**
 * Bytes that the files of a model's weights may have: twice float32, and the masks that old files of GPTs hold.
 * @param {Of} of
 */
export function mostBytes({ family, settings }) {
  const { layers = 0, positions } = settings;
  const maxLength = positions === 'none' ? 0 : (settings.maxLength ?? 0); // without positions, files hold no masks
  const { tensors, head } = FAMILIES[family];
  let numbers = 0;
  for (const to of [...Object.keys({ ...tensors, ...head.tensors }), 'generator.weight']) {
    const count = shapeOf(to, settings).reduce((product, size) => product * size, 1);
    numbers += count * (to.includes('.N.') ? layersOf(to, settings) : 1);
  }
  return BESIDE + 8 * numbers + 4 * layers * maxLength ** 2;
}
