// Finds the causes of an answer: its probability under each of many changes. Fetched with lens.js.
import { largest } from '../arrays/arrays.js';
import { CAPTURE, ONE_ROW } from './flags.js';
import { GlassformerError } from '../errors.js';
import { compute } from './ops.js';
import { meansOf, runPatched } from './patches.js';
import { integer, maybe, optional, readOptions, refuseType, signalReader } from '../arrays/tensor.js';
import { partOf, rowReader, selected } from './selector.js';
import { fittingAt, inOrder, triedIn } from './swaps.js';
import { isTrace, runOf } from './trace.js';

/** @typedef {import('./trace.js').Trace} Trace */

/** @typedef {import('./selector.js').Selected} Selected */
/** @typedef {'encoder' | 'decoder'} Stack */
/** @typedef {import('./trace.js').Run} Run */

/**
 * @typedef {object} DecidedOptions
 * @property {import('./patches.js').GivenTrace | 'mean'} [from] where the vectors of the stream come from: another
 *   pass over as many tokens, or their mean over the tokens. Default a pass over the same ids with one word swapped:
 *   words that fit in each place, as the model says, are tried, and the swap counts that turns the answer, not into the
 *   word put in, and costs it most of its lead. The mean where no word fits, and with two stacks
 * @property {number} [groups] of neighbouring neurons that a layer's are cut into, default 4
 * @property {import('./generate.js').Signal} [signal] ends it between two passes
 */

/**
 * The probability of the answer where the residual stream at a token, after a layer (null: before the first), is
 * another one.
 * @typedef {object} StreamCell
 * @property {Stack} stack of the layer
 * @property {number | null} layer after which
 * @property {number} row the token
 * @property {number} probability of the answer
 */

/**
 * The probability of the answer without a head, or without the neurons from the first to the last.
 * @typedef {object} PartCell
 * @property {Stack} stack of the layer
 * @property {number} layer from 0
 * @property {'self' | 'cross'} [attention] of a head
 * @property {number} [head] from 0
 * @property {[first: number, last: number]} [neurons] instead of a head
 * @property {number} probability of the answer
 */

/**
 * The word that was swapped for another one.
 * @typedef {object} DecidedSwap
 * @property {number} row the token
 * @property {number} id in its place
 * @property {number} to the likeliest id then: the answer, where no swap turns it
 * @property {number} probability of the answer then
 */

/**
 * Result of `Trace.decided`: the answer's probability under each change.
 * @typedef {object} Decided
 * @property {number} answer the likeliest id at the token
 * @property {number} probability of it, with none of the changes
 * @property {number[] | 'mean' | null} from the ids of the other pass, or the mean; null: of a trace that was given
 * @property {DecidedSwap | null} swap the difference in the ids of `from`; null: it was given, or is the mean
 * @property {StreamCell[]} stream stack by stack, layer by layer, token by token: up to the input of the last layer,
 *   where another stack reads its output too
 * @property {PartCell[]} parts stack by stack, layer by layer: heads, then neurons
 */

/** @param {number} length */
const count = (length) => Array.from({ length }, (_, i) => i);

/**
 * See Trace.decided.
 * @param {Trace} trace
 * @param {number} token
 * @param {DecidedOptions} [options]
 * @returns {Generator<{done: number, total: number}, Decided, void>}
 */
