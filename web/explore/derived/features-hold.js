// '@features-hold/encoder.1.out.0/92/9': the same feature off in all sentences of the text's kind: each noun and each
// adjective of it is another one of its class.

import { featureIn, rowIn, tensorOf, withFound } from './features.js';
import { probabilitiesAt } from '../shared/answer-row.js';
import { largest } from '../shared/order.js';

/**
 * `ids`: a sentence in which the feature is active at the token; `words`: the two that contend there; `before`,
 * `after`: their probabilities with the feature and without.
 * @typedef {{ids: number[], words: number[], before: number[], after: number[]}} Tried
 *
 * `words`: the two of the text; `kinds`: their classes, '' where one stands not in it; `sentences`: how many there are;
 * `active`: in how many the feature is; `led`: in how many of these the first word led; `turned`: and the second
 * overtakes it; `next`: one that differs in the last word alone; `missed`: one in which the first goes on to lead.
 * @typedef {{
 *   words: number[], kinds: string[], sentences: number, active: number, led: number, turned: number,
 *   next: Tried | null, missed: Tried | null,
 * }} Hold
 */

const MOST = 150; // sentences

/**
 * The words of a corpus by class, of nouns and adjectives alone, and the class of each word.
 * @param {{ids: number[][], labels: string[][]}} texts
 */
function classesOf({ ids, labels }) {
  /** @type {Map<number, string>} */
  const classOf = new Map();
  /** @type {Map<string, number[]>} */
  const members = new Map();
  ids.flat().forEach((id, place) => {
    const kinds = labels[place].filter((label) => / (noun|adjective)$/.test(label));
    if (!kinds.length || classOf.has(id)) return;
    const kind = kinds.join(', ');
    classOf.set(id, kind);
    members.set(kind, [...(members.get(kind) ?? []), id]);
  });
  return { classOf, members };
}

/**
 * All sentences of a text's kind but itself: the last word changes first. Of more than fit, some all over them.
 * @param {number[]} ids @param {ReturnType<typeof classesOf>} classes
 */
export function sentencesLike(ids, { classOf, members }) {
  const places = [...ids.keys()].filter((at) => classOf.has(ids[at]));
  const choices = places.map((at) => {
    const own = ids[at];
    return [own, ...(members.get(classOf.get(own) ?? '') ?? []).filter((id) => id !== own)];
  });
  const count = choices.reduce((product, { length }) => product * length, 1) - 1;
  const step = Math.max(1, count / MOST);
  return Array.from({ length: Math.min(count, MOST) }, (_, i) => {
    let rest = 1 + Math.floor(i * step);
    const made = [...ids];
    for (let k = places.length - 1; k >= 0; k--) {
      made[places[k]] = choices[k][rest % choices[k].length];
      rest = Math.floor(rest / choices[k].length);
    }
    return made;
  });
}

/**
 * @param {import('../../engine/derived.js').Context} context @param {string} name @param {string} feature
 * @param {string} row
 * @returns {Hold | {absent: true}}
 */
export function featuresHold(context, name, feature, row) {
  const { gf, ids } = context;
  const at = rowIn(context, row);
  const n = featureIn(context, name, feature, at);
  return withFound(context, name, ({ model, work, pass, off, at: place }) => {
    const { features: made, texts } = work;
    if (!texts.isGrammar) return /** @type {{absent: true}} */ ({ absent: true });
    const answer = (/** @type {number[]} */ of, isOff = false) =>
      probabilitiesAt(gf, /** @type {any} */ (pass(isOff ? off(n, at) : [], of)).logits, at);
    const isActive = () => made.encode(tensorOf(model, place)).data[at * made.size + n] > 0;
    const words = contending(answer(ids), answer(ids, true));
    const stands = words.map((id) => ids.indexOf(id));
    const classes = classesOf(texts);
    const others = sentencesLike(ids, classes);
    /** @type {Tried[]} */
    const active = [];
    for (const of of others) {
      const base = answer(of);
      if (!isActive()) continue;
      const two = words.map((id, i) => (stands[i] < 0 ? id : of[stands[i]]));
      const [before, after] = [base, answer(of, true)].map((p) => two.map((id) => p[id]));
      active.push({ ids: of, words: two, before, after });
    }
    const led = active.filter(({ before }) => before[0] > before[1]);
    const isTurned = (/** @type {Tried} */ { after }) => after[1] > after[0];
    const last = [...ids.keys()].findLast((i) => classes.classOf.has(ids[i])) ?? -1;
    const isNext = (/** @type {Tried} */ each) => each.ids.every((id, i) => (id === ids[i]) === (i !== last));
    return {
      ...{ words, kinds: words.map((id, i) => (stands[i] < 0 ? '' : (classes.classOf.get(id) ?? ''))) },
      ...{ sentences: others.length, active: active.length, led: led.length, turned: led.filter(isTurned).length },
      next: active.find(isNext) ?? null,
      missed: led.find((each) => !isTurned(each)) ?? null,
    };
  });
}

/**
 * The answer with the feature, and the one that takes its place without it, or else gains most.
 * @param {Float32Array} before @param {Float32Array} after
 */
function contending(before, after) {
  const [first] = largest(before, 1);
  const [then] = largest(after, 1);
  if (then !== first) return [first, then];
  const [second] = largest(
    after.map((p, id) => (id === first ? -1 : p - before[id])),
    1,
  );
  return [first, second];
}
