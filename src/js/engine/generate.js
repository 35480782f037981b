import { chooser } from './choose.js';
import { GlassformerError, filesOf } from '../errors.js';
import { CACHE, CAPTURE, ONE_ROW } from './flags.js';
import { isArray, isList } from '../arrays/arrays.js';
import { isNamed } from '../arrays/names.js';
import { inputsOf, planOf, readBatch } from './inputs.js';
import { Scratch } from '../arrays/memory.js';
import { CHANGES, runPatched } from './patches.js';
import { MOST_BEAMS, SEARCH, rulesReader } from './rules.js';
import { SOURCE, endsOf, ofRow, promptInput, promptOf, writerOf } from './prompt.js';
import {
  callback,
  expectIds,
  expectRank,
  flag,
  integer,
  ints,
  listOf,
  maybe,
  number,
  optional,
  refuseType,
  seed,
  signalReader,
} from '../arrays/tensor.js';
import { writer } from './written.js';

/** @typedef {import('./handle.js').Handle} Handle */
/** @typedef {import('./named.js').Ids} Ids */
/** @typedef {import('../arrays/tensor.js').Flags} Flags */
/** @typedef {import('../arrays/tensor.js').Ints} Ints */

/**
 * @typedef {object} GenerateOptions
 * @property {Ids} [ids] [T] of a decoder: the prompt. Rows, of any lengths, give an array of results: those of a call
 *   for each, with `seed` plus its number
 * @property {Flags} [padding] [T], 1 = hidden: left out of the prompt
 * @property {Ids} [sourceIds] [S] of an encoder-decoder: its source; or rows, as `ids`
 * @property {Ints} [sourceTypeIds] [S]; as many rows as `sourceIds`, as all here
 * @property {Flags} [sourcePadding] [S], 1 = hidden
 * @property {Ids} [targetIds] [T] the start of the target, like [BOS]; default the `start` of `rules`, or the start
 *   token of its tokenizer
 * @property {Flags} [targetPadding] [T], as `padding`
 * @property {Flags} [memoryPadding] [S], 1 = hidden from cross-attention; default `sourcePadding`
 * @property {number} [maxTokens] at most so many new tokens; default, and at most, as many as still fit: more ends by
 *   'maxLength'. The default keeps within `maxOperations`
 * @property {number} [temperature] default 0, or 1 where `topK` or `topP` is given, whatever its value; 0: always the
 *   likeliest token; else tokens are drawn from softmax(logits / temperature)
 * @property {number} [topK] default 0: all; else only the k likeliest can be drawn
 * @property {number} [topP] from 0 to 1, default 1: all; else only the fewest of the likeliest can be drawn whose
 *   probabilities sum to topP, after `temperature` and `topK`
 * @property {number} [repetitionPenalty] default 1: none; above 1, tokens that came before get less likely: their
 *   positive logits are divided by it, negative ones multiplied
 * @property {(logits: Float32Array, ids: number[]) => unknown} [logits] called before each choice with a copy of the
 *   [V] logits and all ids so far: change the copy, or return other [V] logits; -Infinity forbids a token. Not in a
 *   worker
 * @property {number} [seed] of the draws; default: one is drawn, and is in the result
 * @property {number} [beams] beam search: so many continuations are kept in each step, and the likeliest sequence is
 *   the result. Default: those of `rules`, else 1: none. Not in `generateSync`; not with `temperature`, `topK`, `topP`,
 *   `stop` and `window`
 * @property {number} [lengthPenalty] of beams, default that of `rules`, else 1: a sequence's score is its
 *   log-probability / length ** lengthPenalty; above 0 favours long ones
 * @property {boolean | 'never'} [earlyStopping] of beams, default that of `rules`, else false: ends where the best open
 *   beam, were it to end now, could not be better; true: once as many sequences have ended as there are beams; 'never':
 *   where none of the length that still fits could
 * @property {number} [keep] of beams, default 1: so many of the best sequences are in the result, as `beams`
 * @property {number | readonly number[]} [endId] stops after this token, or any of these; default: the `endIds` of the
 *   opened checkpoint; a model with its own `Vocabulary` stops at that one's [EOS]; []: none
 * @property {import('./rules.js').Rules} [rules] on the tokens of a target: its start, tokens that are forced at the
 *   first and last place, what may not be written; default: those of the opened checkpoint; {}: none
 *   but its start
 * @property {string | readonly (string | Ints)[]} [stop] stops after this text, or any of these texts or sequences of
 *   ids, in the continuation. A text may be that of a special token; no text behind it is handed out
 * @property {number} [window] the longest context: where the sequence grows beyond it, the model reads on from its last
 *   half window. Then also positions that are learned do not end it
 * @property {boolean} [cache] default true: keep keys and values, and compute only the new token.
 *   False runs the whole sequence again for each token, for the same bits; so does a model
 *   without causal mask, where a new token changes all earlier ones
 * @property {import('./patches.js').Ablation[]} [ablate] heads and neurons set to 0, as `forward` takes
 *   them; the whole sequence runs again for each token, and is captured
 * @property {import('./patches.js').Patch[]} [patches] numbers put in the place of computed ones in every pass, as
 *   `forward` takes them, at the cost of `ablate`; one number each where null stands for a length that grows
 * @property {(id: number, index: number, row: number) => unknown} [onToken] of `generateSync`, which no loop can end:
 *   called with each new token; false stops, and leaves later rows without new tokens
 * @property {Signal} [signal] an AbortSignal, asked before each token: if it is aborted, its reason is thrown,
 *   and weights and earlier tokens stay as they are
 * @property {number} [maxOperations] multiply-adds that this call may take; default: the engine's, see `load`
 */