export function* decide(trace, token, options = {}) {
  const run = runOf(trace);
  const { handle, batch, changes } = run;
  const { from, groups, signal } = readOptions(options, {
    from: maybe((value, name) =>
      value === 'mean' || isTrace(value) ? value : refuseType(name, value, "a trace or 'mean'"),
    ),
    groups: optional(integer(1, 2 ** 31 - 1), 4),
    signal: maybe(signalReader),
  });
  const { T, S, B } = batch.sizes;
  if (handle.config.head === 'none') throw new GlassformerError('config', 'head', 'none', 'needs a model with a head');
  if (B !== 1) throw new GlassformerError('shape', 'trace', B, 'decided needs a pass over one sequence');
  const row = rowReader(T || S)(token, 'token');

  /** The probabilities of all rows. @returns {Float32Array} */
  const shares = () => {
    const logits = handle.read(handle.get('logits'));
    const columns = logits.shape[2];
    return compute(handle.core, 'gf_softmax', logits.shape, logits, logits.data.length / columns, columns).data;
  };
  /**
   * Those at the token under more changes, and of other ids.
   * @param {import('./patches.js').GivenPatch[]} more @param {number[]} [ids]
   */
  const under = (more, ids) => {
    signal?.throwIfAborted();
    const { patches = [], ablate = [], temperature } = changes;
    passAgain(run, { patches: [...patches, ...ablate, ...more], temperature }, ids && { writes: withIds(run, ids) });
    const logits = handle.read(partOf(handle.get('logits'), { index: [0, row, null] }));
    return compute(handle.core, 'gf_softmax', logits.shape, logits, 1, logits.data.length).data;
  };

  const plain = under([]);
  const [answer] = largest(plain, 1);
  const probability = plain[answer];
  const ids = idsOf(run);
  const swaps = from || !ids ? [] : fitting(run, ids, row, shares());
  const cells = cellsOf(run, groups);
  const total = swaps.length + cells.stream.length + cells.parts.length;
  let done = 0;
  yield { done, total };
  /** @type {(import('./swaps.js').Tried & {probability: number})[]} */
  const tried = [];
  for (const swap of swaps) {
    const now = under([], swappedIn(ids, swap));
    tried.push({ ...triedIn(swap, now, { plain, answer }), probability: now[answer] });
    yield { done: ++done, total };
  }
  const best = /** @type {typeof tried[number] | undefined} */ (inOrder(tried, answer)[0]);
  const other = from ?? (best && swappedIn(ids, best)) ?? 'mean';
  const source = sourceOf(run, other);
  for (const cell of [...cells.stream, ...cells.parts]) {
    cell.probability = under(patchesOf(run, cell, source))[answer];
    yield { done: ++done, total };
  }
  const swap = best ? { row: best.row, id: Number(best.id), to: best.to, probability: best.probability } : null;
  return { answer, probability, from: isTrace(other) ? null : other, swap, ...cells };
}

/**
 * @param {Run} run
 * @param {import('./patches.js').Changes} changes
 * @param {Partial<import('./inputs.js').Batch>} [other]
 */
function passAgain({ live, handle, batch }, changes, other) {
  live();
  handle.pass.begin();
  runPatched(handle, { ...batch, flags: batch.flags & ~(CAPTURE | ONE_ROW), omitted: undefined, ...other }, changes);
}

/**
 * The ids, where their words are those of the answer too.
 * @param {Run} run
 */
function idsOf({ handle: { config }, batch: { writes } }) {
  const { kind, vocabulary, outputVocabulary } = config;
  if (kind === 'encoder-decoder' || (outputVocabulary && outputVocabulary !== vocabulary)) return undefined;
  const ids = writes.find(({ to }) => to.endsWith('.ids'))?.data;
  return ids && Array.from(ids);
}

/** @param {number[] | undefined} ids @param {import('./swaps.js').Swap} swap */
const swappedIn = (ids, { row, id }) => ids?.map((each, at) => (at === row ? Number(id) : each));

/** @param {Run} run @param {number[]} ids */
const withIds = ({ batch }, ids) =>
  batch.writes.map((each) => (each.to.endsWith('.ids') ? { ...each, data: ids } : each));

/**
 * Every swap of a word for one that fits.
 * @param {Run} run @param {number[]} ids @param {number} row of the answer @param {Float32Array} shares of all rows
 */
function fitting({ handle: { config } }, ids, row, shares) {
  const columns = shares.length / ids.length;
  const sharesAt = (/** @type {number} */ at) => shares.subarray(at * columns, (at + 1) * columns);
  const given = { row, causal: config.causal, vocabulary: Number(config.vocabulary), sharesAt };
  return ids.flatMap((_, at) => fittingAt(at, ids, given));
}

/**
 * The stacks, with their layers and tokens.
 * @param {Run} run
 * @returns {{stack: Stack, depth: number, tokens: number, isRead: boolean}[]} isRead: by another stack
 */
function stacksOf({ handle: { config }, batch: { sizes } }) {
  const { kind, layers, decoderLayers } = config;
  if (kind !== 'encoder-decoder') {
    const stack = kind === 'encoder' ? 'encoder' : 'decoder';
    return [{ stack, depth: Number(layers), tokens: sizes.T || sizes.S, isRead: false }];
  }
  return [
    { stack: 'encoder', depth: Number(layers), tokens: sizes.S, isRead: true },
    { stack: 'decoder', depth: Number(decoderLayers), tokens: sizes.T, isRead: false },
  ];
}

