// What decided an answer, by experiment: a word is swapped, one vector of the stream at a time put back, and in the
// sentence as it is one link of attention at a time cut. Each is one pass, and a change that the reader can make.

import { forwardWithInterventions, traceWithInterventions } from '../../engine/intervene.js';
import { temperatureOf } from '../../engine/interventions.js';
import { makePatches } from '../../engine/make-patches.js';
import { inputOf } from '../../engine/part.js';
import { isPatched, patchTarget } from '../../engine/patches.js';
import { attentionKinds, attentionName } from '../../engine/plan.js';
import { largest } from '../shared/order.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../../engine/interventions.js').StreamIntervention} StreamIntervention
 * @typedef {import('../../engine/derived.js').Context} Context
 * @typedef {'encoder' | 'decoder'} Stack
 *
 * A token that another word takes the place of; `id` null: the mean of all tokens' vectors.
 * @typedef {{row: number, id: number | null}} Swap
 *
 * The stream of a token after so many layers; `probability` of the answer once it is put back; null: not tried.
 * @typedef {{after: number, row: number, probability: number | null}} Vector
 *
 * A weight of attention; `probability` of the answer without it; `carries`: where the path goes from token to token.
 * @typedef {{kind: import('../../app/schema.js').AttentionKind, layer: number, head: number, row: number, key: number,
 *   weight: number, probability: number, carries: boolean}} Link
 * @typedef {Omit<Link, 'probability' | 'carries'>} Uncut
 *
 * `answer`: the id of the word, of `probability` with nothing swapped; `swapped`: the answer with the word swapped, its
 * probability, and that of the first answer now; `stacks`: state by state, token by token; of the last
 * state the answer's own vector alone; `path`: of each state the vector that brings most back, where that is half of
 * it; `links`: that the answer loses most without, and those on the path; `tried`: how many of how many.
 * @typedef {{
 *   unfinished: false, answer: number, probability: number, swap: Swap, swaps: Swap[],
 *   swapped: {answer: number, probability: number, left: number},
 *   stacks: {stack: Stack, tokens: number, vectors: Vector[]}[], path: (Vector & {stack: Stack})[], links: Link[],
 *   tried: {vectors: number, allVectors: number, links: number, allLinks: number},
 * }} Decision
 * @typedef {{unfinished: true, done: number, total: number}} Progress
 */

const PART = 120; // ms, then others have their turn
const FEWEST = 4; // passes of a part, as the model is then run again as it was

/** Multiply-adds of a search; of a model as large as GPT-2 it is the fewest passes, some 40. */
const WORK = 2e10;
const FEWEST_CUT = 20;
/** Links of less weight are not cut. */
export const LEAST = 0.03;
const LISTED = 4;
const SWAPS = 5;

/**
 * The search under way or the last one that has ended: it goes on where it was left.
 * @type {WeakMap<object, {key: string, model: Job['model'], steps: AsyncGenerator<Progress, Decision>,
 *   decision?: Decision}>}
 */
const kept = new WeakMap();

/**
 * What a search runs on.
 * @typedef {Pick<Context, 'gf' | 'model'> & {input: {ids: number[], targetIds?: number[]}}} Job
 */

/**
 * '@decision/', the row of the answer, what is swapped ('4.12': token 4 for word 12, '4.': for the mean, '': it is
 * chosen here), and the changes that hold all along.
 * @param {Context} context
 * @param {string} row @param {string} swap @param {string[]} changes JSON
 * @returns {Promise<Decision | Progress>}
 */
export async function decision({ gf, model, name, config, ids, targetIds, interventions }, row, swap, ...changes) {
  const key = JSON.stringify([name, config, ids, targetIds, row, swap, changes]);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  let search = kept.get(gf);
  if (search?.key !== key || search.model !== model) {
    const base = JSON.parse(changes.join('/'));
    const at = Math.min(Number(row), (targetIds ?? ids).length - 1);
    search = { key, model, steps: decide({ gf, model, input }, at, readSwap(swap), base) };
    kept.set(gf, search);
    return { unfinished: true, done: 0, total: 0 }; // a key was pressed: what is shown comes first
  }
  if (search.decision) return search.decision;
  const end = performance.now() + PART;
  let step;
  try {
    for (let i = 0; !step?.done && (i < FEWEST || performance.now() < end); i++) step = await search.steps.next();
  } catch (error) {
    kept.delete(gf);
    throw error;
  }
  forwardWithInterventions(model, input, interventions); // the model is left as it was
  if (!step?.done) return /** @type {Progress} */ (step?.value);
  return (search.decision = step.value);
}

