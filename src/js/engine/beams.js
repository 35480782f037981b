// Beam search. Fetched when beams are first asked for.
import { Scratch } from '../arrays/memory.js';
import { changedRow } from './choose.js';
import { CACHE } from './flags.js';
import { runPatched } from './patches.js';
import { writerOf } from './prompt.js';
import { rule } from './rules.js';
import { withText } from './written.js';

/** @typedef {import('./handle.js').Handle} Handle */
/** @typedef {import('./generate.js').Plan} Plan */
/** @typedef {import('./generate.js').Generated} Generated */

/**
 * A continuation that beam search weighed: a node of its tree.
 * @typedef {object} Candidate
 * @property {number} id of the token
 * @property {number} step from 0
 * @property {number | null} parent the candidate before it, as its place in `tree`; null: the prompt
 * @property {number} logProbability of the token after its parent, in nats
 * @property {number} sum of the log-probabilities from the prompt on
 * @property {'beams' | Generated['endedBy']} [endedBy] the end of its branch: 'beams' where others were likelier. One
 *   without goes on
 * @property {number} [score] of a sequence that ended here: sum / length ** lengthPenalty
 */

/** @typedef {{at: number | null, sum: number, slot: number, ids: number[]}} Open a beam; slot: its row of the batch */
/** @typedef {{of: Open, id: number, logProbability: number, sum: number}} Found */

/**
 * One sequence, or the `keep` best: as transformers searches (Hugging Face, "generation"; Graves 2012 and Sutskever et
 * al. 2014, section 3.2, for the search, Wu et al. 2016, section 7, for the length). In each step the likeliest
 * continuations of all beams are looked at, twice as many as there are beams; an end counts among the first of them.
 * @param {Handle} handle
 * @param {Plan} plan
 * @param {number} V the vocabulary
 * @returns {Generator<unknown, Generated, unknown>}
 */
export function* searchBeams(handle, plan, V) {
  const { beams, maxTokens, endId, signal, row, full } = plan;
  /** @type {Candidate[]} */
  const tree = [];
  const ended = new Ended(plan);
  /** @type {Open[]} */
  let open = [{ at: null, sum: 0, slot: 0, ids: [] }];
  const scratch = new Scratch(handle.memory);
  try {
    const score = scorer(handle, plan, V, scratch);
    for (let step = 0; step < maxTokens && open.length && !ended.isDone; step++) {
      signal?.throwIfAborted();
      const found = likeliest(score(open), open, Math.max(2, 1 + endId.length) * beams);
      const first = tree.length;
      /** @type {Open[]} */
      const next = [];
      found.forEach(({ of, id, logProbability, sum }, rank) => {
        /** @type {Candidate} */
        const candidate = { id, step, parent: of.at, logProbability, sum };
        const branch = { at: tree.push(candidate) - 1, sum, slot: of.slot, ids: [...of.ids, id] };
        const isEnd = endId.includes(id);
        if (isEnd && rank < beams) ended.add(branch, candidate, 'endId');
        else if (!isEnd && next.length < beams) next.push(branch);
        else candidate.endedBy = 'beams';
      });
      ended.look(found[0].sum, step + 1);
      place(handle, next, beams);
      open = next;
      yield { id: open[0]?.ids.at(-1) ?? found[0].id, row, candidates: tree.slice(first) };
    }
    if (!ended.isDone) for (const each of open) ended.add(each, each.at === null ? {} : tree[each.at], full);
  } finally {
    scratch.free();
  }
  return resultOf(handle, plan, ended.best(), tree);
}

/** The best sequences that have ended, as many as there are beams. */
class Ended {
  isDone = false;
  /** @type {{ids: number[], score: number, endedBy: Generated['endedBy']}[]} */
  #all = [];
  #plan;

  /** @param {Plan} plan */
  constructor(plan) {
    this.#plan = plan;
  }

  /** @param {Open} branch @param {Partial<Candidate>} candidate @param {Generated['endedBy']} endedBy */
  add({ sum, ids }, candidate, endedBy) {
    const { beams, lengthPenalty } = this.#plan;
    const score = ids.length ? sum / ids.length ** lengthPenalty : 0;
    Object.assign(candidate, { endedBy, score });
    if (this.#all.length === beams) {
      const worst = this.#worst();
      if (!(score > worst)) return;
      const at = this.#all.findIndex((each) => each.score === worst);
      this.#all.splice(at, 1);
    }
    this.#all.push({ ids, score, endedBy });
  }

  #worst() {
    return this.#all.reduce((least, { score }) => Math.min(least, score), Infinity);
  }

  /** Whether no open beam can be better. @param {number} sum the best of this step @param {number} length */
  look(sum, length) {
    const { beams, earlyStopping, lengthPenalty, maxTokens } = this.#plan;
    const reach = earlyStopping === 'never' && lengthPenalty > 0 ? maxTokens : length;
    this.isDone =
      this.#all.length === beams && (earlyStopping === true || this.#worst() >= sum / reach ** lengthPenalty);
  }

  /** Of equal ones the later first, as transformers takes them. */
  best() {
    return this.#all.sort((a, b) => a.score - b.score).reverse();
  }
}

