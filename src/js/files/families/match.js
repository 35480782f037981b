import { GlassformerError } from '../../errors.js';
import { classifierOf, headNames } from './classes.js';
import { expectShape } from '../../arrays/tensor.js';
import { FAMILIES } from './index.js';
import { plain } from './read.js';

/** @typedef {import('../../engine/config.js').Settings} Settings */
/** @typedef {Pick<import('../../formats/safetensors-stream.js').StoredTensor, 'dtype' | 'shape'>} Stored */

/**
 * Where a part of a tensor of the file goes, mostly all of it.
 * @typedef {object} Placement
 * @property {string} to weight of the module
 * @property {number} offset of its first element there
 * @property {number} first its first element in the tensor of the file
 * @property {number} count of its elements
 * @property {import('./read.js').Source['layout']} layout
 * @property {Float32Array} [into] of the head for classes of texts, which is no weight of the module
 * @property {boolean} shared another tensor has the same placement and must be equal: a tied table, twice in the file
 */

/**
 * The steps that turn a file into a model.
 * @typedef {object} Plan
 * @property {Settings} settings
 * @property {Map<string, Placement[]>} placements by the names of the file
 * @property {import('../../engine/classify.js').Classifier} [classifier] its numbers are still 0
 * @property {Map<string, Float32Array>} gains as the file keeps them, less 1, by the names of the module; still empty
 * @property {string[]} zeros weights of the module that the family has not
 * @property {Record<string, (settings: Settings) => Float32Array>} computed weights that the file leaves out
 * @property {boolean} [mayUntie] a table of the output is taken for the embedding, and may turn out to be another
 * @property {string[]} notes what is left over or renamed
 */

const FLOATS = ['F64', 'F32', 'F16', 'BF16'];
/** LayerNorm's gain and bias in files of before 2019. */
const OLD = { gamma: 'weight', beta: 'bias' };
/** More names than these are counted, not listed. */
const LISTED = 12;

/**
 * Matches the tensors of a file with those of the module: every one that is needed is there, of the right shape.
 * @param {import('./index.js').FamilyName} name
 * @param {import('./read.js').ModelConfig} config
 * @param {Settings} base without head
 * @param {Map<string, Stored>} stored
 * @param {boolean} [hasOwnTable] the file's output table differs from its embedding
 * @returns {Plan}
 * @throws {GlassformerError} missing, shape, dtype for the tensor of that name; format
 */