/**
 * Rows, one after the other.
 * @typedef {readonly (readonly (number | bigint)[] | import('../arrays/tensor.js').IntArray)[]} IdRows
 * @typedef {IdRows | readonly string[] | import('../text/texts.js').EncodedRows} PromptRows
 * @typedef {Omit<GenerateOptions, 'ids' | 'sourceIds' | 'targetIds'> & ({ids: PromptRows} |
 *   {sourceIds: PromptRows, targetIds?: PromptRows} | {sourceIds?: Ids, targetIds: PromptRows})} BatchOptions
 */

/**
 * The start to continue: a text or texts where the model knows its tokenizer, ids, or a result of `encode`; in an
 * encoder-decoder all of these are the source. Or inputs by name, with options beside them.
 * @typedef {Ids | GenerateOptions | BatchOptions} Prompt
 */

/**
 * Of rows an array of results.
 * @template I
 * @typedef {I extends PromptRows | BatchOptions ? Generated[] : Generated} GeneratedOf
 */

/**
 * The generated tokens, with texts where the model knows its tokenizer.
 * @typedef {object} Generated
 * @property {number[]} ids the prompt with its continuation
 * @property {number[]} newIds the continuation alone, with what stopped it
 * @property {string} [text] of all ids but those that begin or end a text
 * @property {string} [newText] of the new ones, which follows the prompt's text: begins with a space where one is
 *   between. It ends with the text of `stop` that ended it
 * @property {'maxTokens' | 'maxLength' | 'endId' | 'stop' | 'onToken'} endedBy the option that ended it; 'maxLength'
 *   where no more fits, or may be computed
 * @property {number} seed of its draws: with it, the same again
 * @property {number} [score] with beams: its log-probability / length ** lengthPenalty; the length counts the end token
 * @property {Generated[]} [beams] the `keep` best sequences, the best first
 * @property {import('./beams.js').Candidate[]} [tree] all continuations that were weighed, step by step
 */

/**
 * The members of an AbortSignal that are used.
 * @typedef {object} Signal
 * @property {boolean} aborted whether it was
 * @property {any} reason why
 * @property {() => void} throwIfAborted throws the reason, if it was
 */

/**
 * Texts and sequences of ids.
 * @param {Handle} handle
 * @returns {import('../arrays/tensor.js').Reader<(string | import('../arrays/tensor.js').Tensor<Int32Array>)[]>}
 */
