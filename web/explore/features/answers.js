// The most likely words at one place, with their probabilities, and where something is changed, those before it; or why
// there is no answer, and sentences to try.

import { html, nothing, svg } from 'lit-html';
import { keyed } from 'lit-html/directives/keyed.js';
import { formatShare, formatValue } from '../../draw/numbers.js';
import { PROBABILITIES, attention, clampSelection } from '../../engine/plan.js';
import { entryOf } from '../../models/catalogue.js';
import { answersAt } from '../shared/answers.js';
import { beforeName, namesOfBoth, probabilitiesBefore, wordsOfBoth } from '../shared/before.js';
import { selectedIn } from '../shared/words.js';
import { isContent, isWord } from '../shared/choose.js';

/** @typedef {import('../shared/answers.js').AttentionPlace} AttentionPlace */

/**
 * `attention`: a head that attends most from this place to the first word, if the text contains that; `isStrongest`:
 * no other head gives it more.
 * `before`: the probability in the model as built; `moved`: of a model without output words, how far its output
 * vector has moved, and its length before. `masked`: the text with the token masked;
 * `canGoOn`: a word can be put behind the text, or instead of another one. `all`: the likeliest word of each place.
 * @typedef {{
 *   title: string, word: string, rest: string, note: string,
 *   list: {id: number, word: string, probability: number, before?: number}[],
 *   moved?: {distance: number, length: number}, all?: string, masked?: string | null, canGoOn?: string | false,
 *   attention: (AttentionPlace & {from: string, to: string, shown: boolean}) | null,
 * }} AnswersData
 */

/** @type {import('../index.js').Feature} */
export const answers = {
  name: 'answers',
  slot: 'in-sight',
  first: true,
  typing: true,
  needs: ({ plan }) => [...namesOfBoth(plan), ...(plan.base && !plan.hasLogits ? ['output', beforeName(plan)] : [])],
  render(context, tools) {
    const { result, state, modelInfo } = context;
    const none = modelInfo && withoutAnswer(result.plan, modelInfo.vocabulary, state.text);
    if (none) return panel(noAnswer(none, tools));
    const data = answerOf(context);
    return data && panel(answer(data, tools));
  },
  blank({ plan }, tools) {
    const none = withoutAnswer(plan, []);
    return none && panel(noAnswer(none, tools));
  },
};

/** @param {unknown} body */
const panel = (body) => html`<div id="answers" class="answers">${body}</div>`;

/** @param {import('../index.js').Context} context @returns {AnswersData | null} */
function answerOf(context) {
  const { result, state, modelInfo } = context;
  const now = said(result, state, modelInfo);
  if (!now) {
    const moved = movedOf(result, state);
    return moved && { title: 'Output vector at', rest: '', note: '', attention: null, list: [], ...moved };
  }
  const list = changeOf(context) ?? now.list;
  const masked = hidden(state, result);
  const canGoOn = goesOn(state, result);
  // An open lesson may ask for just that head.
  if (!now.attention || state.book) return { ...now, list, masked, canGoOn, attention: null };
  const { kind, layer, head, mean } = clampSelection(state.selection, result.plan.settings);
  const { selection, weight } = now.attention;
  const shown = !mean && kind === selection.kind && layer === selection.layer && head === selection.head;
  const isCaption = shown && state.quantity === 'weights' && weight >= 0.5; // the same in words, above the map
  return { ...now, list, masked, canGoOn, attention: isCaption ? null : { ...now.attention, shown } };
}

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @param {import('../index.js').ModelInfo | undefined} modelInfo
 */
const said = (result, state, modelInfo) =>
  modelInfo && result.plan.model === modelInfo.name ? answersAt(result, state, modelInfo) : null;

/**
 * The words beside those before; null: nothing has changed, or it is not computed yet.
 * @param {import('../index.js').Context} context
 */
function changeOf(context) {
  const { result, state, modelInfo } = context;
  const before = modelInfo && probabilitiesBefore(context);
  if (!before) return null;
  const now = result.derived.get(PROBABILITIES).data;
  return wordsOfBoth(before, now, selectedIn(result, state).row, modelInfo.outputVocabulary, MOST);
}

/**
 * The distance that the output vector of a model without output words has moved; null: as `changeOf`.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 */