export function match(name, config, base, stored, hasOwnTable = isUntied(name, config)) {
  const family = FAMILIES[name];
  const { head } = family;
  const wrapper = wrapperOf(stored);
  const found = canonical(stored, wrapper, family.prefix);
  const ofHead = Object.values(head.tensors).flatMap((sources) => sources.map(({ name: from }) => from));
  const isHeadless = head.optional && !ofHead.some((from) => found.has(from));
  /** @type {Settings} */
  const settings = isHeadless
    ? { ...base, head: 'none' }
    : { ...base, ...head.settings, head: hasOwnTable ? 'linear' : 'tied' };
  const isPrefixed = [...stored.keys()].some((each) => each.startsWith(wrapper + family.prefix));
  const isOfHead = (/** @type {string} */ from) => from === head.table || ofHead.includes(from);
  const aliases = aliasesOf(family, hasOwnTable);
  /** @type {string[]} */
  const renamed = [];
  /** @type {Map<string, Placement[]>} */
  const placements = new Map();
  /** Tensors of the file that several weights are cut from. @type {Map<string, string>} */
  const cuts = new Map();
  /** @type {string[]} */
  const zeros = [];
  /**
   * @param {import('./read.js').Source} source @param {string} to @param {readonly number[]} shape
   * @param {number} [offset] @param {Float32Array} [into]
   */
  const put = (source, to, shape, offset = 0, into = undefined) => {
    const { name: own, layout } = source;
    const from = [own, ...(aliases[own] ?? [])].find((each) => found.has(each)) ?? own;
    if (from !== own) renamed.push(`${found.get(from)} was read as ${own}, to which it is tied`);
    const unused = isOfPositions(to) ? (family.unusedPositions?.(config) ?? 0) : 0;
    const cut = layout === 'cut' ? source.cut(shape[0], settings) : wholeOf(shape[0], unused);
    const wanted = shapeInFile(layout, cut.total, shape);
    const at =
      found.get(from) ??
      cuts.get(from) ??
      lacking(wrapper + (isPrefixed && !isOfHead(from) ? family.prefix : '') + from, wanted);
    const { dtype, shape: given } = /** @type {Stored} */ (stored.get(at));
    expectShape({ shape: given }, wanted, at);
    if (!FLOATS.includes(dtype)) throw new GlassformerError('dtype', at, dtype, `must be one of ${FLOATS.join(', ')}`);
    const parts = placedBy(cut.spans, shape, { to, layout, into, offset, shared: false });
    placements.set(at, [...(placements.get(at) ?? []), ...parts]);
    if (layout === 'cut') cuts.set(from, at);
    found.delete(from);
  };
  const tensors = { ...family.tensors, ...(isHeadless ? {} : head.tensors) };
  const computed = /** @type {Plan['computed']} */ ({});
  /** Whether the file has it; a buffer of another size is none. @param {string} from @param {number[]} shape */
  const isStored = (from, shape) =>
    found.has(from) && (!family.buffers.test(from) || String(inFile(from)) === String(shape));
  const inFile = (/** @type {string} */ from) => stored.get(found.get(from) ?? '')?.shape;
  for (const [to, sources] of unrolled(tensors, settings)) {
    const [rows, ...columns] = shapeOf(to, settings);
    if (sources.length === 0) zeros.push(to);
    const otherwise = family.computed?.[to];
    if (otherwise && !isStored(sources[0].name, [rows, ...columns])) {
      computed[to] = otherwise;
      continue;
    }
    let offset = 0;
    partsOf(to, rows, sources.length, settings).forEach((part, i) => {
      const shape = [part, ...columns];
      put(sources[i], to, shape, offset);
      offset += shape.reduce((a, b) => a * b);
    });
  }
  const embedding = tableOf(family);
  const table = shapeOf(embedding, settings);
  const [output] = plain(head.table);
  const copies = plain(...(family.copies ?? []).filter((copy) => found.has(copy)));
  const mayUntie = settings.head === 'tied' && found.has(head.table);
  if (settings.head === 'linear') put(output, 'generator.weight', table);
  else if (mayUntie) copies.push(output);
  for (const copy of copies) put(copy, embedding, table);
  for (const each of [...placements.values()].flat()) each.shared = copies.length > 0 && each.to === embedding;
  const { classifier, notes: ofClasses } = classifierOf(config, family, inFile, Number(settings.d_model));
  for (const [part, { weight, bias }] of Object.entries(classifier?.weights ?? {})) {
    const from = /** @type {any} */ (headNames(family, /** @type {any} */ (classifier).of))[part];
    const [ofWeight, ofBias] = plain(`${from}.weight`, `${from}.bias`);
    put(ofWeight, '', weight.shape, 0, weight.data);
    put(ofBias, '', bias.shape, 0, bias.data);
  }
  const left = [...found].filter(([from]) => !family.buffers.test(from));
  expectLayers(left, family, settings);
  const unread = left.map(([, at]) => at);
  return {
    settings,
    placements,
    classifier,
    gains: new Map(),
    zeros,
    computed,
    mayUntie,
    notes: [...notesOf(stored, found, unread, { isHeadless, settings }), ...renamed, ...ofClasses],
  };
}

/**
 * Refuses tensors of more layers than config.json says.
 * @param {[string, string][]} left names by the tables and in the file @param {import('./read.js').Family} family
 * @param {Settings} settings
 */
function expectLayers(left, { names }, settings) {
  for (const [from, at] of left) {
    const layer = Number(/(?:^|\.)(?:h|layers?|block)\.(\d+)\./.exec(from)?.[1] ?? -1);
    if (layer < layersOf(from, settings)) continue;
    const counted = isOfDecoder(from, settings) ? names.decoderLayers : names.layers;
    const why = `is of a layer that config.${counted} = ${layersOf(from, settings)} does not have`;
    throw new GlassformerError('format', at, undefined, why);
  }
}

/** All rows of a weight, behind those that the module has not. @param {number} rows @param {number} unused */
const wholeOf = (rows, unused) => ({ total: rows + unused, spans: [{ from: unused, rows, to: 0 }] });

/**
 * The shape of a tensor in the file.
 * @param {import('./read.js').Source['layout']} layout @param {number} rows that it has there
 * @param {readonly number[]} shape in the module
 */