/** @param {string} text @returns {Swap | null} */
function readSwap(text) {
  const [, row, id] = /^(\d+)\.(\d*)$/.exec(text) ?? [];
  return row ? { row: Number(row), id: id ? Number(id) : null } : null;
}

/** @param {Swap} swap */
const isIn = ({ row, id }, /** @type {Swap[]} */ all) => all.some((each) => each.row === row && each.id === id);

/** @param {number} length */
const count = (length) => Array.from({ length }, (_, i) => i);

/**
 * The change that swaps a token, as the reader can make it.
 * @param {Stack} stack @param {readonly number[]} ids @param {Swap} swap
 * @returns {StreamIntervention}
 */
export const swapChange = (stack, ids, { row, id }) => ({
  what: 'patch',
  kind: stack,
  after: 0,
  row,
  from: id === null ? 'mean' : ids.with(row, id),
  share: 1,
});

/**
 * The change that puts a vector back.
 * @param {Stack} stack @param {readonly number[]} ids @param {Pick<Vector, 'after' | 'row'>} vector
 * @returns {StreamIntervention}
 */
export const backChange = (stack, ids, { after, row }) => ({
  what: 'patch',
  kind: stack,
  after,
  row,
  from: [...ids],
  share: 1,
});

/**
 * @param {Job} job @param {number} row @param {Swap | null} asked @param {Intervention[]} base
 * @returns {AsyncGenerator<Progress, Decision>}
 */
async function* decide(job, row, asked, base) {
  const { model, input } = job;
  const { under, options, patches } = passes(job, row, base);
  const plain = under([]);
  const [answer] = largest(plain, 1);
  const probability = plain[answer];
  const trace = traceWithInterventions(model, input, base);
  const { parts } = await trace.attribution(row, { id: answer });
  const links = linksOf(trace, job, { row, parts });
  const swaps = swapsOf(job, { answer, plain, parts });
  const isGiven = asked && asked.row < input.ids.length && Number(asked.id) < Number(model.config.vocabulary);
  const swap = isGiven ? asked : swaps[0];
  if (!isIn(swap, swaps)) swaps.unshift(swap);
  const [swapPatch] = makePatches(model, options, [swapChange(stacksOf(job)[0].stack, input.ids, swap)]);
  const swapped = model.trace({ ...options, patches: [...patches, swapPatch] });
  const after = under([swapPatch]);
  const [other] = largest(after, 1);
  const left = after[answer];
  // As a click on one makes it: from a pass without the changes that hold all along.
  const clean = patches.length
    ? traceWithInterventions(
        model,
        input,
        base.filter(({ what }) => what === 'temperature'),
      )
    : trace;
  const vectors = vectorsOf(job, row, { clean, swapped });
  for (const each of new Set([trace, clean, swapped])) each.free();

  // By attribution first: where all would take too long, the vectors of two words and the links that add most.
  const open = vectors.filter(({ isOther }) => isOther);
  const tokens = input.ids.length + (input.targetIds?.length ?? 0);
  const most = WORK / (model.parameterCount * tokens);
  const isMain = (/** @type {typeof open[number]} */ each) => each.row === (each.isOfAnswer ? row : swap.row);
  const main = open.filter((each) => isMain(each) || (!input.targetIds && each.row === swap.row));
  const chosen = open.length <= most / 2 ? open : main;
  const cut = links.slice(0, Math.max(FEWEST_CUT, most - chosen.length));
  const progress = { unfinished: /** @type {const} */ (true), done: 0, total: chosen.length + cut.length };
  /** @type {Map<object, number>} */
  const found = new Map();
  for (const each of [...chosen, ...cut]) {
    found.set(each, under('patch' in each ? [swapPatch, each.patch] : [cutOf(job, each)])[answer]);
    progress.done++;
    yield { ...progress };
  }
  const stacks = stacksOf(job).map(({ stack, tokens: length, depth, isLast }) => ({
    stack,
    tokens: length,
    vectors: [
      ...vectors
        .filter((each) => each.stack === stack)
        .map((each) => ({
          after: each.after,
          row: each.row,
          probability: found.get(each) ?? (each.isOther ? null : left),
        })),
      ...(isLast ? [{ after: depth, row, probability }] : []),
    ],
  }));
  const path = pathOf(stacks, left, probability);
  const shown = shownLinks(
    cut.map((each) => ({ ...each, probability: Number(found.get(each)) })),
    path,
    probability,
  );
  return {
    unfinished: false,
    answer,
    probability,
    swap,
    swaps: swaps.slice(0, SWAPS),
    swapped: { answer: other, probability: after[other], left },
    stacks,
    path,
    links: shown,
    tried: { vectors: chosen.length, allVectors: open.length, links: cut.length, allLinks: links.length },
  };
}

