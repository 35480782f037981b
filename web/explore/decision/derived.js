// What decided an answer: its probability with each head and group of neurons ablated, and with the residual stream of
// each token after each layer taken from another sentence.

import { forwardWithInterventions, passOptions } from '../../engine/intervene.js';
import { put } from '../../engine/interventions.js';
import { makePatches } from '../../engine/make-patches.js';
import { isPatched } from '../../engine/patches.js';
import { strongest } from '../shared/choose.js';
import { probabilitiesAt } from '../shared/probabilities.js';
import { bothWays } from './effects.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../../engine/patches.js').Patched} Patched
 * @typedef {import('../../engine/derived.js').Context} Context
 *
 * The probability under each change: `stream` layers × tokens, from the embedding to what the last layer reads, where
 * other layers read the stack also what it gives; `parts` layers × (heads, groups).
 * @typedef {{changes: Patched[], columns: number, probabilities: Float32Array}} Cells
 * @typedef {{stack: 'encoder' | 'decoder', stream: Cells, parts: Cells}} StackCells
 *
 * Two sentences that differ in one token, `row`; `answers`: of each; `flip`: the share of the other token at which the
 * other's answer overtakes this one's, null where it does not.
 * @typedef {{change: import('../../engine/interventions.js').StreamIntervention, ids: [number, number],
 *   answers: [number, number], flip: number | null}} Mix
 *
 * `answer`: the id of the word, of `probability` without any of the changes; `from`: the other sentence; `decisive`:
 * of each layer the node without which the answer loses most.
 * @typedef {{
 *   unfinished: false, answer: number, probability: number, from: number[] | 'mean', stacks: StackCells[],
 *   decisive: {kind: 'attention' | 'ffn', attention: string, layer: number, head?: number}[], mix: Mix | null,
 * }} Decision
 * @typedef {{unfinished: true, done: number, total: number}} Progress
 */

const PART = 120; // ms, then others have their turn
const GROUPS = 4; // of the neurons of a layer
const HALVINGS = 14;

/**
 * The search under way or the last one that has ended: it goes on where it was left.
 * @type {WeakMap<object, {key: string, job: Job, steps: Generator<Progress, Decision>, decision?: Decision}>}
 */
const kept = new WeakMap();

/**
 * What a search runs on.
 * @typedef {Pick<Context, 'gf' | 'model'> & {input: {ids: number[], targetIds?: number[]}}} Job
 */

/**
 * '@decision/', the row of the answer, the ids of the other sentence (none: it is found here), and the changes that
 * hold all along.
 * @param {Context} context
 * @param {string} row @param {string} other @param {string[]} changes JSON
 * @returns {Decision | Progress}
 */
export function decision({ gf, model, name, config, ids, targetIds, interventions }, row, other, ...changes) {
  const key = JSON.stringify([name, config, ids, targetIds, row, other, changes]);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  let search = kept.get(gf);
  if (search?.key !== key) {
    const job = { gf, model, input };
    const base = JSON.parse(changes.join('/'));
    const last = (targetIds ?? ids).length - 1;
    search = {
      key,
      job,
      steps: decide(job, Math.min(Number(row), last), other ? other.split('.').map(Number) : null, base),
    };
    kept.set(gf, search);
    return { unfinished: true, done: 0, total: 0 }; // a key was pressed: what is shown comes first
  }
  if (search.decision) return structuredClone(search.decision); // posting the result transfers its buffers
  search.job.model = model;
  const end = performance.now() + PART;
  let step = search.steps.next();
  while (!step.done && performance.now() < end) step = search.steps.next();
  forwardWithInterventions(model, input, interventions); // the model is left as it was
  if (!step.done) return step.value;
  search.decision = step.value;
  return structuredClone(step.value);
}

/**
 * @param {Job} job @param {number} row @param {number[] | null} other @param {Intervention[]} base
 * @returns {Generator<Progress, Decision>}
 */
function* decide(job, row, other, base) {
  const before = answersOf(job, base, row);
  const answer = strongest(before);
  const from = other ?? partner(job, before, answer) ?? 'mean';
  const stacks = stacksOf(job, from);
  const probes = stacks.flatMap(({ stream, parts }) => [stream, parts]);
  const { ids } = job.input;
  const differing = from === 'mean' ? [] : ids.flatMap((id, i) => (id === from[i] ? [] : [i]));
  const total = probes.reduce((sum, { changes }) => sum + changes.length, 0);
  const options = passOptions(job.input, base);
  const all = [...base.filter(isPatched), ...probes.flatMap(({ changes }) => changes)];
  const patches = makePatches(job.model, options, all);
  let done = 0;
  yield { unfinished: true, done, total };
  for (const { changes, probabilities } of probes)
    for (const [i, change] of changes.entries()) {
      const list = put(base, change).filter(isPatched);
      const { logits } = job.model.forward({ ...options, patches: list.flatMap((each) => patches.get(each) ?? []) });
      probabilities[i] = probabilitiesAt(job.gf, logits, row)[answer];
      yield { unfinished: true, done: ++done, total };
    }
  const mix =
    from === 'mean' || differing.length !== 1 ? null : yield* mixOf(job, row, base, from, differing[0], answer);
  const probability = before[answer];
  const decisive = stacks.flatMap(({ parts }) => decisiveOf(parts, probability));
  return { unfinished: false, answer, probability, from, stacks, decisive, mix };
}

