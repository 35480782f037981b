// What decided the answer at the cursor: each cell of its maps is a change, and a click makes it.

import { put, standingAt } from '../../engine/interventions.js';
import { PROBABILITIES, clampSelection } from '../../engine/plan.js';
import { otherSentence } from '../shared/other-sentence.js';
import { selectedIn, visibleWords, wordsOf } from '../shared/words.js';
import * as view from './view.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../index.js').State} State
 * @typedef {import('../index.js').ModelInfo} ModelInfo
 * @typedef {import('./derived.js').Decision | import('./derived.js').Progress} Found
 */

/** Whether a cell of the maps can be this change. @param {Intervention} change */
const isProbe = (change) =>
  change.what === 'patch' || change.what === 'neurons' || (change.what === 'head' && change.to === 0);

/**
 * The changes that hold all along: without those that a click in the maps has made.
 * @param {Pick<State, 'interventions' | 'decision'>} state
 */
function baseOf({ interventions, decision }) {
  const stood = new Set(decision?.map((each) => JSON.stringify(each)));
  return interventions.filter((each) => !isProbe(each) || stood.has(JSON.stringify(each)));
}

/**
 * The name of the derived value.
 * @param {import('../../engine/plan.js').Plan} plan @param {State} state @param {ModelInfo} modelInfo
 */
const nameOf = (plan, state, modelInfo) =>
  `@decision/${state.cursor.row}/${otherSentence(plan, state, modelInfo)?.join('.') ?? ''}/` +
  JSON.stringify(baseOf(state));

/** Whether the cursor's row says something. @param {import('../../engine/plan.js').Plan} plan @param {State} state */
const hasAnswer = ({ settings, generate }, { selection }) =>
  !(generate && clampSelection(selection, settings).kind === 'encoder');

/** @type {import('../index.js').Panel<import('./view.js').DecisionData>} */
export const decision = {
  name: 'decision',
  required({ plan, state, modelInfo }) {
    const all = /** @type {State} */ (state);
    return modelInfo && hasAnswer(plan, all) ? [nameOf(plan, all, modelInfo), PROBABILITIES] : [];
  },
  present({ result, state, modelInfo, scheme }) {
    const { plan, derived } = result;
    if (!modelInfo || result.facts.part !== null || !hasAnswer(plan, state)) return null;
    const found = /** @type {Found | undefined} */ (derived.get(nameOf(plan, state, modelInfo)));
    if (!found) return undefined;
    if (found.unfinished) return { progress: found, found: null };
    const output = visibleWords(/** @type {string[]} */ (modelInfo.outputVocabulary));
    const input = visibleWords(/** @type {string[]} */ (modelInfo.vocabulary));
    const { from, mix } = found;
    const { row } = selectedIn(result, state);
    const now = derived.get(PROBABILITIES).data.subarray(row * output.length, (row + 1) * output.length);
    const standing = state.interventions.filter((each) => isProbe(each) && !baseOf(state).includes(each));
    const share = mix ? shareOf(standingAt(standing, mix.change)) : 0;
    return {
      progress: null,
      found,
      scheme,
      answer: output[found.answer],
      standing: standing[0] ?? null,
      words: (kind) => tokenWords(result, kind),
      other: from === 'mean' ? null : from.map((id, i) => ({ word: input[id], isOther: id !== plan.ids[i] })),
      mix: mix && {
        share,
        flip: mix.flip,
        words: mix.ids.map((id) => input[id]),
        answers: mix.answers.map((id) => ({ word: output[id], probability: now[id] })),
      },
    };
  },
  create(root, { get, set }) {
    /** Makes a change, or takes it back. @param {Intervention} change */
    function toggle(change) {
      const base = baseOf(get());
      const isMade = get().interventions.some((each) => JSON.stringify(each) === JSON.stringify(change));
      set({ interventions: isMade ? base : put(base, change) });
    }
    const close = () => {
      set({ decision: null });
      document.getElementById('decide')?.focus();
    };
    let isShown = false;
    const inner = view.create(root, {
      onPick: toggle,
      onShare: (change) => set({ interventions: change.share ? put(baseOf(get()), change) : baseOf(get()) }),
      onClose: close,
    });
    return {
      ...inner,
      update(data) {
        inner.update(data);
        // Not with a link that has it open.
        if (data && !isShown && document.activeElement?.id === 'decide')
          document.getElementById('decision-title')?.focus();
        isShown = data !== null;
      },
    };
  },
};

/**
 * The tokens of a stack: those read and, where the model wrote them, those it predicts.
 * @param {import('../../engine/results.js').Result} result @param {'encoder' | 'decoder'} stack
 */
function tokenWords(result, stack) {
  const { rowWords } = wordsOf(result, stack);
  const tokens = result.plan.tokens[stack];
  return tokens?.predicted ? visibleWords(tokens.words).map((word, i) => `${word} → ${rowWords[i]}`) : rowWords;
}

/** @param {Intervention | undefined} change */
const shareOf = (change) => (change?.what === 'patch' ? change.share : 0);