/**
 * The passes of a search: `under` gives the probabilities at the row under more patches than those of `base`.
 * @param {Job} job @param {number} row @param {Intervention[]} base
 */
function passes({ gf, model, input }, row, base) {
  const options = { ...inputOf(input), capture: /** @type {const} */ (true), temperature: temperatureOf(base) };
  const patches = makePatches(model, options, base.filter(isPatched));
  /** @param {import('../../engine/make-patches.js').Patch[]} more */
  function under(more) {
    model.forward({ ...options, capture: false, logits: false, patches: [...patches, ...more] });
    return gf.softmax(model.logitsAt(row)).data;
  }
  return { options, patches, under };
}

/**
 * The stacks with their layers and tokens, first that in which a word is swapped; the last one gives the answer.
 * @param {Job} job
 * @returns {{stack: Stack, depth: number, tokens: number, isLast: boolean}[]}
 */
function stacksOf({ model: { config }, input: { ids, targetIds } }) {
  const { kind, layers, decoderLayers } = config;
  const own = /** @type {Stack} */ (kind === 'decoder' ? 'decoder' : 'encoder');
  const first = { stack: own, depth: Number(layers), tokens: ids.length, isLast: !targetIds };
  const last = { stack: /** @type {Stack} */ ('decoder'), depth: Number(decoderLayers), isLast: true };
  return targetIds ? [first, { ...last, tokens: targetIds.length }] : [first];
}

/**
 * Every vector of the stream that can be put back, as a patch; `isOther`: the swap reaches it, and it the answer.
 * @param {Job} job @param {number} row
 * @param {{clean: ReturnType<typeof traceWithInterventions>, swapped: ReturnType<typeof traceWithInterventions>}} of
 */
function vectorsOf(job, row, { clean, swapped }) {
  const { model, input } = job;
  return stacksOf(job).flatMap(({ stack, depth, tokens, isLast }) =>
    // What the last layer gives is the answer, unless another stack reads it.
    count(isLast ? depth : depth + 1).flatMap((after) => {
      const { name } = patchTarget(backChange(stack, input.ids, { after, row: 0 }), model.config);
      const [own, now] = [clean, swapped].map((each) => /** @type {Float32Array} */ (each.tensor(name).data));
      const width = own.length / tokens;
      return count(tokens).map((at) => {
        const value = own.slice(at * width, (at + 1) * width);
        const reaches = !(isLast && model.config.causal && at > row);
        const isOther = reaches && value.some((each, i) => each !== now[at * width + i]);
        return { stack, after, row: at, isOther, isOfAnswer: isLast, patch: { name, index: [0, at, null], value } };
      });
    }),
  );
}

/**
 * Of each state the vector that brings most of the answer back, where that is half of what the swap took.
 * @param {Decision['stacks']} stacks @param {number} left @param {number} probability
 */
function pathOf(stacks, left, probability) {
  return stacks.flatMap(({ stack, vectors }) =>
    [...new Set(vectors.map(({ after }) => after))].flatMap((state) => {
      const best = vectors
        .filter(({ after }) => after === state)
        .reduce((a, b) => (Number(b.probability) > Number(a.probability) ? b : a));
      const isHalf = probability > left && Number(best.probability) - left >= (probability - left) / 2;
      return isHalf ? [{ ...best, stack }] : [];
    }),
  );
}