function movedOf(result, state) {
  const { plan, derived, tensors } = result;
  const before = plan.base && derived.get(beforeName(plan));
  const { stack, rowWords, row } = selectedIn(result, state);
  if (!before || !tensors.has('output') || (plan.tokens.decoder && stack !== 'decoder')) return null;
  return { word: rowWords[row], moved: { distance: before.distances[row], length: before.lengths[row] } };
}

const MOST = 5;

/**
 * Why a text has no answer; null: it has one.
 * @param {import('../../engine/plan.js').Plan} plan
 * @param {readonly string[]} vocabulary
 * @param {string} [text]
 */
function withoutAnswer(plan, vocabulary, text = '') {
  const lost = lostWords(plan, vocabulary);
  return lost && { ...lost, tries: sentencesToTry(String(plan.model), text) };
}

/**
 * The text with the mask in place of the token at the cursor; null where there is none.
 * @param {import('../index.js').State} state
 * @param {import('../../engine/results.js').Result} result
 */
const hidden = (state, result) => entryOf(state.model)?.hide?.(state.text, selectedIn(result, state).row) ?? null;

/**
 * The effect of a click on a candidate: it stands behind the text, at the last token of one that a model continues, or
 * in a target that it writes; false: there is none.
 * @param {import('../index.js').State} state
 * @param {import('../../engine/results.js').Result} result
 */
function goesOn(state, result) {
  const { row, rowWords } = selectedIn(result, state);
  const { positions, maxLength } = result.plan.config;
  const hasSpace = positions !== 'learned' || rowWords.length < Number(maxLength);
  if (result.plan.generate) return 'Write this instead';
  return entryOf(state.model)?.input === 'prompt' && row === rowWords.length - 1 && hasSpace && 'Continue with this';
}

/** Before a change and after it; the first loses its sign. @param {number} share */
const bare = (share) => formatShare(share).replace('\u00a0%', '');

/**
 * A bar from 0 to 1, with a mark where it ended before; it moves to another value (answers.css).
 * @param {number} share
 * @param {number | undefined} before
 */
const bar = (share, before) => svg`<svg class="answers-bar" viewBox="0 0 100 8" preserveAspectRatio="none"
  aria-hidden="true"><rect class="answers-now" width="100" height="8" transform="scale(${share} 1)"></rect>${
    before === undefined ? nothing : svg`<rect x=${Math.max(0, 100 * before - 1)} width="2" height="8"></rect>`
  }</svg>`;

/** @param {AnswersData} data @param {import('../index.js').Tools} tools */
function answer({ title, word, rest, note, list, attention, moved, all, masked, canGoOn }, tools) {
  const { get, set, stopGenerating, result } = tools;
  const isChanged = list.some(({ before }) => before !== undefined);
  const [begin, ...where] = title.split(' '); // a narrow window shows the first word; the place is marked above
  /** @param {AttentionPlace} link */
  const show = ({ selection, row, key }) => set({ decision: null, selection, cursor: { ...get().cursor, row, key } });
  /** @param {number} id */
  function onGoOn(id) {
    stopGenerating(); // its next words would continue another text
    const { written, cursor } = get();
    const { predicted } = result()?.plan.tokens.decoder ?? {};
    set(
      predicted
        ? { written: [...predicted.ids.slice(0, cursor.row), id], targetText: '', own: { row: true, key: false } }
        : { written: [...written, id], follow: true, own: { row: false, key: false } },
    );
  }
  return html`
        <p class="answers-title">${begin} <span class=${begin && 'answers-where'}>${where.join(' ')}
        <bdi class="quoted">${word}</bdi></span>${rest}
        ${masked ? html`<button type="button" @click=${() => set({ text: masked })}>Mask it</button>` : nothing}</p>
        ${
          moved
            ? html`<p class="answers-moved">moved by <span class="number">${formatValue(moved.distance)}</span>; its
          length was <span class="number">${formatValue(moved.length)}</span>
          ${bar(Math.min(1, moved.distance / moved.length), 0)}</p>`
            : html`<ol class=${isChanged ? 'answers-list changed' : 'answers-list'}>${list.map(
                ({ id, word: each, probability, before }) => html`<li>
          ${
            canGoOn
              ? html`<button type="button" title=${canGoOn} @click=${() => onGoOn(id)}><bdi>${each}</bdi></button>`
              : html`<bdi>${each}</bdi>`
          } <span class="number">${
            before === undefined ? nothing : html`<span class="answers-before">${bare(before)} → </span>`
          }${formatShare(probability)}</span>
          ${keyed(`${title} ${word} ${each}`, bar(probability, before))}</li>`,
              )}</ol>`
        }
        ${
          attention
            ? html`<p class="answers-attention">${attention.isStrongest ? 'Strongest link' : 'A link'} from
          <bdi class="quoted">${attention.from}</bdi> to
          <bdi class="quoted">${attention.to}</bdi>: layer ${attention.selection.layer + 1},
          head ${attention.selection.head + 1} (<span class="number">${formatShare(attention.weight)}</span>)${
            attention.shown ? nothing : html` <button type="button" @click=${() => show(attention)}>Show</button>`
          }</p>`
            : nothing
        }
        ${all ? html`<p class="answers-all">Answers of the row: <bdi class="number">${all}</bdi></p>` : nothing}
        ${note ? html`<p class="hint">${note}</p>` : nothing}`;
}