function stopReader(handle) {
  const sequence = (/** @type {unknown} */ value, /** @type {string} */ name) => {
    if (typeof value !== 'string') return ints(value, name);
    if (!writerOf(handle)) throw handle.texts.unread ?? new GlassformerError('type', name, value, UNREADABLE);
    return value || refuseType(name, value, 'a text of at least a letter, or ids');
  };
  const all = listOf(sequence, 'a text, or an array of texts or arrays of ids');
  return (value, name) => all(typeof value === 'string' ? [value] : value, name);
}

/** @param {number} vocabulary @returns {import('../arrays/tensor.js').Reader<readonly number[]>} */
function endReader(vocabulary) {
  const id = integer(0, vocabulary - 1, 'token');
  const all = listOf(id, 'an id, or an array of ids');
  return (value, name) => (isList(value) ? all(value, name) : [id(value, name)]);
}

const UNREADABLE =
  "a text needs the model's tokenizer, and this model knows none: give ids, or vocabulary: new Vocabulary(words) to " +
  'createModel';

/** @type {import('../arrays/tensor.js').Reader<any>} */
const looped = (value, name) => refuseType(name, value, 'left out: loop over what generate returns');

/** @type {import('../arrays/tensor.js').Reader<number>} */
const count = (value, name) => (value === Infinity ? value : integer(0, Number.MAX_SAFE_INTEGER)(value, name));

/**
 * A new token, as a loop gets it.
 * @typedef {object} Token
 * @property {number} id the new token
 * @property {number} row of the prompts, from 0
 * @property {string} [text] the new text that is certain by then, where the model knows its tokenizer: joined, they are
 *   `newText`
 * @property {Generated['endedBy']} [endedBy] of the last token of a row
 * @property {import('./beams.js').Candidate[]} [candidates] of this step, with beams; `id` is the likeliest beam's
 */

/**
 * The loop of Model.generate: one crossing into the core for each pass and one for each draw. It yields tokens, or the
 * results of `onToken`, and goes by the values sent back.
 * @typedef {Generator<unknown, any, unknown>} Generating
 * @param {Handle} handle
 * @param {unknown} input
 * @param {unknown} options
 * @param {{sync?: boolean, slices?: import('../worker/slices.js').Slices}} [way] sync: with `onToken`; slices: passes
 *   may be cut over threads, which hands out promises whose values are to be sent back
 * @returns {Generating} of Generated, or of an array of these
 */
export function* generate(handle, input, options, { sync, slices } = {}) {
  const vocabulary = outputVocabulary(handle);
  const given = promptInput(handle, input, options);
  const prompt = promptOf(handle.config);
  const ids = isNamed(given) && given[prompt];
  const rows = isArray(ids) && isList(ids[0]) ? ids.length : 0;
  const drawn = Math.floor(Math.random() * 2 ** 32);
  const plans = Array.from({ length: rows || 1 }, (_, row) => ({
    ...readPlan(handle, rows ? ofRow(given, prompt, row) : given, vocabulary, sync, row, rows, drawn),
    slices,
  }));
  const results = [];
  /** @type {Generated | undefined} */
  let last;
  for (const plan of plans) results.push((last = yield* run(handle, plan, vocabulary, last?.endedBy)));
  return rows ? results : last;
}

/**
 * One sequence.
 * @param {Handle} handle
 * @param {Plan} plan
 * @param {number} vocabulary
 * @param {Generated['endedBy']} [before] the end of the row before: where that ends all, nothing begins
 * @returns {Generator<unknown, Generated, any>}
 */