/**
 * The likeliest continuations, the likeliest first; of equals those of the earlier beam, then of the lower id.
 * @param {Float32Array[]} scores log-probabilities [V] of each beam
 * @param {Open[]} open
 * @param {number} count
 * @returns {Found[]}
 */
function likeliest(scores, open, count) {
  /** @type {Found[]} */
  const best = [];
  scores.forEach((row, i) => {
    const of = open[i];
    for (let id = 0; id < row.length; id++) {
      const sum = of.sum + row[id];
      if (best.length === count ? !(sum > best[count - 1].sum) : !(sum > -Infinity)) continue;
      let at = best.length;
      while (at > 0 && sum > best[at - 1].sum) at--;
      best.splice(at, 0, { of, id, logProbability: row[id], sum });
      if (best.length > count) best.pop();
    }
  });
  return best;
}

/**
 * Gives each beam a row of the batch: its parent's, or one that no beam goes on from, which gets the parent's keys and
 * values.
 * @param {Handle} handle @param {Open[]} next @param {number} beams
 */
function place({ pass, functions, id }, next, beams) {
  const parents = next.map(({ slot }) => slot);
  const free = Array.from({ length: beams }, (_, slot) => slot).filter((slot) => !parents.includes(slot));
  for (const [i, each] of next.entries()) {
    if (parents.indexOf(each.slot) === i) continue;
    const to = /** @type {number} */ (free.pop());
    if (pass.held.kind === 'cache') functions.gf_model_copy(id, each.slot, to);
    each.slot = to;
  }
}

/**
 * Runs the model over all beams at once: with a cache over their last tokens.
 * @param {Handle} handle
 * @param {Plan} plan
 * @param {number} V
 * @param {Scratch} scratch
 * @returns {(open: Open[]) => Float32Array[]} log-probabilities [V] of what follows each beam
 */
function scorer(handle, plan, V, scratch) {
  const { beams, prompt, source, capacity, ablate, patches, logits, repetitionPenalty, rules } = plan;
  const isChanged = logits || repetitionPenalty !== 1 || Object.keys(rules).length > 0;
  const { pass, memory, functions } = handle;
  const work = scratch.reserve('float32', beams * V);
  const repeated = source.writes.map(({ to, data }) => ({ to, data: repeat(data, beams) }));
  const key = 'beams'; // of no other call
  return (open) => {
    const past = prompt.length + open[0].ids.length - 1;
    const { held } = pass;
    const goesOn = capacity > 0 && held.kind === 'cache' && held.plan === plan && held.tokens.length === past;
    const T = goesOn ? 1 : past + 1;
    const ids = new Int32Array(beams * T);
    for (let slot = 0; slot < beams; slot++) {
      const tokens = [...prompt, ...(open.find((each) => each.slot === slot) ?? open[0]).ids];
      ids.set(tokens.slice(-T), slot * T);
    }
    const batch = {
      ...source,
      flags: source.flags | (capacity > 0 ? CACHE : 0),
      sizes: { ...source.sizes, B: beams, T },
      writes: [...repeated, { to: 'decoder.ids', data: ids }],
    };
    if (goesOn) {
      pass.next(ids);
      pass.step(past, 1);
    } else if (ablate || patches) runPatched(handle, batch, { ablate, patches });
    else pass.run(batch, capacity);
    const tokens = Array.from({ length: past + 1 }, () => 0);
    const facts = { key, tokens, capacity, T: 1, plan, start: 0, cut: false };
    if (capacity > 0) pass.hold({ ...facts, kind: 'cache', goesOn: true });
    const { pointer } = handle.get('logits');
    return open.map(({ slot, ids: own }, i) => {
      const to = work + i * V * 4;
      functions.gf_log_softmax(to, pointer + (slot * T + T - 1) * V * 4, 1, V);
      if (!isChanged) return memory.view('float32', to, V);
      const row = memory.copy('float32', to, V);
      const tokens = [...prompt, ...own];
      rule(row, tokens, plan);
      const changed = changedRow(row, tokens, plan);
      if (!rules.renormalize) return changed;
      memory.write('float32', to, changed);
      functions.gf_log_softmax(to, to, 1, V);
      return memory.view('float32', to, V);
    });
  };
}

/** @param {ArrayLike<number>} data @param {number} count */
function repeat(data, count) {
  return Array.from({ length: count }, () => Array.from(data)).flat();
}

/**
 * @param {Handle} handle
 * @param {Plan} plan
 * @param {ReturnType<Ended['best']>} best
 * @param {Candidate[]} tree
 * @returns {Generated}
 */
function resultOf(handle, { prompt, keep, seed }, best, tree) {
  const tokenizer = writerOf(handle);
  const beams = best.slice(0, keep).map(({ ids, score, endedBy }) => {
    return withText(tokenizer, { ids: [...prompt, ...ids], newIds: [...ids], endedBy, seed, score });
  });
  return { ...beams[0], beams, tree };
}
