// Computes for the page: the plan of its state, the request for missing tensors, the result;
// and the same for the pinned state beside it.

import {
  attentionKinds,
  attentionName,
  hasTensor,
  clampSelection,
  isEmpty,
  memoizedPlan,
  pinnedState,
} from './plan.js';
import { namesOfPart } from './part.js';
import { createRequestQueue } from './request-queue.js';
import { createResults } from './results.js';

/**
 * @typedef {import('./plan.js').Plan} Plan
 * @typedef {import('./plan.js').ModelInfo} ModelInfo
 * @typedef {import('./results.js').Result} Result
 * @typedef {import('./protocol.js').Problem} Problem
 * @typedef {import('../app/schema.js').State} State
 */

const SLOW = 400; // ms until the page says that it computes

/** Parameters from which on a model is large. */
const LARGE = 2 ** 24;
/** The map of a large model does not wait for these: in GPT-2's shape they take 13 ms beside a pass of 27. */
const LATER = /^(@stream|@head-share\/.*|logits)$/;

/**
 * The names to ask for first: all at once, but of a large model.
 * @param {string[]} names
 * @param {Result | null} before the last result of the model
 */
function mostUrgent(names, before) {
  const urgent = names.filter((name) => !LATER.test(name));
  return before && before.facts.parameters >= LARGE && urgent.length ? urgent : names;
}

/** Whether there is something to compute. @param {Plan} plan */
const isWhole = (plan) => !isEmpty(plan) && !plan.isWaiting;

/**
 * The plans of the present state and of the pinned one; each made once for each state.
 * @param {() => State} state
 * @param {(model: string) => ModelInfo | undefined} modelInfo
 */
function createPlans(state, modelInfo) {
  const second = () => /** @type {State} */ (pinnedState(state()));
  const made = memoizedPlan(second, () => modelInfo(second().model));
  return {
    plan: memoizedPlan(state, () => modelInfo(state().model)),
    /** The pinned state. */
    second,
    /** Where there is a pinned state whose model is here. */
    pinnedPlan() {
      const { pinned } = state();
      return pinned && (pinned.model === 'untrained' || modelInfo(pinned.model)) ? made() : null;
    },
  };
}

/**
 * @param {number} id
 * @param {Plan} plan
 * @param {string[]} names
 * @param {1 | 2} plans
 * @param {import('./part.js').Focus} focus
 * @returns {import('./protocol.js').RunRequest}
 */
function runRequest(
  id,
  { key, config, ids, targetIds, interventions, model, generate, settings },
  names,
  plans,
  focus,
) {
  const kinds = attentionKinds(settings).map(({ kind }) => [kind, attentionName(kind, 0, 'masked')]);
  const maskNames = Object.fromEntries(kinds.filter(([, name]) => hasTensor(name, settings)));
  const what = { config, ids, targetIds, interventions, names, maskNames, model, generate, plans, focus };
  return { type: 'run', id, key, ...what };
}

/** A row of the output. @param {Plan} plan @param {number} row */
const rowIn = ({ ids, targetIds }, row) => Math.min(row, (targetIds ?? ids).length - 1);

/**
 * The names that have yet to arrive for a query (null: none), and the reader's selection.
 * @param {{plan: Plan, state: State}} query
 * @param {(query: {plan: Plan, state: State}) => string[]} required
 * @param {ReturnType<typeof createResults>} results
 */
function lacking({ plan, state }, required, results) {
  const selection = clampSelection(state.selection, plan.settings);
  const focus = { layer: selection.layer, row: rowIn(plan, state.cursor.row) };
  const all = required({ plan, state: { ...state, selection } });
  const isPart = typeof results.of(plan)?.facts.part === 'number';
  return { names: results.missing(plan, isPart ? namesOfPart(all, focus) : all, focus.layer), focus };
}

/** Whether an answer takes long. @param {() => void} onSlow */
function createSlow(onSlow) {
  let timer = 0;
  let isSlow = false;
  return {
    isSlow: () => isSlow,
    begin() {
      timer ||= setTimeout(() => {
        isSlow = true;
        onSlow();
      }, SLOW);
    },
    end() {
      clearTimeout(timer);
      timer = 0;
      isSlow = false;
    },
  };
}

/**
 * The result that is shown: that of the present state or, until it has come, of the last one. Words that the model does
 * not read change no number, so the plan is always the present one where the numbers are.
 * @param {ReturnType<typeof createResults>} results
 * @param {Plan} now
 * @param {Plan | null} before
 * @returns {Result | null}
 */