function shapeInFile(layout, rows, [, ...columns]) {
  if (layout === 'transposed') return [...columns, rows];
  return [...(layout === 'row' ? [1] : []), rows, ...columns];
}

/**
 * @param {import('./read.js').Span[]} spans of rows
 * @param {readonly number[]} shape of the weight, or of its part
 * @param {Omit<Placement, 'first' | 'count'>} placement of the part; offset: of its first row
 * @returns {Placement[]}
 */
function placedBy(spans, [, ...columns], { offset, ...placement }) {
  const width = columns.reduce((product, size) => product * size, 1);
  return spans.map(({ from, rows, to }) => ({
    ...placement,
    offset: offset + to * width,
    first: from * width,
    count: rows * width,
  }));
}

/** @param {string} to */
const isOfPositions = (to) => /pos_emb\.weight$/.test(to);

/** The embedding in the module: of the only stack, or of both. @param {import('./read.js').Family} family */
export const tableOf = ({ tensors }) => ('src_emb.weight' in tensors ? 'src_emb.weight' : 'tok_emb.weight');

/**
 * Other names of tied tensors: a file that keeps one of them may keep any.
 * @param {import('./read.js').Family} family
 * @param {boolean} [hasOwnTable] the output table is not tied
 * @returns {Record<string, string[]>}
 */
export function aliasesOf(family, hasOwnTable = false) {
  const { tensors, head, copies = [] } = family;
  const ofHead = Object.entries(head.aliases ?? {}).map(([name, alias]) => [name, [alias]]);
  const others = hasOwnTable ? copies : [...copies, head.table];
  return { ...Object.fromEntries(ofHead), [tensors[tableOf(family)][0].name]: others };
}

/** Whether a name is of the decoder behind an encoder. @param {string} name @param {Settings} settings */
const isOfDecoder = (name, { kind }) => kind === 'encoder-decoder' && name.startsWith('decoder.');

/** The number of layers of a weight's stack. @param {string} name @param {Settings} settings */
export const layersOf = (name, settings) =>
  Number((isOfDecoder(name, settings) ? settings.decoderLayers : settings.layers) ?? 0);

/**
 * The prefix that PyTorch's DataParallel (module.) or torch.compile (_orig_mod.) puts before every name.
 * @param {Map<string, Stored>} stored
 * @returns {string}
 */
function wrapperOf(stored) {
  const names = [...stored.keys()];
  const [wrapper = ''] = /^(module\.|_orig_mod\.)*/.exec(names[0] ?? '') ?? [];
  return names.every((name) => name.startsWith(wrapper)) ? wrapper : '';
}

/**
 * The file's names by those of the tables: without prefix, gamma and beta as weight and bias.
 * @param {Map<string, Stored>} stored
 * @param {string} wrapper
 * @param {string} prefix
 * @returns {Map<string, string>}
 */
function canonical(stored, wrapper, prefix) {
  const found = new Map();
  for (const name of stored.keys()) {
    const inner = name.slice(wrapper.length);
    const bare = inner.startsWith(prefix) ? inner.slice(prefix.length) : inner;
    const now = bare.replace(/(?<=\.)(gamma|beta)$/, (old) => OLD[/** @type {'gamma' | 'beta'} */ (old)]);
    if (found.has(now))
      throw new GlassformerError('format', name, undefined, `is the same weight as ${found.get(now)}`);
    found.set(now, name);
  }
  return found;
}

/** @param {string} name @param {number[]} shape @returns {never} */
function lacking(name, shape) {
  throw new GlassformerError('missing', name, undefined, `the file lacks this weight of shape [${shape.join(', ')}]`);
}

/**
 * The weights that a model of such settings has, N by each number of a layer.
 * @param {Record<string, import('./read.js').Source[]>} tensors
 * @param {Settings} settings
 * @returns {[string, import('./read.js').Source[]][]}
 */
export function unrolled(tensors, settings) {
  const had = Object.entries(tensors).filter(([to]) => hasWeight(to, settings));
  return had.flatMap(([to, sources]) => {
    if (!to.includes('.N.')) return [[to, sources]];
    const own = sources.filter(({ ffn = settings.ffn ?? 'plain' }) => ffn === (settings.ffn ?? 'plain'));
    return Array.from({ length: layersOf(to, settings) }, (_, i) => {
      const at = (/** @type {string} */ name) => name.replace('.N.', `.${i}.`);
      const each = own.map((from) => ({ ...from, name: at(from.name) }));
      return /** @type {[string, import('./read.js').Source[]]} */ ([at(to), each]);
    });
  });
}