/**
 * @typedef {{unknown: number, words: number, tries: string[]}} NoAnswer
 * @param {NoAnswer} data
 * @param {import('../index.js').Tools} tools
 */
const noAnswer = ({ unknown, words, tries }, { set, chooseModel }) => html`
  <p class="answers-none">${
    unknown === words
      ? 'The model knows none of these words.'
      : `The model does not know ${unknown} of ${words} words, so it gives no answer.`
  }
  <button type="button"
    @click=${() => chooseModel('austen')}>Read it with Austen, which reads any word (7.8 MB)</button></p>
  ${
    tries.length
      ? html`<div class="buttons answers-tries" role="group" aria-label="Sentences to try"><span
        class="hint">Try</span>${tries.map(
          (text) => html`
        <button type="button"
          @click=${() => set({ text, written: [], follow: true, brush: [] })}>${text}</button>`,
        )}</div>`
      : nothing
  }`;

/** @type {import('../index.js').Feature} */
export const decide = {
  name: 'decide',
  slot: 'in-sight',
  render({ result: { plan, facts }, state, modelInfo }, { get, set, viewShown }) {
    const { stack } = attention(clampSelection(state.selection, plan.settings).kind);
    const hasAnswer = plan.hasLogits && modelInfo && !(plan.generate && stack === 'encoder');
    const isGiven = hasAnswer && plan.model === modelInfo.name && !lostWords(plan, modelInfo.vocabulary);
    if (!isGiven || facts.part !== null) return null;
    async function toggle() {
      const opens = !get().decision;
      set({ decision: opens ? get().interventions : null, swap: '' });
      if (!opens) return;
      await viewShown('decision');
      if (document.activeElement?.id === 'decide') document.getElementById('decision-title')?.focus();
    }
    return html`<button type="button" id="decide" class="decide" aria-controls="decision"
      aria-expanded=${state.decision !== null} @click=${toggle}>What decided this?</button>`;
  },
};

/** Sentences to try. */
const MOST_TO_TRY = 3;

/**
 * The words that a text loses before the model reads it. A text has no answer where the model does not know one of
 * its content words (any but those of the short list of function words of choose.js), or none of its words. The last
 * word may be half typed: the beginning of a known word is not lost yet. A reader's own file has no sentences to try
 * instead, so its answer stands.
 * @param {import('../../engine/plan.js').Plan} plan
 * @param {readonly string[]} vocabulary
 * @returns {{unknown: number, words: number} | null} null: nothing that matters is lost
 */
export function lostWords({ tokens, model }, vocabulary) {
  const entry = entryOf(/** @type {any} */ (model));
  if (!model || entry?.read || sentencesToTry(model, '').length < MOST_TO_TRY) return null;
  const { words, ids } = (tokens.encoder ?? tokens.decoder)?.shown ?? { words: [], ids: [] };
  const lost = words.filter((word, i) => ids[i] === null && isWord(word));
  const last = words.at(-1)?.toLowerCase() ?? '';
  const isHalf = ids.at(-1) === null && isWord(last) && vocabulary.some((word) => word.startsWith(last));
  const missed = isHalf ? lost.slice(0, -1) : lost;
  const count = words.filter(isWord).length;
  return missed.some(isContent) || (count && missed.length === count) ? { unknown: missed.length, words: count } : null;
}

/** Sentences of the model's that it knows every word of. @param {string} model @param {string} text */
const sentencesToTry = (model, text) =>
  Object.values(entryOf(/** @type {any} */ (model))?.examples ?? {})
    .filter((each) => each !== text)
    .slice(0, MOST_TO_TRY);
