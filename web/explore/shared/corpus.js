// '@corpus/encoder/1': when each neuron of a layer is active over the model's corpus. That of an
// untrained model is the text itself. Runs the model with its switches, but as if nothing in it
// were changed, and a part at a time.

import { asBuilt } from '../../engine/edit-weights.js';
import { inputOf } from '../../engine/part.js';
import { BINS, binOf } from './bins.js';
import { asStack, tensorWith } from './graph.js';

const ACTIVATION = /** @type {const} */ ({ node: 'ffn', role: 'activation' });
const PART = 16; // ms, a frame
const BATCH = 16; // sentences
const WORK = 5e9; // multiplications of a batch, at most: a key that is pressed waits for it
const TOP = 8;
const KEPT = 4;
const RANDOM = 4;
/**
 * Statistics of a layer's neurons. `active`: share of the tokens where a neuron is above 0; `places`,
 * `values`: for each neuron the TOP tokens that excite it most, a place of -1 where none is left; `bins`: how often it
 * was how strong; `binPlaces`, `binValues`: one token of each bin, `randomPlaces`, `randomValues`: RANDOM of all where
 * it is above 0, both drawn at random.
 * @typedef {{
 *   tokens: number, active: Float32Array, places: Int32Array, values: Float32Array, bins: Uint32Array,
 *   binPlaces: Int32Array, binValues: Float32Array, randomPlaces: Int32Array, randomValues: Float32Array,
 * }} Census
 *
 * `ids`, `starts`: all tokens of the corpus in a row, and where each sentence begins; `of`: so many sentences there
 * are, if the reader stopped before the end.
 * @typedef {{unfinished: true, done: number, of: number} |
 *   Census & {ids: Int32Array, starts: Int32Array, of: number}} CorpusAnswer
 *
 * @typedef {{own: object, done: number, layers: Map<string, ReturnType<typeof census>>}} Work
 */

/** @type {WeakMap<object, Map<string, Work>>} of each engine, by model and switches, the oldest first */
const begun = new WeakMap();

/**
 * '@corpus/encoder/1'; with 'stop' behind it, as far as it has been read.
 * @type {import('../../engine/derived.js').DerivedFunction}
 */
export function corpus(context, stack, layer, stop) {
  const own = context.corpus();
  if (!own) {
    const {
      config: { d_ff },
      model,
      ids,
      targetIds,
    } = context;
    const list = stack === 'decoder' && targetIds ? targetIds : ids;
    const text = census(Number(d_ff));
    text.read(floats(model, String(tensorWith(model, { ...ACTIVATION, stack: asStack(stack), layer: Number(layer) }))));
    return { ...text.result(), ids: Int32Array.from(list), starts: Int32Array.of(0), of: 1 };
  }
  const work = workOf(context, own);
  if (!work.done || (work.done < own.ids.length && !stop)) asBuilt(context, () => goOn(work, own, context));
  if (work.done < own.ids.length && !stop) return { unfinished: true, done: work.done, of: own.ids.length };
  const lists = (stack === 'decoder' && own.targetIds ? own.targetIds : own.ids).slice(0, work.done);
  let at = 0;
  const starts = Int32Array.from(lists, (list) => (at += list.length) - list.length);
  return {
    .../** @type {ReturnType<typeof census>} */ (work.layers.get(`${stack}/${layer}`)).result(),
    ids: Int32Array.from(lists.flat()),
    starts,
    of: own.ids.length,
  };
}

/** @param {import('../../engine/worker.js').Model} model @param {string} name */
const floats = (model, name) => /** @type {Float32Array} */ (model.tensor(name).data);

/** @param {import('../../engine/derived.js').Context} context @param {object} own the corpus that it reads */
function workOf({ gf, name, config }, own) {
  const works = begun.get(gf) ?? new Map();
  begun.set(gf, works);
  const key = JSON.stringify([name, config]);
  const last = works.get(key);
  const work = last?.own === own ? last : { own, done: 0, layers: new Map() };
  works.delete(key);
  for (const [old] of [...works].slice(0, works.size - KEPT + 1)) works.delete(old);
  works.set(key, work);
  return work;
}