/**
 * Whether the output table is not the embedding.
 * @param {import('./index.js').FamilyName} name
 * @param {import('./read.js').ModelConfig} config
 */
export const isUntied = (name, config) => (config.tie_word_embeddings ?? !FAMILIES[name].untied) === false;

/**
 * Whether a model of such settings has a weight.
 * @param {string} name
 * @param {Settings} settings
 */
function hasWeight(name, settings) {
  const { attentionBias = true, attentionOutBias = true, ffnBias = true, qkNorm = false, ffn = 'plain' } = settings;
  if (/linear3\.weight$/.test(name)) return ffn === 'gated';
  if (/in_proj_bias$/.test(name)) return attentionBias;
  if (/out_proj\.bias$/.test(name)) return attentionBias && attentionOutBias;
  if (/linear\d\.bias$/.test(name)) return ffnBias;
  return qkNorm || !/[qk]_norm\.weight$/.test(name);
}

/** Columns of all queries, and of all keys. @param {Settings} settings */
function columnsOf({ d_model = 0, heads = 1, keyValueHeads = 0, headWidth = 0 }) {
  const width = headWidth || d_model / heads;
  return { queries: heads * width, keys: (keyValueHeads || heads) * width, width };
}

/**
 * The rows of each source of a weight.
 * @param {string} name
 * @param {number} rows
 * @param {number} count
 * @param {Settings} settings
 */
export function partsOf(name, rows, count, settings) {
  const { queries, keys } = columnsOf(settings);
  const joined = /in_proj_/.test(name) && count === 3;
  return joined ? [queries, keys, keys] : Array.from({ length: count }, () => rows / count);
}

/**
 * The shape of a weight of the module, before there is a model.
 * @param {string} name
 * @param {Settings} settings
 * @returns {number[]}
 */
export function shapeOf(name, settings) {
  const { vocabulary: V = 0, maxLength: P = 0, types = 0, d_model: C = 0, d_ff: F = 0, heads: H = 0 } = settings;
  const { queries: A, keys, width } = columnsOf(settings);
  /** @type {[RegExp, number[]][]} */
  const shapes = [
    [/^(tok_emb|src_emb|generator)\.weight$/, [V, C]],
    [/pos_emb\.weight$/, [P, C]],
    [/relative_bias\.weight$/, [settings.relativeBuckets ?? 0, H]],
    [/^type_emb\.weight$/, [types, C]],
    [/^generator\.bias$/, [V]],
    [/in_proj_weight$/, [A + 2 * keys, C]],
    [/in_proj_bias$/, [A + 2 * keys]],
    [/out_proj\.weight$/, [C, A]],
    [/dense\.weight$/, [C, C]],
    [/[qk]_norm\.weight$/, [width]],
    [/linear[13]\.weight$/, [F, C]],
    [/linear[13]\.bias$/, [F]],
    [/linear2\.weight$/, [C, F]],
  ];
  return shapes.find(([pattern]) => pattern.test(name))?.[1] ?? [C];
}

/**
 * @param {Map<string, Stored>} stored
 * @param {Map<string, string>} found what is left
 * @param {string[]} left of that no buffer
 * @param {{isHeadless: boolean, settings: Settings}} facts
 */
function notesOf(stored, found, left, { isHeadless, settings }) {
  const list = (/** @type {string[]} */ names) =>
    names.length > LISTED ? `${names.slice(0, LISTED).join(', ')} and ${names.length - LISTED} more` : names.join(', ');
  const old = [...stored.keys()].filter((name) => /\.(gamma|beta)$/.test(name));
  const buffers = found.size - left.length;
  return [
    ...(left.length ? [`left over: ${list(left)}`] : []),
    ...(buffers ? [`${buffers} buffers of masks and positions, which are no weights, were passed over`] : []),
    ...(old.length ? [`${old.length} tensors with the old names gamma and beta were read as weight and bias`] : []),
    ...(isHeadless ? ['the file has no head for masked words: the outputs are vectors'] : []),
    ...(settings.head === 'linear' ? ['the output table is its own, not that of the embedding'] : []),
  ];
}
