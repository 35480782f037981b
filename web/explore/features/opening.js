// The line above the sentence while the page opens for the first time: an introduction, then one question, its result,
// and all that decided. It stands in the bar, so that nothing moves when the rest unfolds (opening.css, instrument.js).

import { html, nothing } from 'lit-html';
import { formatShare } from '../../draw/numbers.js';
import { changedSwitches } from '../../engine/interventions.js';
import { acting } from '../../kit/figure.js';
import { namesOfBoth, probabilitiesBefore } from '../shared/before.js';
import { probabilitiesOfRow } from '../shared/answer-row.js';
import { strongest } from '../shared/choose.js';
import { ablationsName, flipOf, headsBehind } from '../shared/opening.js';
import { causesIn, decidingSteps } from '../shared/graph.js';
import { weightsAt } from '../shared/weights.js';
import { selectedIn } from '../shared/words.js';

/** @type {import('../index.js').Feature} */
export const opening = {
  name: 'opening',
  slot: 'models',
  first: true,
  needs: ({ plan, state }) => [
    ...(state.opening ? namesOfBoth(plan) : []),
    ...(state.opening === 'ask' || state.opening === 'head'
      ? [ablationsName(/** @type {import('../index.js').State} */ (state))]
      : []),
  ],
  render(context, { set, viewShown }) {
    const { state } = context;
    async function ask() {
      set({ opening: 'steps', interventions: [], decision: [], swap: '' });
      await viewShown('decision');
      document.getElementById('decision-title')?.focus();
    }
    const said = state.opening ? sayings[state.opening](context) : null;
    if (!said) return said;
    const isReady = state.opening === 'head' && headsBehind(context.result, state) !== null;
    return html`<div id="opening" class="opening" ${followed(isReady ? 'ready' : state.opening)}>
      <p role="status">${said}</p>
      ${
        state.opening === 'ask'
          ? html`<button type="button" class="primary" @click=${() => set({ opening: 'head' })}>Which head did
            that?</button>`
          : nothing
      }
      ${
        state.opening === 'off'
          ? html`<button type="button" class="primary" @click=${ask}>What else decided it?</button>`
          : nothing
      }
      ${
        state.opening === 'off' || state.opening === 'steps'
          ? nothing
          : html`<button type="button" class="plain" @click=${() => set({ opening: '' })}>Skip</button>`
      }</div>`;
  },
};

/** @param {string} word @param {string} [part] */
const word = (word, part = '') => html`<bdi class=${part}>${word}</bdi>`;

/** @typedef {(context: import('../index.js').Context) => import('../../kit/feature.js').Template} Saying */

/**
 * The sentence of each stage; null: there is none; undefined: its numbers have not arrived.
 * @type {Record<Exclude<import('../shared/opening.js').Stage, ''>, Saying>}
 */
const sayings = {
  flip({ result, state }) {
    const { rowWords, row } = selectedIn(result, state);
    return html`A small Transformer reads this sentence. The arc shows where ${word(rowWords[row], 'is-query')} looks.
      Tap ${word(flipOf(state)?.word ?? '', 'quoted')}.`;
  },
  ask({ result, state, modelInfo }) {
    const now = weightsAt(result, state);
    const shares = now && probabilitiesOfRow(result, now.row);
    if (!now || !shares || !modelInfo) return undefined;
    const { data, row, rowWords, columnWords } = now;
    const key = strongest(data.subarray(row * columnWords.length, (row + 1) * columnWords.length));
    return html`Now ${word(rowWords[row], 'is-query')} looks at ${word(columnWords[key], 'is-key')}, and the answer is
      ${word(modelInfo.outputVocabulary[strongest(shares)])}.`;
  },
  head({ result, state, modelInfo }) {
    const found = headsBehind(result, state);
    if (!found || !modelInfo) return html`Each head is switched off in turn…`;
    const { count, most, answer, ffns } = found;
    const which =
      most.length === 1
        ? 'the marked one matters most. Tap it'
        : most.length
          ? `the ${most.length} marked ones matter most. Tap one`
          : 'none matters by itself. Tap any';
    const shares = ffns.map(formatShare).join(', ');
    return html`Of ${count} heads, each switched off in turn, ${which} to switch it off.${
      ffns.length
        ? html` With one FFN off in turn, ${word(modelInfo.outputVocabulary[answer])} has ${shares}.`
        : nothing
    }`;
  },
  off(context) {
    const { result, state, modelInfo } = context;
    const [change] = state.interventions;
    if (change?.what !== 'head' || !modelInfo || changedSwitches(state.settings, modelInfo.config).length) return null;
    const { row } = selectedIn(result, state);
    const all = probabilitiesBefore(context);
    const now = probabilitiesOfRow(result, row);
    if (!all || !now) return undefined;
    const before = all.subarray(row * now.length, (row + 1) * now.length);
    const answer = strongest(before);
    return html`Without head ${change.head + 1} of layer ${change.layer + 1},
      ${word(modelInfo.outputVocabulary[answer])} goes from ${formatShare(before[answer])} to
      <strong>${formatShare(now[answer])}</strong>.`;
  },
  steps({ result, state, modelInfo }) {
    const found = causesIn(result, state);
    if (!found || !modelInfo) return html`Each word is swapped, each link cut, each part switched off…`;
    const left = decidingSteps(found).map((each) => formatShare(each.left));
    const ffns = found.ffns.length;
    const name = word(modelInfo.outputVocabulary[found.answer]);
    const count = (/** @type {number} */ n, /** @type {string} */ what) => `${n} ${what}${n === 1 ? '' : 's'}`;
    return left.length
      ? html`${count(left.length - ffns, 'link')} and ${count(ffns, 'FFN')} decide: without each, ${name} has
          <strong>${left.join(', ')}</strong>.`
      : html`No link and no FFN decides ${name} by itself.`;
  },
};

/** The focus goes on to what is to be tapped next. @type {(stage: string) => unknown} */
const followed = acting((_, stage, before) => {
  const next = { ask: '#opening .primary', off: '#opening .primary', ready: '#model-graph .head.behind' }[stage];
  if (!before || stage === before || !next) return;
  // The heads are drawn after this line.
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector(next))?.focus());
});