/**
 * Reads a part.
 * @param {Work} work
 * @param {import('../../engine/model-cache.js').Corpus} own
 * @param {import('../../engine/derived.js').Context} context
 */
function goOn(work, { ids, targetIds }, { model }) {
  const end = performance.now() + PART;
  do {
    const most = Math.max(1, Math.floor(WORK / model.parameterCount / ids[work.done].length));
    const batch = likeFirst(ids, targetIds, work.done, Math.min(BATCH, most));
    /** @param {number[][]} lists */
    const part = (lists) => ({
      data: Int32Array.from(lists.slice(work.done, work.done + batch).flat()),
      shape: [batch, lists[work.done].length],
    });
    model.forward({ ...inputOf({ ids: part(ids), targetIds: targetIds && part(targetIds) }), capture: true });
    for (const { name, shape, node, role, stack, layer } of model.tensors()) {
      if (node !== ACTIVATION.node || role !== ACTIVATION.role) continue;
      const place = `${stack}/${layer}`;
      const known = work.layers.get(place) ?? census(shape[2]);
      work.layers.set(place, known);
      known.read(floats(model, name));
    }
    work.done += batch;
  } while (work.done < ids.length && performance.now() < end);
}

/**
 * Counts the sentences from a place on that are as long as the first: they need no padding in one batch.
 * @param {number[][]} ids
 * @param {number[][] | null} targetIds
 * @param {number} from
 * @param {number} most
 */
function likeFirst(ids, targetIds, from, most) {
  let count = 1;
  while (
    count < most &&
    ids[from + count]?.length === ids[from].length &&
    targetIds?.[from + count].length === targetIds?.[from].length
  )
    count++;
  return count;
}

/**
 * Takes activations bit by bit, and knows at any time what excited each neuron most; of equal ones
 * the first.
 * @param {number} neurons
 */
function census(neurons) {
  const counts = new Uint32Array(neurons);
  const places = new Int32Array(neurons * TOP).fill(-1);
  const values = new Float32Array(neurons * TOP);
  const bins = new Uint32Array(neurons * BINS);
  const binPlaces = new Int32Array(neurons * BINS).fill(-1);
  const binValues = new Float32Array(neurons * BINS);
  const randomPlaces = new Int32Array(neurons * RANDOM).fill(-1);
  const randomValues = new Float32Array(neurons * RANDOM);
  let tokens = 0;
  let seed = 1;
  /** The same at each reading. @param {number} count @returns {number} one of 0 … count − 1 */
  function drawn(count) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * count);
  }

  return {
    /** @param {Float32Array} activations [tokens, neurons] */
    read(activations) {
      for (let i = 0; i < activations.length; i++) {
        const value = activations[i];
        if (!(value > 0)) continue;
        const neuron = i % neurons;
        const place = tokens + Math.floor(i / neurons);
        const bin = neuron * BINS + binOf(value);
        if (drawn(++bins[bin]) === 0) [binPlaces[bin], binValues[bin]] = [place, value];
        const kept = counts[neuron] < RANDOM ? counts[neuron] : drawn(counts[neuron] + 1);
        const random = neuron * RANDOM + kept;
        if (kept < RANDOM) [randomPlaces[random], randomValues[random]] = [place, value];
        counts[neuron]++;
        let at = (neuron + 1) * TOP - 1;
        if (value <= values[at]) continue;
        for (; at > neuron * TOP && value > values[at - 1]; at--) {
          values[at] = values[at - 1];
          places[at] = places[at - 1];
        }
        values[at] = value;
        places[at] = place;
      }
      tokens += activations.length / neurons;
    },
    /** @returns {Census} */
    result: () => ({
      tokens,
      active: Float32Array.from(counts, (count) => count / tokens),
      ...structuredClone({ places, values, bins, binPlaces, binValues, randomPlaces, randomValues }),
    }),
  };
}
