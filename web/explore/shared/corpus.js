// '@corpus/encoder/1': when each neuron of a layer is active over the model's corpus. That of an
// untrained model is the text itself. Runs the model with its switches, but as if nothing in it
// were changed, and a part at a time.

import { inputOf } from '../../engine/part.js';
import { asStack, tensorWith } from './graph.js';

const ACTIVATION = /** @type {const} */ ({ node: 'ffn', role: 'activation' });
const PART = 16; // ms, a frame
const BATCH = 16; // sentences
const TOP = 8;
const KEPT = 4;

/**
 * Statistics of a layer's neurons. `active`: share of the tokens where a neuron is above 0; `places`,
 * `values`: for each neuron the TOP tokens that excite it most, a place of -1 where none is left.
 * @typedef {{tokens: number, active: Float32Array, places: Int32Array, values: Float32Array}} Census
 *
 * `ids`, `starts`: all tokens of the corpus in a row, and where each sentence begins.
 * @typedef {{unfinished: true, done: number, of: number} | Census & {ids: Int32Array, starts: Int32Array}} CorpusAnswer
 *
 * @typedef {{model: import('../../engine/worker.js').Model | null, done: number, layers: Map<string,
 *   ReturnType<typeof census>>}} Work
 */

/** @type {WeakMap<object, Map<string, Work>>} of each engine, by model and switches, the oldest first */
const begun = new WeakMap();

/** @type {import('../../engine/derived.js').DerivedFunction} */
export function corpus(context, stack, layer) {
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
    return { ...text.result(), ids: Int32Array.from(list), starts: Int32Array.of(0) };
  }
  const work = workOf(context);
  if (work.done < own.ids.length) goOn(work, own, context);
  if (work.done < own.ids.length) return { unfinished: true, done: work.done, of: own.ids.length };
  const lists = stack === 'decoder' && own.targetIds ? own.targetIds : own.ids;
  let at = 0;
  const starts = Int32Array.from(lists, (list) => (at += list.length) - list.length);
  return {
    .../** @type {ReturnType<typeof census>} */ (work.layers.get(`${stack}/${layer}`)).result(),
    ids: Int32Array.from(lists.flat()),
    starts,
  };
}

/** @param {import('../../engine/worker.js').Model} model @param {string} name */
const floats = (model, name) => /** @type {Float32Array} */ (model.tensor(name).data);

/** @param {import('../../engine/derived.js').Context} context */
function workOf({ gf, name, config }) {
  const works = begun.get(gf) ?? new Map();
  begun.set(gf, works);
  const key = JSON.stringify([name, config]);
  const work = works.get(key) ?? { model: null, done: 0, layers: new Map() };
  if (!works.has(key)) {
    for (const [old, { model }] of [...works].slice(0, works.size - KEPT + 1)) {
      model?.free();
      works.delete(old);
    }
  }
  works.set(key, work);
  return work;
}

/**
 * @param {Work} work
 * @param {import('../../engine/model-cache.js').Corpus} own
 * @param {import('../../engine/derived.js').Context} context
 */
function goOn(work, { ids, targetIds }, { config, build }) {
  const end = performance.now() + PART;
  work.model ??= build(config);
  do {
    const batch = likeFirst(ids, targetIds, work.done);
    /** @param {number[][]} lists */
    const part = (lists) => ({
      data: Int32Array.from(lists.slice(work.done, work.done + batch).flat()),
      shape: [batch, lists[work.done].length],
    });
    work.model.forward({ ...inputOf({ ids: part(ids), targetIds: targetIds && part(targetIds) }), capture: true });
    for (const { name, shape, node, role, stack, layer } of work.model.tensors()) {
      if (node !== ACTIVATION.node || role !== ACTIVATION.role) continue;
      const place = `${stack}/${layer}`;
      const known = work.layers.get(place) ?? census(shape[2]);
      work.layers.set(place, known);
      known.read(floats(work.model, name));
    }
    work.done += batch;
  } while (work.done < ids.length && performance.now() < end);
  if (work.done < ids.length) return;
  work.model.free();
  work.model = null;
}

/**
 * Counts the sentences from a place on that are as long as the first: they need no padding in one batch.
 * @param {number[][]} ids
 * @param {number[][] | null} targetIds
 * @param {number} from
 */
function likeFirst(ids, targetIds, from) {
  let count = 1;
  while (
    count < BATCH &&
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
  let tokens = 0;

  return {
    /** @param {Float32Array} activations [tokens, neurons] */
    read(activations) {
      for (let i = 0; i < activations.length; i++) {
        const value = activations[i];
        if (!(value > 0)) continue;
        const neuron = i % neurons;
        counts[neuron]++;
        let at = (neuron + 1) * TOP - 1;
        if (value <= values[at]) continue;
        for (; at > neuron * TOP && value > values[at - 1]; at--) {
          values[at] = values[at - 1];
          places[at] = places[at - 1];
        }
        values[at] = value;
        places[at] = tokens + Math.floor(i / neurons);
      }
      tokens += activations.length / neurons;
    },
    /** @returns {Census} */
    result: () => ({
      tokens,
      active: Float32Array.from(counts, (count) => count / tokens),
      places: places.slice(),
      values: values.slice(),
    }),
  };
}
