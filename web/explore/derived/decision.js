// Finds the causes of an answer by experiment: swaps a word and puts back one vector of the stream at a time; in the
// unchanged sentence, it cuts one link of attention, switches off one part, or gives one FFN on the path what it writes
// with the word swapped. The reader can make each, too.

import { forwardWithInterventions, traceWithInterventions } from '../../engine/intervene.js';
import { temperatureOf } from '../../engine/interventions.js';
import { makePatches, withOwn } from '../../engine/make-patches.js';
import { inputOf, isPatched } from '../../engine/part.js';
import { patchTarget } from '../../engine/patches.js';
import { attentionKinds, attentionName } from '../../engine/plan.js';
import { fittingAt, inOrder, triedIn } from '../../../src/js/engine/swaps.js';
import { largest } from '../shared/order.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../../engine/interventions.js').StreamIntervention} StreamIntervention
 * @typedef {import('../../engine/derived.js').Context} Context
 * @typedef {'encoder' | 'decoder'} Stack
 *
 * @typedef {import('../../../src/js/engine/swaps.js').Swap} Swap
 * @typedef {import('../../../src/js/engine/swaps.js').Tried} Tried
 *
 * The stream of a token after so many layers; `probability` of the answer once it is put back; null: not tried.
 * @typedef {{after: number, row: number, probability: number | null}} Vector
 *
 * A weight of attention; `probability` of the answer without it; `carries`: it costs a good part of the answer.
 * @typedef {{kind: import('../../app/schema.js').AttentionKind, layer: number, head: number, row: number, key: number,
 *   weight: number, probability: number, carries: boolean}} Link
 * @typedef {Omit<Link, 'probability' | 'carries'>} Uncut
 *
 * A head or an FFN (`head` null); the answer's probability with it off `everywhere`, and `here`, at the answer's token
 * alone; null: it has no such token.
 * @typedef {{kind: import('../../app/schema.js').AttentionKind, layer: number, head: number | null,
 *   everywhere: number, here: number | null}} Part
 *
 * The FFN of a layer at a token of the path: with what it writes there while the word is swapped, the answer turns to
 * that of the swapped sentence, of probability `turned`; `off`: of the first answer with the FFN off there.
 * @typedef {{stack: Stack, layer: number, row: number, off: number, turned: number}} FfnStep
 *
 * `answer`: the id of the word, of `probability` with nothing swapped; `swapped`: the answer with the word swapped, its
 * probability, and that of the first answer now; `stacks`: state by state, token by token; of the last
 * state the answer's own vector alone; `path`: of each state the vector that brings most back, where that is half of
 * it; `ffns`: that turn the answer by themselves; `links`: that the answer loses most without, all that carry among
 * them; `parts`: heads and FFNs, the first those that it loses most without; `tried`: how many of how many.
 * @typedef {{
 *   unfinished: false, answer: number, probability: number, swap: Swap, swaps: Swap[],
 *   swapped: {answer: number, probability: number, left: number},
 *   stacks: {stack: Stack, tokens: number, vectors: Vector[]}[], path: (Vector & {stack: Stack})[],
 *   ffns: FfnStep[], links: Link[], parts: Part[],
 *   tried: {swaps: number, vectors: number, allVectors: number, links: number, allLinks: number, parts: number,
 *     allParts: number},
 * }} Decision
 * @typedef {{unfinished: true, done: number, total: number}} Progress
 */

const PART = 120; // ms, then others have their turn
const FEWEST = 4; // passes of a part, as the model is then run again as it was

/** Multiply-adds of a search; of a model as large as GPT-2 it is the fewest passes, some 70. */
const WORK = 2e10;
const FEWEST_CUT = 20;
const FEWEST_SWAPS = 12;
const FEWEST_PARTS = 8;
/** Links of less weight are not cut. */
export const LEAST = 0.03;
const LISTED = 4;
/** A link carries what decides where the answer loses this share of its probability without it, or more. */
const CARRIES = 1 / 4;
const SWAPS = 6;
const SHOWN_PER_WORD = 3;

/**
 * The search under way or the last one that has ended: it goes on where it was left.
 * @type {WeakMap<object, {key: string, model: Job['model'], steps: AsyncGenerator<Progress, Decision>,
 *   decision?: Decision}>}
 */
const kept = new WeakMap();

/**
 * The model and the text of a search.
 * @typedef {Pick<Context, 'gf' | 'model'> & {input: {ids: number[], targetIds?: number[]}}} Job
 */