/**
 * The links that the answer loses most without, and those by which the path goes from one token to another.
 * @param {Omit<Link, 'carries'>[]} links @param {Decision['path']} path @param {number} probability
 * @returns {Link[]}
 */
function shownLinks(links, path, probability) {
  const sorted = links.toSorted((a, b) => a.probability - b.probability);
  const carriers = path.slice(1).map((to, i) => {
    const from = path[i];
    const isStep = from.stack === to.stack && to.after === from.after + 1;
    return sorted.find(
      ({ kind, layer, row, key }) =>
        isStep && kind === to.stack && layer === from.after && row === to.row && key === from.row && key !== row,
    );
  });
  return sorted
    .map((each) => ({ ...each, carries: carriers.includes(each) }))
    .filter(({ carries, probability: after }, i) => carries || (i < LISTED && after < probability));
}

/** @param {Job} job @param {Uncut} link */
function cutOf({ model }, { kind, layer, head, row, key }) {
  const cell = { what: /** @type {const} */ ('cell'), kind, layer, head, row, key, to: 0 };
  return { ...patchTarget(cell, model.config), value: 0 };
}

/**
 * What may be swapped, the first by default: a word of the text that is the answer, for others that are likely; where
 * it is none of them, the tokens that heads draw the answer's logit from, for the mean.
 * @param {Job} job
 * @param {{answer: number, plain: Float32Array, parts: import('glassformer').Attribution['parts']}} of
 * @returns {Swap[]}
 */
function swapsOf({ model, input: { ids, targetIds } }, { answer, plain, parts }) {
  const { vocabulary, outputVocabulary } = model.config;
  const isOne = !targetIds && (!outputVocabulary || outputVocabulary === vocabulary); // input and output words are
  const row = isOne ? ids.indexOf(answer) : -1;
  if (row >= 0) {
    const others = largest(plain, SWAPS + ids.length).filter((id) => !ids.includes(id) && id < Number(vocabulary));
    return others.slice(0, SWAPS).map((id) => ({ row, id }));
  }
  const sums = new Float32Array(ids.length);
  for (const { attention: of, keys } of parts)
    if (keys && (of === 'cross') === Boolean(targetIds)) keys.forEach((each, key) => void (sums[key] += each));
  return largest(sums, SWAPS).map((each) => ({ row: each, id: null }));
}

/**
 * The weights of attention that can matter: first those that add most to the answer's logit, then by size.
 * @param {ReturnType<typeof traceWithInterventions>} trace
 * @param {Job} job
 * @param {{row: number, parts: import('glassformer').Attribution['parts']}} of
 * @returns {Uncut[]}
 */
function linksOf(trace, job, { row, parts }) {
  const { heads, causal } = job.model.config;
  const kinds = Number(heads) ? attentionKinds(/** @type {any} */ (job.model.config)) : [];
  /** @type {(Uncut & {adds: number})[]} */
  const links = [];
  for (const { kind, stack } of kinds) {
    const { depth, isLast } = /** @type {ReturnType<typeof stacksOf>[number]} */ (
      stacksOf(job).find((each) => each.stack === stack)
    );
    for (const layer of count(depth)) {
      const { data, shape } = trace.tensor(attentionName(kind, layer, 'weights'));
      const [, , rows, columns] = shape;
      for (const [i, weight] of data.entries()) {
        if (weight < LEAST) continue;
        const [head, at, key] = [Math.floor(i / rows / columns), Math.floor(i / columns) % rows, i % columns];
        // Of the last layer no other row reaches the answer; of a causal model none behind it.
        if (isLast && at !== row && (layer === depth - 1 || (causal && at > row))) continue;
        const own = parts.find(
          (each) =>
            each.stack === stack &&
            each.layer === layer &&
            each.head === head &&
            (each.attention === 'cross') === (kind === 'cross'),
        );
        const adds = isLast && at === row ? Math.abs(own?.keys?.[key] ?? 0) : 0;
        links.push({ kind, layer, head, row: at, key, weight, adds });
      }
    }
  }
  return links.sort((a, b) => b.adds - a.adds || b.weight - a.weight).map(({ adds: _, ...link }) => link);
}