function* run(handle, plan, vocabulary, before) {
  if (plan.beams > 1) {
    const { searchBeams } = /** @type {typeof import('./beams.js')} */ (yield filesOf(handle.core).beams());
    return yield* searchBeams(handle, plan, vocabulary);
  }
  const { prompt, maxTokens, endId, stop, onToken, signal, window, seed, full, row } = plan;
  const tokens = [...prompt];
  const texts = stop.filter((each) => typeof each === 'string');
  const write = writer(writerOf(handle), prompt, texts);
  const ends = (/** @type {typeof stop[number]} */ each) =>
    typeof each !== 'string' &&
    each.data.length <= tokens.length - prompt.length &&
    each.data.every((id, i) => id === tokens.at(i - each.data.length));
  /** @type {Generated['endedBy'] | undefined} */
  let endedBy = before === 'onToken' ? before : undefined;
  let start = 0;
  const scratch = new Scratch(handle.memory);
  try {
    const choose = chooser(handle, plan, vocabulary, scratch);
    for (let index = 0; index < maxTokens && !endedBy; index++) {
      signal?.throwIfAborted();
      if (tokens.length - start > window) start = tokens.length - Math.ceil(window / 2);
      const at = yield* runPass(handle, plan, tokens, start);
      const id = choose(handle.get('logits').pointer + at * vocabulary * 4, tokens);
      tokens.push(id);
      const last = endId.includes(id) ? 'endId' : stop.some(ends) ? 'stop' : index + 1 < maxTokens ? undefined : full;
      const token = write.token({ id, row, ...(last && { endedBy: last }) });
      const answer = yield onToken ? onToken(id, index, row) : token;
      endedBy = token.endedBy;
      if (endedBy === 'endId' || endedBy === 'stop') continue;
      if (onToken ? answer === false : answer === 'stop') endedBy = onToken ? 'onToken' : 'stop';
    }
  } finally {
    scratch.free();
  }
  return write.result({ ids: tokens, newIds: tokens.slice(prompt.length), endedBy: endedBy ?? full, seed });
}

/**
 * Runs the tokens that the next one needs: with a cache, those behind the beginning whose keys and values it holds.
 * @param {Handle} handle
 * @param {Plan} plan
 * @param {number[]} tokens so far
 * @param {number} start of the context
 * @returns {Generator<Promise<unknown>, number, any>} the row of the logits that belongs to the last token
 */
function* runPass(handle, plan, tokens, start) {
  const { capacity, roomy, source, key, ablate, patches, slices } = plan;
  const { pass } = handle;
  const length = tokens.length - start;
  const kept = cacheFor(handle, plan, tokens, start);
  if (kept && capacity > 0 && capacity <= kept.capacity && kept.key === key) {
    // No need to check what this call ran itself: of a million tokens that would take minutes.
    let at = kept.plan === plan && kept.start === start ? Math.min(kept.tokens.length, length - 1) : 0;
    while (at < length - 1 && kept.tokens[at] === tokens[start + at]) at++;
    // Steps of few rows cost up to 6 times as much a token: after a short prompt, a long one runs as a whole.
    if (length - at > 8 && (length - at) * 8 > length * kept.T) at = 0;
    for (let count = 0; at > 0; at += count) {
      if (at === length) return count - 1;
      count = Math.min(length - at, kept.T);
      const ids = tokens.slice(start + at, start + at + count);
      pass.next(ids);
      if (!kept.cut) pass.step(at, count);
      else if (!slices || !(yield slices.step(handle, { past: at, T: count }))) break;
      kept.plan = plan;
      kept.start = start;
      kept.tokens.length = at;
      for (const id of ids) kept.tokens.push(id);
      pass.hold(kept);
    }
  }
  const ids = tokens.slice(start);
  const batch = {
    ...source,
    flags: source.flags | (capacity > 0 ? CACHE : 0),
    sizes: { ...source.sizes, T: length },
    writes: [...source.writes, { to: 'decoder.ids', data: ids }],
  };
  let cut = false;
  if (ablate || patches) runPatched(handle, batch, { ablate, patches });
  else if (slices) cut = yield slices.start(handle, batch, roomy);
  else pass.run(batch, roomy);
  const facts = { key, tokens: ids, capacity: roomy, T: length, plan, start, cut };
  if (capacity > 0) pass.hold({ ...facts, kind: 'cache', goesOn: true });
  return length - 1;
}

/**
 * The cache that there is, or the keys and values of a forward pass that began like these tokens.
 * @param {Handle} handle
 * @param {Plan} plan
 * @param {number[]} tokens
 * @param {number} start
 * @returns {import('./pass.js').Cache | undefined}
 */
