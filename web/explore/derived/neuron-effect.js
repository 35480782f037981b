// '@neuron-effect/encoder/1/88': over the model's corpus, at which tokens the answer is another one while a neuron is
// off everywhere, a part at a time. With nothing else changed.

import { asBuilt } from '../../engine/edit-weights.js';
import { inputOf } from '../../engine/part.js';
import { ffnName, neuronRole } from '../../engine/plan.js';
import { largest } from '../shared/order.js';

const PART = 16; // ms, a frame
const WORK = 2e11; // multiplications: of a model as large as GPT-2 some 1,600 tokens, every few sentences one
const LISTED = 4;

/**
 * A token of the corpus whose answer turns `from` a word `to` another; `before`, `after`: the probability of the first.
 * @typedef {{place: number, from: number, to: number, before: number, after: number}} Turn
 *
 * `turned` of so many `tokens`; `nats`: the mean Kullback-Leibler divergence; `turns`: those that lose most.
 * @typedef {{unfinished?: true, done: number, of: number, tokens: number, turned: number, nats: number,
 *   turns: Turn[]}} NeuronEffect
 *
 * `starts`: the place of each sentence's first token; every `step`th sentence is read, from `next` on.
 * @typedef {{key: string, own: object, starts: number[], step: number, next: number, found: NeuronEffect}} Work
 */

/** The last one of each engine. @type {WeakMap<object, Work>} */
const begun = new WeakMap();

/**
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} stack @param {string} layer @param {string} neuron
 * @returns {NeuronEffect | {absent: true}}
 */
export function neuronEffect(context, stack, layer, neuron) {
  const { gf, name, config, model } = context;
  const own = context.corpus();
  if (!own || own.targetIds) return { absent: true };
  const lists = own.ids;
  const key = JSON.stringify([name, config, stack, layer, neuron]);
  let work = begun.get(gf);
  if (work?.key !== key || work.own !== own) {
    let tokens = 0;
    const starts = lists.map(({ length }) => (tokens += length) - length);
    const step = Math.max(1, (tokens * model.parameterCount) / WORK);
    const of = Math.ceil(lists.length / step);
    work = { key, own, starts, step, next: 0, found: { done: 0, of, tokens: 0, turned: 0, nats: 0, turns: [] } };
    begun.set(gf, work);
  }
  const now = work;
  const { found } = now;
  const activation = ffnName(/** @type {any} */ (stack), Number(layer), neuronRole(/** @type {any} */ (config)));
  const patches = [{ name: activation, index: [null, null, Number(neuron)], value: 0 }];
  const end = performance.now() + PART;
  if (now.next < lists.length)
    asBuilt(context, () => {
      do {
        const at = Math.floor(now.next);
        read(now.starts[at], lists[at]);
        now.next += now.step;
      } while (now.next < lists.length && performance.now() < end);
    });
  const nats = found.nats / (found.tokens || 1);
  return { ...found, nats, turns: found.turns.slice(), ...(now.next < lists.length && { unfinished: true }) };

  /** @param {number} start of the sentence among all tokens @param {number[]} ids */
  function read(start, ids) {
    const [before, after] = [[], patches].map(
      (each) => /** @type {any} */ (model.forward({ ...inputOf({ ids }), patches: each })).logits,
    );
    const [plain, off] = [before, after].map((logits) => gf.softmax(logits).data);
    const width = plain.length / ids.length;
    found.nats += gf
      .klDivergence(before, after)
      .data.reduce((/** @type {number} */ a, /** @type {number} */ b) => a + b);
    found.tokens += ids.length;
    found.done++;
    for (const row of ids.keys()) {
      const [[from], [to]] = [plain, off].map((each) => largest(each.subarray(row * width, (row + 1) * width), 1));
      if (from === to) continue;
      found.turned++;
      found.turns.push({
        place: start + row,
        from,
        to,
        before: plain[row * width + from],
        after: off[row * width + from],
      });
    }
    found.turns.sort((a, b) => b.before - b.after - (a.before - a.after)).splice(LISTED);
  }
}
