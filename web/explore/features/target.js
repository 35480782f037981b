// The target that a model writes: token by token, as its own, from a token on that the reader chose, or as he typed it.
// It says its probability, and where a rule of the model's files decided.

import { html, nothing } from 'lit-html';
import { withMinus } from '../../draw/numbers.js';
import { PROBABILITIES, openNode } from '../../engine/plan.js';
import { acting } from '../../kit/figure.js';
import { entryOf } from '../../models/catalogue.js';
import { probabilitiesOfRow } from '../shared/answer-row.js';
import { strongest } from '../shared/choose.js';
import { chooseRow } from '../shared/cursor.js';
import { nameOfTarget, textOfTarget } from '../shared/target-text.js';
import { selectedIn, visibleWords } from '../shared/words.js';
import style from './target.css';

/**
 * @typedef {import('../index.js').Context} Context
 * @typedef {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} Tools
 */

const PACE = 500; // ms from token to token
let timer = 0; // of the token that comes next

/** @type {import('../index.js').Feature} */
export const target = {
  name: 'target',
  style,
  local: { plays: false },
  needs: ({ plan }) => (plan.hasLogits ? [PROBABILITIES] : []),
  render(context, tools) {
    const { result, state, modelInfo, local } = context;
    const { decoder } = result.plan.tokens;
    if (!decoder?.predicted) return null;
    const all = decoder.predicted.ids.length;
    const grown = state.grown !== null && state.grown < all ? state.grown : null;
    const words = visibleWords(decoder.predicted.words);
    const { stack } = selectedIn(result, state);
    const cover = grown === null || stack !== 'decoder' ? null : { share: grown / all, left: all - grown };
    const own = state.written.length > 0 || state.targetText.trim() !== '';
    const { lang } = entryOf(state.model) ?? {};
    const text = textOfTarget(state.model, decoder.predicted.ids, modelInfo?.outputVocabulary ?? []);
    return html`<div id="target" class="target" role="group" aria-label="Target" ${covered(cover)}
      ><output class="visually-hidden" aria-label=${nameOfTarget(lang)} lang=${lang ?? nothing}>${text}</output>
      ${
        grown === null
          ? saidOf(context, words)
          : html`<span class="hint" role="status" aria-label="${grown} of ${all} tokens">${grown} of ${all}</span>`
      }
      ${
        own
          ? html`<button type="button" title="Let the model write all of it"
            @click=${() => tools.set({ written: [], targetText: '', follow: true })}>Model’s own</button>`
          : nothing
      }
      ${grown === null ? startButtons(state, tools) : stepButtons(grown, all, local.plays, tools)}</div>`;
  },
};

/** @param {import('../index.js').State} state @param {Tools} tools */
function startButtons(state, tools) {
  const isOpen = openNode(state) === 'beams';
  const node = /** @type {'attention' | 'beams'} */ (isOpen ? 'attention' : 'beams');
  const graph = { ...state.graph, node };
  return html`<button type="button" id="open-beams" aria-pressed=${isOpen}
      @click=${() => tools.set({ decision: null, graph })}>Beams</button>
    <button type="button" @click=${() => begin(tools)}>Token by token</button>`;
}

/** @param {number} grown @param {number} all @param {boolean} plays @param {Tools} tools */
function stepButtons(grown, all, plays, tools) {
  const end = () => {
    stop(tools);
    tools.set({ grown: null });
  };
  return html`<button type="button" class="plain"
      @click=${() => (plays ? stop(tools) : play(grown + 1, tools))}>${plays ? 'Pause' : 'Play'}</button>
    <button type="button" class="primary" @click=${() => (stop(tools), show(grown + 1, tools))}>Next token</button>
    <button type="button" class="plain" @click=${end}>All</button>`;
}

/** Begins, and the focus goes to the button for the next token. @param {Tools} tools */
function begin(tools) {
  play(1, tools);
  requestAnimationFrame(() => {
    const next = /** @type {HTMLElement | null} */ (document.querySelector('#target .primary'));
    next?.focus({ preventScroll: true });
  });
}

/** Shows so many tokens, the last of them selected. @param {number} count @param {Tools} tools @returns {boolean} */
function show(count, { get, set, result }) {
  const all = result()?.plan.tokens.decoder?.predicted?.ids.length ?? 0;
  if (!all) return true; // the result of another model came before these buttons went
  const state = get();
  const isAll = count >= all;
  const kind = state.selection.kind === 'encoder' ? 'cross' : state.selection.kind;
  const next = { ...state, selection: { ...state.selection, kind } };
  const chosen = chooseRow(next, Math.min(count, all) - 1, result());
  set({ ...chosen, selection: next.selection, grown: isAll ? null : count });
  return isAll;
}

/** @param {number} from @param {Tools} tools */
function play(from, tools) {
  stop(tools);
  const next = (/** @type {number} */ count) => {
    if (show(count, tools)) return stop(tools);
    timer = setTimeout(() => (tools.get().grown === count ? next(count + 1) : stop(tools)), PACE);
  };
  tools.local({ plays: true });
  next(from);
}

/** @param {Tools} tools */
function stop({ local }) {
  clearTimeout(timer);
  local({ plays: false });
}

/**
 * The facts of the target: whose it is, its log-probability, and at the cursor a rule that decided.
 * @param {Context} context @param {string[]} words
 */
function saidOf({ result, state, modelInfo }, words) {
  const { decoder } = result.plan.tokens;
  const ids = decoder?.predicted?.ids ?? [];
  const rows = ids.map((_, row) => probabilitiesOfRow(result, row));
  const sum = rows.reduce((so, row, at) => so + Math.log(row?.[ids[at]] ?? NaN), 0);
  const total = Number.isNaN(sum)
    ? nothing
    : html`<span class="hint target-sum" title="Sum of the logarithms of its tokens’ probabilities">log p
        <span class="number">${withMinus(sum.toFixed(2))}</span></span>`;
  const { given, prefix = [] } = result.plan.generate ?? {};
  const { row, stack } = selectedIn(result, state);
  const here = stack === 'decoder' && !given && row >= prefix.length ? rows[row] : undefined;
  const likeliest = here ? strongest(here) : ids[row];
  const vocabulary = modelInfo?.outputVocabulary ?? [];
  if (likeliest !== ids[row])
    return html`<span class="hint">A rule wrote <bdi class="quoted">${words[row]}</bdi>, not
      <bdi class="quoted">${vocabulary[likeliest]}</bdi></span> ${total}`;
  const whose = given
    ? 'Typed by you'
    : state.targetText.trim()
      ? 'Your target could not be read: this is the model’s own'
      : prefix.length
        ? html`From <bdi class="quoted">${words[prefix.length - 1]}</bdi> on by itself`
        : html`<span class="target-tip">Click a candidate below to change it</span>`;
  return html`<span class="hint">${whose}</span> ${total}`;
}

/** Covers the rows of the map that are not written yet. */
const covered = acting(
  (_, /** @type {{share: number, left: number} | null} */ cover) => {
    const { style, dataset } = document.documentElement;
    if (!cover) return void delete dataset.grows;
    dataset.grows = '';
    style.setProperty('--grown', `${100 * cover.share}%`);
    style.setProperty('--left', String(cover.left));
  },
  () => void delete document.documentElement.dataset.grows,
);
