// What decided an answer, as the module computes it (trace.decided): each cell as the change that the reader can make;
// and between two sentences that differ in a token the share at which the answer flips.

import { forwardWithInterventions, traceWithInterventions } from '../../engine/intervene.js';
import { put } from '../../engine/interventions.js';
import { strongest } from '../shared/choose.js';
import { probabilitiesAt } from '../shared/probabilities.js';
import { bothWays } from '../shared/effects.js';

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
const HALVINGS = 14;

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
 * '@decision/', the row of the answer, the ids of the other sentence (none: it is found here), and the changes that
 * hold all along.
 * @param {Context} context
 * @param {string} row @param {string} other @param {string[]} changes JSON
 * @returns {Promise<Decision | Progress>}
 */
export async function decision({ gf, model, name, config, ids, targetIds, interventions }, row, other, ...changes) {
  const key = JSON.stringify([name, config, ids, targetIds, row, other, changes]);
  const input = { ids, ...(targetIds ? { targetIds } : {}) };
  let search = kept.get(gf);
  if (search?.key !== key || search.model !== model) {
    const base = JSON.parse(changes.join('/'));
    const at = Math.min(Number(row), (targetIds ?? ids).length - 1);
    const steps = decide({ gf, model, input }, at, other ? other.split('.').map(Number) : null, base);
    search = { key, model, steps };
    kept.set(gf, search);
    return { unfinished: true, done: 0, total: 0 }; // a key was pressed: what is shown comes first
  }
  if (search.decision) return structuredClone(search.decision); // posting the result transfers its buffers
  const end = performance.now() + PART;
  let step;
  try {
    do step = await search.steps.next();
    while (!step.done && performance.now() < end);
  } catch (error) {
    kept.delete(gf);
    throw error;
  }
  forwardWithInterventions(model, input, interventions); // the model is left as it was
  if (!step.done) return step.value;
  search.decision = step.value;
  return structuredClone(step.value);
}

/**
 * @param {Job} job @param {number} row @param {number[] | null} other @param {Intervention[]} base
 * @returns {AsyncGenerator<Progress, Decision>}
 */
async function* decide(job, row, other, base) {
  const { model, input } = job;
  const plain = base.filter(({ what }) => what === 'temperature');
  const given = other && traceWithInterventions(model, { ...input, ids: other }, plain);
  const trace = traceWithInterventions(model, input, base);
  const steps = trace.decided(row, given ? { from: given } : {})[Symbol.asyncIterator]();
  let step = await steps.next();
  for (; !step.done; step = await steps.next()) yield { unfinished: true, ...step.value };
  for (const each of [given, trace]) each?.free();
  const { answer, probability, stream, parts } = step.value;
  const from = other ?? step.value.from ?? 'mean';
  const stacks = [...new Set(stream.map(({ stack }) => stack))].map((stack) => ({
    stack,
    stream: cellsOf(stream, stack, ({ layer, row: token }) => ({
      what: /** @type {const} */ ('patch'),
      kind: stack,
      after: layer === null ? 0 : layer + 1,
      row: token,
      from,
      share: 1,
    })),
    parts: cellsOf(parts, stack, ({ layer, attention, head = 0, neurons }) =>
      neurons
        ? { what: 'neurons', kind: stack, layer, first: neurons[0], last: neurons[1], to: NONE }
        : { what: 'head', kind: attention === 'cross' ? 'cross' : stack, layer, head, to: NONE },
    ),
  }));
  const differing = from === 'mean' ? [] : input.ids.flatMap((id, i) => (id === from[i] ? [] : [i]));
  const mix =
    from === 'mean' || differing.length !== 1 ? null : yield* mixOf(job, row, base, from, differing[0], answer);
  const decisive = stacks.flatMap(({ parts: own }) => decisiveOf(own, probability));
  return { unfinished: false, answer, probability, from, stacks, decisive, mix };
}

const NONE = /** @type {0} */ (0);

/**
 * Those of a stack, layer by layer.
 * @template {{stack: string, layer: number | null, probability: number}} Cell
 * @param {Cell[]} all @param {string} stack @param {(cell: Cell) => Patched} changeOf
 * @returns {Cells}
 */
function cellsOf(all, stack, changeOf) {
  const own = all.filter((each) => each.stack === stack);
  return {
    changes: own.map(changeOf),
    columns: own.filter(({ layer }) => layer === own[0].layer).length,
    probabilities: Float32Array.from(own, ({ probability }) => probability),
  };
}

/**
 * The probabilities at a row under some changes.
 * @param {Job} job @param {Intervention[]} changes @param {number} row
 */
const answersOf = (job, changes, row) =>
  probabilitiesAt(job.gf, forwardWithInterventions(job.model, job.input, changes).logits, row);

/** @param {number} length */
const count = (length) => Array.from({ length }, (_, i) => i);

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
    what: /** @type {const} */ ('patch'),
    kind: /** @type {'encoder'} */ (kind),
    after: 0,
    row: at,
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