function shownResult(results, now, before) {
  const held = results.of(now) ?? results.of(before);
  return held && held.plan.key === now.key && !now.generate ? { ...held, plan: now } : held;
}

/**
 * @param {object} options
 * @param {() => State} options.state
 * @param {(model: string) => ModelInfo | undefined} options.modelInfo
 * @param {(query: {plan: Plan, state: State}) => string[]} options.required names of tensors and derived values
 * @param {() => boolean} options.isReady whether there is a model to run
 * @param {(request: import('./protocol.js').RunRequest | import('./protocol.js').SaveRequest) => void} options.send
 * @param {() => void} options.onResult an answer came: a result or an error
 * @param {() => void} options.onSlow
 */
export function createSession({ state, modelInfo, required, isReady, send, onResult, onSlow }) {
  const results = createResults();
  /** @type {Plan | null} the last one with a result */
  let shown = null;
  /** @type {Problem | null} */
  let error = null;
  let refusedKey = ''; // of the plan that was refused
  let refusedPinnedKey = '';
  const slow = createSlow(onSlow);

  const { plan, second, pinnedPlan } = createPlans(state, modelInfo);
  const isRefused = () => plan().key === refusedKey;

  function forgetError() {
    error = null;
    refusedKey = '';
  }

  /** The plans to compute, the most urgent first. A refused plan is not asked for again. */
  function queries() {
    const present = isRefused() ? shown : plan();
    const pinned = pinnedPlan();
    return [
      ...(present ? [{ plan: present, state: state() }] : []),
      ...(pinned && isWhole(pinned) && pinned.key !== refusedPinnedKey ? [{ plan: pinned, state: second() }] : []),
    ];
  }

  const queue = createRequestQueue({
    next() {
      if (!isReady() || !isWhole(plan())) return null;
      const all = queries();
      for (const query of all) {
        const { names, focus } = lacking(query, required, results);
        const plans = /** @type {1 | 2} */ (all.length);
        if (names) return { plan: query.plan, names: mostUrgent(names, results.of(shown)), plans, focus };
      }
      if (!isRefused()) forgetError();
      return null;
    },
    /** @param {{id: number, plan: Plan, names: string[], plans: 1 | 2, focus: import('./part.js').Focus}} request */
    send({ id, plan: asked, names, plans, focus }) {
      send(runRequest(id, asked, names, plans, focus));
      slow.begin();
    },
    /** @param {import('./protocol.js').RunResponse | import('./protocol.js').RefusedResponse} response */
    keep(response, { plan: asked }) {
      if (response.type === 'result') {
        if (!isRefused()) forgetError();
        results.add(asked, response, modelInfo(String(asked.model)));
      } else if (asked.key === plan().key) [error, refusedKey] = [response.error, asked.key];
      else if (asked.key === pinnedPlan()?.key) refusedPinnedKey = asked.key; // the present result stands alone
    },
    done(response) {
      slow.end();
      onResult();
      if (response.type === 'result') queue.wake(); // for what the other plan lacks
    },
  });

  return {
    /** The plan of the present state; made once for each state. */
    plan,
    /** The reader's selection, limited to layers and heads of the present state. */
    selection: () => clampSelection(state().selection, plan().settings),
    /** Asks for what the present state lacks. */
    update: queue.wake,
    receive: queue.receive,
    /** The result that is shown. */
    result: () => shownResult(results, plan(), shown),
    /** The result of the present state alone. */
    presentResult: () => results.of(plan()),
    /** The result of the pinned state. */
    pinned: () => results.of(pinnedPlan()),
    /** Whether the result that is shown is another state's, as the present one's is on its way. */
    isPending: () => !error && !results.of(plan()),
    /** Takes the present result as the one that is shown, and forgets what is not shown. */
    keepShown() {
      if (results.of(plan())) shown = plan();
      results.keep([shown, pinnedPlan()]);
    },
    /** Asks for the file of the present state's model. @param {import('./protocol.js').FileFormat} format */
    save(format) {
      const { config, model, interventions } = plan();
      send({ type: 'save', format, config, model, interventions });
    },
    error: () => error,
    /** @param {Problem} problem */
    fail: (problem) => void (error = problem),
    isSlow: slow.isSlow,
    /** Whether an answer is on its way. */
    isBusy: queue.busy,
    /** Another model is shown from now on. */
    reset() {
      forgetError();
      shown = null;
      results.keep([]);
    },
  };
}