/** A state of the stream. @param {Stack} stack @param {number | null} layer @returns {Selected} */
const streamAt = (stack, layer) => (layer === null ? { stack, role: 'input' } : { stack, layer });

/**
 * The vectors of the stream that replace others, of each state [T,C]: as a pass without changes computes them.
 * @param {Run} run
 * @param {Trace | 'mean' | number[]} from
 * @returns {(stack: Stack, layer: number | null, row: number) => Float32Array}
 */
function sourceOf(run, from) {
  const { handle, batch, changes } = run;
  /** @type {Map<string, Float32Array>} */
  const states = new Map();
  const C = Number(handle.config.d_model);
  if (!isTrace(from)) {
    const writes = from === 'mean' ? batch.writes : withIds(run, from);
    passAgain(run, { temperature: changes.temperature }, { writes, flags: (batch.flags & ~ONE_ROW) | CAPTURE });
  }
  for (const { stack, depth, tokens, isRead } of stacksOf(run))
    for (const after of count(isRead ? depth + 1 : depth)) {
      const layer = after ? after - 1 : null;
      const { name } = selected(handle, streamAt(stack, layer), 'from');
      const { data } = isTrace(from) ? from.tensor(name) : handle.read(handle.get(name));
      if (data.length !== tokens * C) {
        throw new GlassformerError('shape', 'from', data.length / C, `must be a pass over ${tokens} tokens`);
      }
      const state = from === 'mean' ? meansOf(handle.get(name), data, batch) : data;
      states.set(`${stack} ${layer}`, /** @type {Float32Array} */ (state));
    }
  return (stack, layer, row) => {
    const state = /** @type {Float32Array} */ (states.get(`${stack} ${layer}`));
    return state.subarray(row * C, (row + 1) * C);
  };
}

/** @param {Run} run @param {number} wanted groups @returns {{stream: StreamCell[], parts: PartCell[]}} */
function cellsOf(run, wanted) {
  const { heads, d_ff, kind } = run.handle.config;
  const groups = Math.min(wanted, Number(d_ff));
  const first = (/** @type {number} */ i) => Math.floor((i * Number(d_ff)) / groups);
  /** @type {{stream: StreamCell[], parts: PartCell[]}} */
  const cells = { stream: [], parts: [] };
  for (const { stack, depth, tokens, isRead } of stacksOf(run)) {
    // The last layer's output is the answer: another pass's vector there gives that pass's answer.
    for (const after of count(isRead ? depth + 1 : depth))
      for (const row of count(tokens))
        cells.stream.push({ stack, layer: after ? after - 1 : null, row, probability: 0 });
    /** @type {('self' | 'cross')[]} */
    const attentions = kind === 'encoder-decoder' && stack === 'decoder' ? ['self', 'cross'] : ['self'];
    for (const layer of count(depth)) {
      for (const attention of attentions)
        for (const head of count(Number(heads))) cells.parts.push({ stack, layer, attention, head, probability: 0 });
      for (const i of count(groups))
        cells.parts.push({ stack, layer, neurons: [first(i), first(i + 1) - 1], probability: 0 });
    }
  }
  return cells;
}

/**
 * @param {Run} run @param {StreamCell | PartCell} cell @param {ReturnType<typeof sourceOf>} source
 * @returns {import('./patches.js').GivenPatch[]}
 */
function patchesOf({ handle }, cell, source) {
  const parameter = 'decided';
  const { stack, layer } = cell;
  if ('row' in cell) {
    const value = source(stack, layer, cell.row);
    return [{ selector: { ...streamAt(stack, layer), row: cell.row }, value, parameter }];
  }
  const { neurons, attention, head } = cell;
  if (!neurons) return [{ selector: { stack, layer: cell.layer, attention, head }, value: 0, parameter }];
  const { name } = selected(handle, { stack, layer: cell.layer, node: 'ffn', role: 'activation' }, parameter);
  const [first, last] = neurons;
  return count(last - first + 1).map((i) => ({ selector: { name, neuron: first + i }, value: 0, parameter }));
}