/**
 * '@decision/', the row of the answer, what is swapped ('4.12': token 4 for word 12, '4.': for the mean, '': the swap
 * that turns the answer most is found here, '~4.12': this one, if it turns the answer), and the changes that hold all
 * along.
 * @param {Context} context
 * @param {string} row @param {string} swap @param {string[]} changes JSON
 * @returns {Promise<Decision | Progress>}
 */
export async function decision({ gf, model, name, config, ids, targetIds, interventions }, row, swap, ...changes) {
  const key = JSON.stringify([name, config, ids, targetIds, row, swap, changes]);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  let search = kept.get(gf);
  if (search?.key !== key || search.model !== model) {
    const base = withOwn(JSON.parse(changes.join('/')), interventions);
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

/** @param {string} text @returns {Swap & {isOffer: boolean} | null} */
function readSwap(text) {
  const [, offer, row, id] = /^(~?)(\d+)\.(\d*)$/.exec(text) ?? [];
  return row ? { row: Number(row), id: id ? Number(id) : null, isOffer: Boolean(offer) } : null;
}

/** @param {Swap} one */
const isSame = (one) => (/** @type {Swap} */ other) => other.row === one.row && other.id === one.id;

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
 * @param {Job} job @param {number} row @param {Swap & {isOffer: boolean} | null} asked @param {Intervention[]} base
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
  const tokens = input.ids.length + (input.targetIds?.length ?? 0);
  const most = WORK / (model.parameterCount * tokens);
  const isGiven = asked && asked.row < input.ids.length && Number(asked.id) < Number(model.config.vocabulary);
  const progress = { unfinished: /** @type {const} */ (true), done: 0, total: 0 };

  // Every swap is tried, also where the reader has chosen one: the others stand beside it.
  const [{ stack: first }] = stacksOf(job);
  const changeTo = (/** @type {Swap} */ each) => makePatches(model, options, [swapChange(first, input.ids, each)]);
  const fitting = swapsOf(job, { row, trace, parts, most: Math.max(FEWEST_SWAPS, most / 4) });
  if (isGiven && !fitting.some(isSame(asked))) fitting.push({ row: asked.row, id: asked.id });
  const offParts = partsOf(job, { row, parts }).slice(0, Math.max(FEWEST_PARTS, most / 8));
  progress.total = fitting.length + links.length + offParts.length;
  const underSwap = (/** @type {Swap} */ { row: at, id }) =>
    id === null ? under(changeTo({ row: at, id })) : under([], input.ids.with(at, id));
  const tried = yield* inSteps(progress, fitting, (each) => triedIn(each, underSwap(each), { plain, answer }));
  const swaps = inOrder(tried, answer);
  const given = isGiven ? swaps.find(isSame(asked)) : undefined;
  const isTaken = given && (!asked?.isOffer || (given.to !== answer && !given.isCopy && given.row !== row));
  const swap = isTaken ? given : swaps[0];
  const [swapPatch] = changeTo(swap);
  const swapped = model.trace({ ...options, patches: [...patches, swapPatch] });
  const after = under([swapPatch]);
  const [other] = largest(after, 1);
  const left = after[answer];
  // As a click on one makes it: from a pass without the changes that hold all along.
  const heat = base.filter(({ what }) => what === 'temperature');
  const clean = patches.length ? traceWithInterventions(model, input, heat) : trace;
  const vectors = vectorsOf(job, row, { clean, swapped });
  const written = ffnOutputs(job, swapped);
  for (const each of new Set([trace, clean, swapped])) each.free();

  // By attribution first: where all would take too long, the vectors of two words and the links that add most.
  const open = vectors.filter(({ isOther }) => isOther);
  const isMain = (/** @type {typeof open[number]} */ each) => each.row === (each.isOfAnswer ? row : swap.row);
  const main = open.filter((each) => isMain(each) || (!input.targetIds && each.row === swap.row));
  const chosen = open.length <= most / 2 ? open : main;
  const cut = links.slice(0, Math.max(FEWEST_CUT, most - chosen.length));
  progress.total = fitting.length + chosen.length + cut.length + offParts.length;
  /** @type {Map<object, number>} */
  const found = new Map();
  yield* inSteps(progress, [...chosen, ...cut], (each) =>
    found.set(each, under('patch' in each ? [swapPatch, each.patch] : [cutOf(job, each)])[answer]),
  );
  const off = yield* inSteps(progress, offParts, ({ everywhere, here, isSame: areSame, ...part }) => {
    const all = under([everywhere])[answer];
    return { ...part, everywhere: all, here: !here ? null : areSame ? all : under([here])[answer] };
  });
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
  const ffns = other === answer ? [] : yield* turningFfns(job, progress, { path, written, under, answer, other });
  const shown = shownLinks(
    cut.map((each) => ({ ...each, probability: Number(found.get(each)) })),
    probability,
  );
  return {
    unfinished: false,
    answer,
    probability,
    swap: { row: swap.row, id: swap.id },
    swaps: shownSwaps(swaps, swap),
    swapped: { answer: other, probability: after[other], left },
    stacks,
    path,
    ffns,
    links: shown,
    parts: off.sort((a, b) => leftOf(a) - leftOf(b)),
    tried: {
      swaps: fitting.length,
      parts: offParts.length,
      allParts: partsOf(job, { row, parts }).length,
      vectors: chosen.length,
      allVectors: open.length,
      links: cut.length,
      allLinks: links.length,
    },
  };
}

/**
 * @template T, R
 * @param {Progress} progress @param {T[]} list @param {(each: T) => R} pass
 * @returns {Generator<Progress, R[]>}
 */
function* inSteps(progress, list, pass) {
  const made = [];
  for (const each of list) {
    made.push(pass(each));
    progress.done++;
    yield { ...progress };
  }
  return made;
}

/**
 * The passes of a search: `under` gives the probabilities at the row under more patches than those of `base`, and of
 * other ids.
 * @param {Job} job @param {number} row @param {Intervention[]} base
 */
function passes({ gf, model, input }, row, base) {
  const options = { ...inputOf(input), capture: /** @type {const} */ (true), temperature: temperatureOf(base) };
  const patches = makePatches(model, options, base.filter(isPatched));
  /** @param {import('../../engine/make-patches.js').Patch[]} more @param {number[]} [ids] other ones */
  function under(more, ids = input.ids) {
    const others = { capture: false, logits: false, patches: [...patches, ...more] };
    model.forward({ ...options, ...inputOf({ ...input, ids }), .../** @type {any} */ (others) });
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
    // The last layer's output is the answer, unless another stack reads it.
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

/** The output of an FFN at a token. @param {Job} job @param {Pick<FfnStep, 'stack' | 'layer' | 'row'>} place */
const ffnTarget = ({ model }, { stack, ...place }) =>
  patchTarget({ what: 'ffnAt', kind: stack, ...place, to: 0 }, model.config);

/**
 * The outputs of all FFNs by their names, [tokens, d_model] flat; they outlive the trace.
 * @param {Job} job @param {ReturnType<typeof traceWithInterventions>} trace
 * @returns {Map<string, Float32Array>}
 */
function ffnOutputs(job, trace) {
  if (!job.model.config.d_ff) return new Map();
  return new Map(
    stacksOf(job).flatMap(({ stack, depth }) =>
      count(depth).map((layer) => {
        const { name } = ffnTarget(job, { stack, layer, row: 0 });
        return [name, Float32Array.from(trace.tensor(name).data)];
      }),
    ),
  );
}

/**
 * The FFNs on the path that turn the answer by themselves.
 * @param {Job} job @param {Progress} progress
 * @param {{path: Decision['path'], written: Map<string, Float32Array>, under: ReturnType<typeof passes>['under'],
 *   answer: number, other: number}} of
 * @returns {Generator<Progress, FfnStep[]>}
 */
function* turningFfns(job, progress, { path, written, under, answer, other }) {
  const width = Number(job.model.config.d_model);
  const onPath = written.size ? path.filter(({ after }) => after > 0) : [];
  progress.total += onPath.length;
  const found = yield* inSteps(progress, onPath, ({ stack, after, row }) => {
    const place = { stack, layer: after - 1, row };
    const target = ffnTarget(job, place);
    const value = /** @type {Float32Array} */ (written.get(target.name)).subarray(row * width, (row + 1) * width);
    const now = under([{ ...target, value }]);
    if (largest(now, 1)[0] !== other) return [];
    return [{ ...place, turned: now[other], off: under([{ ...target, value: 0 }])[answer] }];
  });
  return found.flat();
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
 * The links that the answer loses most without, and all that carry what decides.
 * @param {Omit<Link, 'carries'>[]} links @param {number} probability
 * @returns {Link[]}
 */
const shownLinks = (links, probability) =>
  links
    .toSorted((a, b) => a.probability - b.probability)
    .map((each) => ({ ...each, carries: probability - each.probability >= CARRIES * probability }))
    .filter(({ carries, probability: after }, i) => carries || (i < LISTED && after < probability));

/** The least that is left without a part. @param {Part} part */
const leftOf = ({ everywhere, here }) => Math.min(everywhere, here ?? 1);

/**
 * Those to choose from: the one that is shown, one that shows where the answer is copied from, others, not too many of
 * one word.
 * @param {Tried[]} all @param {Tried} now
 */
function shownSwaps(all, now) {
  const copy = all.find(({ isCopy, to }) => isCopy && to !== now.to);
  const others = all.filter((each) => each !== now && each !== copy);
  const few = [now, ...(copy ? [copy] : []), ...others].filter(
    ({ row }, i, list) => list.slice(0, i).filter((each) => each.row === row).length < SHOWN_PER_WORD,
  );
  return few.slice(0, SWAPS).map(({ row, id }) => ({ row, id }));
}

/** @param {Job} job @param {Uncut} link */
function cutOf({ model }, { kind, layer, head, row, key }) {
  const cell = { what: /** @type {const} */ ('cell'), kind, layer, head, row, key, to: 0 };
  return { ...patchTarget(cell, model.config), value: 0 };
}

/**
 * The swaps to try: for each word of the sentence others that fit in its place, as the model itself says, each word's
 * best first. Where it says nothing of the input, or nothing fits, tokens by what heads draw from them, for the mean.
 * @param {Job} job
 * @param {{row: number, trace: ReturnType<typeof traceWithInterventions>,
 *   parts: import('glassformer').Attribution['parts'], most: number}} of
 * @returns {Swap[]}
 */
function swapsOf({ gf, model, input: { ids, targetIds } }, { row, trace, parts, most }) {
  const { vocabulary, outputVocabulary, causal } = model.config;
  const sums = new Float32Array(ids.length);
  for (const { attention: of, keys } of parts)
    if (keys && (of === 'cross') === Boolean(targetIds)) keys.forEach((each, key) => void (sums[key] += each));
  const order = largest(sums.map(Math.abs), ids.length).slice(0, most);
  const isOne = !targetIds && (!outputVocabulary || outputVocabulary === vocabulary); // input and output words are
  /** @param {number} at */
  function sharesAt(at) {
    const { data } = trace.tensor({ name: 'logits', row: at });
    return gf.softmax({ data, shape: [1, data.length] }).data;
  }
  const given = { row, causal, vocabulary: Number(vocabulary), sharesAt };
  /** @param {number} at @returns {(Swap & {rank: number})[]} */
  const fitting = (at) => (isOne ? fittingAt(at, ids, given).map((swap, rank) => ({ ...swap, rank })) : []);
  const found = order.flatMap(fitting).sort((a, b) => a.rank - b.rank);
  const swaps = found.length ? found.map(({ rank: _, ...swap }) => swap) : order.map((at) => ({ row: at, id: null }));
  return swaps.slice(0, most);
}

/**
 * Heads and FFNs as patches that switch them off, those first that add most to the answer by themselves; `isSame`: no
 * other token of it reaches the answer.
 * @param {Job} job @param {{row: number, parts: import('glassformer').Attribution['parts']}} of
 */
function partsOf(job, { row, parts }) {
  const { config } = job.model;
  const { heads, d_ff: neurons } = config;
  const to = /** @type {const} */ (0);
  const kinds = attentionKinds(/** @type {any} */ (config));
  const all = stacksOf(job).flatMap(({ stack, depth, isLast }) =>
    count(depth).flatMap((layer) => {
      const isLastRow = isLast && layer === depth - 1;
      /** @param {number | null} head @param {import('../../app/schema.js').AttentionKind} kind */
      const part = (head, kind) => {
        const place = { kind, layer };
        /** @type {import('../../engine/patches.js').AtOnePlace[]} */
        const [off, at] =
          head === null
            ? [
                { what: 'skip', node: 'ffn', ...place, sublayer: 0, to },
                { what: 'ffnAt', ...place, row, to },
              ]
            : [
                { what: 'head', ...place, head, to },
                { what: 'headAt', ...place, head, row, to },
              ];
        const [everywhere, here] = [off, at].map((each) => ({ ...patchTarget(each, config), value: to }));
        return { kind, layer, head, everywhere, here: isLast ? here : null, isSame: isLastRow };
      };
      const own = kinds.filter((each) => each.stack === stack);
      return [
        ...own.flatMap(({ kind }) => count(Number(heads)).map((head) => part(head, kind))),
        ...(neurons ? [part(null, stack)] : []),
      ];
    }),
  );
  const added = (/** @type {typeof all[number]} */ { kind, layer, head }) =>
    Math.abs(
      parts.find(
        (each) =>
          each.layer === layer &&
          (each.head ?? null) === head &&
          (kind === 'cross' ? each.attention === 'cross' : each.stack === kind && each.attention !== 'cross'),
      )?.value ?? 0,
    );
  return all.sort((a, b) => added(b) - added(a));
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