/**
 * The probabilities at a row under some changes.
 * @param {Job} job @param {Intervention[]} changes @param {number} row
 */
const answersOf = (job, changes, row) =>
  probabilitiesAt(job.gf, forwardWithInterventions(job.model, job.input, changes).logits, row);

/**
 * Where the answer stands in the sentence: the same with the runner-up in its place.
 * @param {Job} job @param {Float32Array} probabilities @param {number} answer
 */
function partner({ model, input: { ids } }, probabilities, answer) {
  if (model.config.kind === 'encoder-decoder' || !ids.includes(answer)) return null; // there the ids are other words
  const others = probabilities.map((each, id) =>
    ids.includes(id) || id >= Number(model.config.vocabulary) ? -1 : each,
  );
  return ids.map((id) => (id === answer ? strongest(others) : id));
}

/** @param {Job} job @param {number[] | 'mean'} from @returns {StackCells[]} */
function stacksOf({ model, input: { ids, targetIds } }, from) {
  const { kind, layers, decoderLayers, heads, d_ff } = /** @type {Record<string, any>} */ (model.config);
  const both = kind === 'encoder-decoder';
  /** @type {('encoder' | 'decoder')[]} */
  const stacks = ['encoder', 'decoder'];
  return stacks
    .filter((stack) => both || stack === kind)
    .map((stack) => {
      const depth = both && stack === 'decoder' ? decoderLayers : layers;
      const tokens = (both && stack === 'decoder' ? targetIds : ids)?.length ?? 0;
      /** @type {import('../../app/schema.js').AttentionKind[]} */
      const kinds = both && stack === 'decoder' ? ['decoder', 'cross'] : [stack];
      // What the last layer gives is the answer: another sentence's vector there gives that sentence's answer.
      const rows = both && stack === 'encoder' ? depth + 1 : depth;
      const stream = count(rows * tokens).map((i) => ({
        ...{ what: /** @type {const} */ ('patch'), kind: stack, after: Math.floor(i / tokens), row: i % tokens },
        ...{ from, share: 1 },
      }));
      const parts = count(depth).map((layer) => [
        ...kinds.flatMap((own) =>
          count(heads).map((head) => ({ what: /** @type {const} */ ('head'), kind: own, layer, head, to: NONE })),
        ),
        ...groupsOf(d_ff).map((group) => ({ what: /** @type {const} */ ('neurons'), kind: stack, layer, ...group })),
      ]);
      return { stack, stream: cellsOf(stream, tokens), parts: cellsOf(parts.flat(), parts[0]?.length ?? 0) };
    });
}

const NONE = /** @type {0} */ (0);

/** @param {number} length */
const count = (length) => Array.from({ length }, (_, i) => i);

/** @param {Patched[]} changes @param {number} columns @returns {Cells} */
const cellsOf = (changes, columns) => ({ changes, columns, probabilities: new Float32Array(changes.length) });

/** Neighbours together, in quarters. @param {number} d_ff */
function groupsOf(d_ff) {
  const groups = Math.min(GROUPS, d_ff);
  const begin = (/** @type {number} */ i) => Math.floor((i * d_ff) / groups);
  return count(groups).map((i) => ({ first: begin(i), last: begin(i + 1) - 1, to: NONE }));
}

/** Of each layer the part without which the answer loses most. @param {Cells} cells @param {number} probability */
function decisiveOf({ changes, columns, probabilities }, probability) {
  const cells = changes.map((change, i) => ({ change, after: probabilities[i] }));
  return count(changes.length / columns).flatMap((layer) => {
    const change = bothWays(cells.slice(layer * columns, (layer + 1) * columns), probability).lowers?.change;
    if (!change) return [];
    /** @type {'attention' | 'ffn'} */
    const kind = change.what === 'head' ? 'attention' : 'ffn';
    return [{ kind, attention: change.kind, layer, ...('head' in change ? { head: change.head } : {}) }];
  });
}

/**
 * Between two sentences that differ in a token: where the answer flips, by bisection.
 * @param {Job} job @param {number} row @param {Intervention[]} base
 * @param {number[]} from @param {number} at the token @param {number} answer
 * @returns {Generator<Progress, Mix>}
 */
function* mixOf(job, row, base, from, at, answer) {
  const kind = job.model.config.kind === 'decoder' ? 'decoder' : 'encoder';
  const change = {
    ...{ what: /** @type {const} */ ('patch'), kind: /** @type {'encoder'} */ (kind), after: 0, row: at },
    from,
    share: 1,
  };
  const other = strongest(answersOf(job, put(base, change), row));
  let [low, high] = [0, 1];
  for (let i = 0; i < HALVINGS && other !== answer; i++) {
    yield { unfinished: true, done: i, total: HALVINGS };
    const share = (low + high) / 2;
    const all = answersOf(job, put(base, { ...change, share }), row);
    if (all[answer] >= all[other]) low = share;
    else high = share;
  }
  const ids = /** @type {[number, number]} */ ([job.input.ids[at], from[at]]);
  return { change, ids, answers: [answer, other], flip: other === answer ? null : high };
}
