import { GlassformerError } from './errors.js';
import { CACHE } from './flags.js';
import { inputsOf, planOf, readBatch } from './inputs.js';
import { ablationList, runPatched } from './patches.js';
import { callback, flag, integer, number, optional, seed } from './tensor.js';

/** @typedef {import('./handle.js').Handle} Handle */
/** @typedef {import('./inputs.js').Batch} Batch */
/** @typedef {import('./tensor.js').Ints} Ints */

/**
 * @typedef {object} GenerateOptions
 * @property {Ints} ids [T] the prompt; of an encoder-decoder the start of the target, like [BOS]
 * @property {Ints} [sourceIds] [S], encoder-decoder only: the source
 * @property {import('./tensor.js').Flags} [sourcePadding] [S], 1 = hidden
 * @property {number} maxTokens at most so many new tokens
 * @property {number} [temperature] default 0: always the likeliest token; else tokens are drawn
 *   from softmax(logits / temperature)
 * @property {number} [topK] default 0: all; else only the k likeliest can be drawn
 * @property {number} [seed] of the draws, default 0
 * @property {number} [endId] stops after this token
 * @property {boolean} [cache] default true: keep keys and values, and compute only the new token.
 *   False runs the whole sequence again for each token, for the same bits; so does a model
 *   without causal mask, where a new token changes all earlier ones
 * @property {import('./patches.js').Ablation[]} [ablate] heads and neurons set to 0, as `forward` takes
 *   them; the whole sequence runs again for each token, and is captured
 * @property {(id: number, index: number) => unknown} [onToken] called with each new token; false
 *   stops
 */

/**
 * The loop of Model.generate: one crossing into the core for each pass and one for each draw.
 * @param {Handle} handle
 * @param {unknown} options
 * @returns {{ids: Int32Array, newIds: Int32Array}}
 */
export function generate(handle, options) {
  const vocabulary = outputVocabulary(handle);
  const { memory, functions } = handle;
  const plan = readPlan(handle, options, vocabulary);
  const { prompt, maxTokens, temperature, topK, endId, onToken } = plan;
  const tokens = [...prompt];
  memory.withScratch((scratch) => {
    const state = scratch.room('int32', 4);
    const work = scratch.room('float32', vocabulary);
    functions.gf_seed(state, plan.seed);
    for (let index = 0; index < maxTokens; index++) {
      const row = runPass(handle, plan, tokens) * vocabulary * 4;
      const logits = handle.get('logits').pointer + row;
      const id = functions.gf_sample(logits, vocabulary, temperature, topK, state, work);
      // All else that it refuses was refused before.
      if (id < 0) throw new GlassformerError('range', 'logits', NaN, 'cannot be drawn from');
      tokens.push(id);
      if (onToken(id, index) === false || id === endId) break;
    }
  });
  return { ids: Int32Array.from(tokens), newIds: Int32Array.from(tokens.slice(prompt.length)) };
}

/**
 * Runs what the next token needs.
 * @param {Handle} handle
 * @param {Plan} plan
 * @param {number[]} tokens so far
 * @returns {number} the row of the logits that belongs to the last token
 */
function runPass(handle, { prompt, capacity, source, ablate }, tokens) {
  const { length } = tokens;
  if (capacity > 0 && length > prompt.length) {
    handle.write('decoder.ids', tokens.slice(-1));
    handle.step(length - 1, 1);
    return 0;
  }
  const batch = {
    ...source,
    flags: source.flags | (capacity > 0 ? CACHE : 0),
    sizes: { ...source.sizes, T: length },
    writes: [...source.writes, { to: 'decoder.ids', data: tokens }],
  };
  if (ablate) runPatched(handle, batch, { ablate });
  else handle.run(batch, capacity);
  return length - 1;
}

/**
 * @param {Handle} handle
 * @returns {number}
 */
function outputVocabulary({ config }) {
  const { kind, head } = config;
  if (kind !== 'decoder' && kind !== 'encoder-decoder') {
    throw new GlassformerError('config', 'kind', kind, 'generate needs a decoder');
  }
  if (head === 'none') throw new GlassformerError('config', 'head', head, 'generate needs logits');
  const { ids, targetIds } = inputsOf(config);
  return Number((targetIds ?? ids).limit);
}

/**
 * All that generate needs, checked.
 * @typedef {ReturnType<typeof readPlan>} Plan
 * @param {Handle} handle
 * @param {unknown} options
 * @param {number} vocabulary
 */
function readPlan({ config, longest }, options, vocabulary) {
  /** @type {Record<string, string>} */
  const names =
    config.kind === 'decoder'
      ? { ids: 'ids' }
      : { ids: 'sourceIds', padding: 'sourcePadding', memoryPadding: 'sourcePadding', targetIds: 'ids' };
  const { batch, given } = readBatch(
    planOf(
      config,
      {
        maxTokens: integer(0, longest),
        temperature: optional(number(0, Infinity), 0),
        topK: optional(integer(0, vocabulary), 0),
        seed: optional(seed, 0),
        endId: optional(integer(0, vocabulary - 1, 'token'), -1),
        cache: optional(flag, true),
        onToken: optional(callback, () => true),
        ablate: ablationList,
      },
      { names },
    ),
    options,
  );
  const { B, T } = batch.sizes;
  if (B !== 1) throw new GlassformerError('shape', 'ids', [B, T], 'must be one sequence');
  const capacity = T + Math.max(given.maxTokens - 1, 0);
  const end = config.positions === 'learned' ? Number(config.maxLength) : longest;
  if (capacity > end) {
    throw new GlassformerError('range', 'maxTokens', given.maxTokens, `positions end at ${end}`);
  }
  const at = batch.writes.findIndex(({ to }) => to === 'decoder.ids');
  const [{ data }] = batch.writes.splice(at, 1);
  return {
    ...given,
    prompt: Array.from(data),
    source: batch,
    /** 0: without cache */
    capacity: given.cache && config.causal && !given.ablate ? capacity : 0,
  };
}