function cacheFor({ pass }, plan, tokens, start) {
  const { capacity, roomy, source, key } = plan;
  if (pass.held.kind !== 'cache' && capacity > 0) {
    const data = tokens.slice(start);
    const T = data.length;
    const batch = { ...source, sizes: { ...source.sizes, T }, writes: [...source.writes, { to: 'decoder.ids', data }] };
    const past = Math.min(pass.rowsOf(batch, CAPTURE | ONE_ROW), T - 1);
    if (past > 0) pass.toCache({ key, tokens: data.slice(0, past), capacity: roomy, T: T - past, plan, start });
  }
  return pass.held.kind === 'cache' ? pass.held : undefined;
}

/**
 * @param {Handle} handle
 * @returns {number}
 */
function outputVocabulary({ config }) {
  const { kind, head, outputVocabulary } = config;
  if (kind !== 'decoder' && kind !== 'encoder-decoder') {
    throw new GlassformerError('config', 'kind', kind, 'generate needs a decoder');
  }
  if (head === 'none') throw new GlassformerError('config', 'head', head, 'generate needs logits');
  const { ids, targetIds } = inputsOf(config);
  const size = Number((targetIds ?? ids)?.limit);
  if (outputVocabulary && outputVocabulary !== size) {
    throw new GlassformerError('config', 'outputVocabulary', outputVocabulary, 'generate reads what it writes');
  }
  return size;
}

/**
 * All that generate needs, checked.
 * @typedef {ReturnType<typeof readPlan> & {slices?: import('../worker/slices.js').Slices}} Plan
 * @param {Handle} handle
 * @param {unknown} options
 * @param {number} vocabulary
 * @param {boolean | undefined} sync
 * @param {number} row
 * @param {number} rows 0: one sequence
 * @param {number} drawn the seed, where none is given
 */
function readPlan(handle, options, vocabulary, sync, row, rows, drawn) {
  const { config, longest } = handle;
  const at = rows ? `[${row}]` : '';
  const end = config.positions === 'learned' ? Number(config.maxLength) : longest;
  const prompt = promptOf(config);
  const inputs = prompt === 'ids' ? [prompt] : [...SOURCE, prompt];
  const names = Object.fromEntries(inputs.map((name) => [name, name + at]));
  const { batch, given } = readBatch(
    planOf(
      config,
      {
        maxTokens: maybe(count),
        temperature: maybe(number(0, Infinity)),
        topK: maybe(integer(0, vocabulary)),
        topP: maybe(number(0, 1)),
        repetitionPenalty: optional(number(2 ** -64, 2 ** 64), 1),
        logits: maybe(callback),
        seed: maybe(seed),
        endId: optional(endReader(vocabulary), endsOf(handle) ?? []),
        rules: optional(rulesReader(vocabulary), handle.texts.rules ?? {}),
        stop: optional(stopReader(handle), []),
        window: optional(integer(1, end), Infinity),
        ...SEARCH,
        keep: maybe(integer(1, MOST_BEAMS)),
        cache: optional(flag, true),
        onToken: maybe(sync ? callback : looped),
        ablate: CHANGES.ablate,
        patches: CHANGES.patches,
        signal: maybe(signalReader),
      },
      { names },
    ),
    options,
  );
  const { B, T } = batch.sizes;
  if (B !== 1) throw new GlassformerError('shape', prompt + at, [B, T], 'must be one sequence');
  const search = searchOf(given, sync);
  const { window, stop, topK = 0, topP = 1 } = given;
  const draws = given.topK !== undefined || given.topP !== undefined;
  const { temperature = draws ? 1 : 0 } = given;
  stop.forEach((each, i) => {
    if (typeof each === 'string') return;
    expectRank(each, 1, 1, `stop[${i}]`);
    expectIds(each, vocabulary, `stop[${i}]`);
  });
  // Where nothing ends the positions, a text ends at maxLength unless window says otherwise.
  const longestText = Math.min(Number(config.maxLength) + 1, given.rules.maxLength ?? Infinity);
  const left = given.maxTokens === undefined ? longestText - T : window <= end ? Infinity : end + 1 - T;
  const wanted = given.maxTokens ?? Infinity;
  const cached = given.cache && config.causal && !given.ablate && !given.patches;
  const cachedRows = (/** @type {number} */ tokens) => Math.min(T + Math.max(tokens - 1, 0), window);
  /** Without cache the sequence grows from pass to pass; with one it is read again every half window. */
  const costOf = (/** @type {number} */ tokens) => {
    const [length, passes] = cached
      ? [cachedRows(tokens), 1 + (2 * tokens) / window]
      : [Math.min((T + cachedRows(tokens)) / 2, window), tokens];
    return /** @type {const} */ ([
      { ...batch, sizes: { ...batch.sizes, T: length } },
      passes * (rows || 1) * search.beams,
    ]);
  };
  let maxTokens = Math.max(0, Math.min(wanted, left));
  if (given.maxTokens === undefined) maxTokens = most(maxTokens, (tokens) => handle.pass.affords(...costOf(tokens)));
  else handle.pass.afford(...costOf(maxTokens));
  const capacity = cachedRows(maxTokens);
  const prompts = batch.writes.findIndex(({ to }) => to === 'decoder.ids');
  const [{ data }] = batch.writes.splice(prompts, 1);
  return {
    ...given,
    ...{ topK, topP, temperature, maxTokens, ...search },
    full: /** @type {Generated['endedBy']} */ (wanted > left ? 'maxLength' : 'maxTokens'),
    row,
    // At temperature 0 nothing is drawn.
    seed: ((given.seed ?? (temperature > 0 ? drawn : 0)) + row) >>> 0,
    prompt: Array.from(data),
    source: batch,
    /** the same in all calls with the same source */
    key: String([batch.flags, ...batch.writes.map((each) => each.data)]),
    /** 0: without cache */
    capacity: cached ? capacity : 0,
    /** for a longer prompt later */
    roomy: cached ? Math.min(capacity + (capacity >> 2) + 32, end) : 0,
  };
}

/**
 * Beams take the likeliest continuations, one token a time.
 * @param {Record<string, any>} given
 * @param {boolean | undefined} sync
 * @returns {{beams: number, keep: number, lengthPenalty: number, earlyStopping: boolean | 'never'}}
 */
function searchOf(given, sync) {
  const { rules, stop, window } = given;
  const has = (/** @type {string} */ name) => given[name] !== undefined;
  const drawn =
    ['topK', 'topP'].find(has) ?? (given.temperature > 0 ? 'temperature' : stop.length ? 'stop' : undefined);
  const other = drawn ?? (window < Infinity ? 'window' : undefined);
  const beams = given.beams ?? ((!sync && !other && rules.beams) || 1);
  const refuse = (/** @type {string} */ name, /** @type {string} */ why) => {
    throw new GlassformerError('unsupported', name, given[name], why);
  };
  const alone = ['lengthPenalty', 'earlyStopping', 'keep'].find(has);
  if (beams === 1 && alone) refuse(alone, 'goes with two beams or more');
  if (beams > 1 && sync) refuse('beams', 'is for generate, which fetches the search');
  if (beams > 1 && other) refuse(other, 'does not go with beams');
  const { keep = 1, lengthPenalty = rules.lengthPenalty ?? 1, earlyStopping = rules.earlyStopping ?? false } = given;
  if (keep > beams) throw new GlassformerError('range', 'keep', keep, `must be at most ${beams}, the beams`);
  return { beams, keep, lengthPenalty, earlyStopping };
}

/**
 * The largest number that is right, of 0 to `end`: up to it all are.
 * @param {number} end
 * @param {(count: number) => boolean} isRight
 */
function most(end, isRight) {
  let [least, beyond] = [0, end + 1];
  while (beyond - least > 1) {
    const middle = Math.floor((least + beyond) / 2);
    if (isRight(middle)) least = middle;
    else beyond = middle;
  }
  return least;
}
