// What decided the answer at the cursor: in words, then maps of layers × tokens and layers × parts. Each cell is a
// change, and a click makes it.

import { html, nothing, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { createMap } from '../../draw/lit-map.js';
import { createMarks } from '../../draw/marks.js';
import { gapBefore } from '../../draw/sentence.js';
import { formatShare } from '../../draw/share.js';
import { put, standingAt } from '../../engine/interventions.js';
import { PROBABILITIES, clampSelection } from '../../engine/plan.js';
import { component } from '../../kit/component.js';
import { bothWays } from '../shared/effects.js';
import { otherSentence } from '../shared/other-sentence.js';
import { selectedIn, visibleWords, wordsOf } from '../shared/words.js';
import style from './decision.css';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 * @typedef {import('../../engine/interventions.js').StreamIntervention} StreamIntervention
 * @typedef {import('../../engine/patches.js').Patched} Patched
 * @typedef {import('../index.js').State} State
 * @typedef {import('../index.js').ModelInfo} ModelInfo
 * @typedef {import('../derived/decision.js').Decision} Decision
 * @typedef {import('../derived/decision.js').Progress} Progress
 * @typedef {import('../derived/decision.js').Cells} Cells
 * @typedef {import('../derived/decision.js').StackCells} StackCells
 * @typedef {{row: number, column: number}} Cell
 *
 * `standing`: the change that a click has made; `words`: of a stack's tokens; `other`: the other sentence, null: the
 * mean of the tokens. `cursorOf`, `move`: the cursor of a map; `toggle`: makes a change, or takes it back.
 * @typedef {{
 *   found: Decision, scheme: import('../../draw/color.js').Scheme, answer: string, standing: Intervention | null,
 *   words: (kind: 'encoder' | 'decoder') => string[], other: {word: string, isOther: boolean}[] | null,
 *   cursorOf: (name: string, own: Cells) => Cell, move: (name: string, own: Cells, cell: Cell) => void,
 *   toggle: (change: Intervention) => void,
 * }} Data
 */

/** Whether a cell of the maps can be this change. @param {Intervention} change */
const isProbe = (change) =>
  change.what === 'patch' || change.what === 'neurons' || (change.what === 'head' && change.to === 0);

/**
 * The changes that hold all along: without those that a click in the maps has made.
 * @param {Pick<State, 'interventions' | 'decision'>} state
 */
function baseOf({ interventions, decision: opened }) {
  const stood = new Set(opened?.map((each) => JSON.stringify(each)));
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

/** @type {import('../index.js').Feature} */
export const decision = {
  name: 'decision',
  style,
  local: {}, // of each map its cursor, and the cells of which that is
  needs({ plan, state, modelInfo }) {
    const all = /** @type {State} */ (state);
    return modelInfo && hasAnswer(plan, all) ? [nameOf(plan, all, modelInfo), PROBABILITIES] : [];
  },
  render({ result, state, modelInfo, scheme, local }, { get, set, local: remember }) {
    const { plan, derived } = result;
    if (!modelInfo || result.facts.part !== null || !hasAnswer(plan, state)) return null;
    const made = /** @type {Decision | Progress | undefined} */ (derived.get(nameOf(plan, state, modelInfo)));
    if (!made) return undefined;
    function close() {
      set({ decision: null });
      document.getElementById('decide')?.focus();
    }
    const button = (/** @type {string} */ label) =>
      html`<button type="button" class="decision-close" @click=${close}>${label}</button>`;
    if (made.unfinished) return panel(html`${progressWords(made)}${button('Cancel')}`);
    const found = made;
    const [input, output] = [modelInfo.vocabulary, modelInfo.outputVocabulary].map((words) =>
      visibleWords(/** @type {string[]} */ (words)),
    );
    const { from, mix, stacks } = found;
    const { row } = selectedIn(result, state);
    const now = derived.get(PROBABILITIES).data.subarray(row * output.length, (row + 1) * output.length);
    const base = baseOf(state);
    const standing = state.interventions.filter((each) => isProbe(each) && !base.includes(each));
    /** @type {Data} */
    const data = {
      found,
      scheme,
      answer: output[found.answer],
      standing: standing[0] ?? null,
      words: (kind) => tokenWords(result, kind),
      other: from === 'mean' ? null : from.map((id, i) => ({ word: input[id], isOther: id !== plan.ids[i] })),
      cursorOf: (name, own) =>
        local[name] && sameCells(local[name].own, own) ? local[name].cell : strongestCell(own, found.probability),
      move: (name, own, cell) => remember({ [name]: { own, cell } }),
      toggle(change) {
        const isMade = get().interventions.some((each) => JSON.stringify(each) === JSON.stringify(change));
        set({ interventions: isMade ? baseOf(get()) : put(baseOf(get()), change) });
      },
    };
    const slider =
      mix &&
      sliderOf(mix, {
        change: standingAt(standing, mix.change),
        words: mix.ids.map((id) => input[id]),
        answers: mix.answers.map((id) => ({ word: output[id], probability: now[id] })),
        go: (share) => set({ interventions: share ? put(baseOf(get()), { ...mix.change, share }) : baseOf(get()) }),
      });
    return panel(
      html`${foundWords(data, slider ?? nothing)}${button('Close')}`,
      stacks.map(
        (stack) => html`<div class="decision-maps">${cellsOf('stream', stack, data)}${cellsOf('parts', stack, data)}
        </div>`,
      ),
    );
  },
};

/** @param {unknown} head @param {unknown} [maps] */
const panel = (head, maps = nothing) => html`
  <section class="panel" aria-labelledby="decision-title">
    <h2 id="decision-title" tabindex="-1">What decided this?</h2>
    <div id="decision"><div class="decision-head">${head}</div>${maps}</div>
  </section>`;

/**
 * The tokens of a stack: those read and, where the model wrote them, those it predicts.
 * @param {import('../../engine/results.js').Result} result @param {'encoder' | 'decoder'} stack
 */
function tokenWords(result, stack) {
  const { rowWords } = wordsOf(result, stack);
  const tokens = result.plan.tokens[stack];
  return tokens?.predicted ? visibleWords(tokens.words).map((word, i) => `${word} → ${rowWords[i]}`) : rowWords;
}

/** @param {Progress} progress */
const progressWords = ({ done, total }) => html`<p class="decision-progress">
  <progress aria-label="Passes of the model" max=${total || 1} value=${done}></progress>
  <span>${total ? `${done} of ${total} passes` : 'Starting'}</span></p>`;

/** @param {Data} data @param {unknown} slider */
const foundWords = (data, slider) => html`
  <ul class="decision-words">${sideWords(data, 'lowers')}${sideWords(data, 'raises')}</ul>
  <p class="hint">${
    data.other
      ? html`Tokens are taken from this sentence: <q class="decision-other">${data.other.map(({ word, isOther }, i) => [
          i ? gapBefore(word) : '',
          isOther ? html`<mark>${word}</mark>` : word,
        ])}</q>.`
      : 'Tokens are replaced by the mean of all tokens at that layer.'
  } Click a cell, or press Enter on it, to see that state; once more takes it back.
  Each is tried alone: what only matters together does not show.</p>
  ${slider}`;

/**
 * What speaks for the answer, or against it: of the heads and groups, and of the tokens, the one that does most.
 * @param {Data} data @param {'lowers' | 'raises'} way what its removal does
 */
function sideWords({ answer, found, words, other }, way) {
  const { stacks, probability } = found;
  const [part, token] = [stacks.map(({ parts }) => parts), stacks.map(({ stream }) => stream)].map(
    (all) =>
      bothWays(
        all.flatMap(({ changes, probabilities }) => changes.map((change, i) => ({ change, after: probabilities[i] }))),
        probability,
      )[way],
  );
  const moves = (/** @type {number} */ after) =>
    html`<bdi class="quoted">${answer}</bdi> ${way === 'lowers' ? 'falls' : 'rises'} from ${formatShare(probability)}
      to ${formatShare(after)}`;
  const how = other ? 'with its vector from the other sentence' : 'with the mean in its place';
  const without = part?.change.what === 'neurons' ? 'without them' : 'without it';
  return html`<li><strong>${way === 'lowers' ? 'For' : 'Against'} <bdi class="quoted">${answer}</bdi>:</strong>
    ${part ? html`most of all ${partPlace(part.change, stacks.length > 1)}: ${without} ${moves(part.after)}.` : nothing}
    ${token ? html`Of the tokens most ${tokenPlace(token.change, words)}: ${how} ${moves(token.after)}.` : nothing}
    ${part || token ? nothing : `no change that was tried ${way} it from ${formatShare(probability)}.`}</li>`;
}

/** @param {Patched} change of a token @param {Data['words']} words */
function tokenPlace(change, words) {
  const { kind, row, after } = /** @type {StreamIntervention} */ (change);
  return html`<bdi class="quoted">${words(kind)[row]}</bdi> ${after ? `after layer ${after}` : 'at the embedding'}`;
}

/** @type {Record<string, string>} */
const STACKS = { encoder: 'encoder layer', decoder: 'decoder layer', cross: 'cross-attention layer' };

/** @param {Patched} change of a part @param {boolean} several stacks */
function partPlace(change, several) {
  const { kind, layer } = /** @type {{kind: string, layer: number}} */ (change);
  const neurons = change.what === 'neurons' ? `neurons ${change.first}–${change.last}` : '';
  const part = change.what === 'head' ? `head ${change.head + 1}` : neurons;
  return `${several ? STACKS[kind] : 'layer'} ${layer + 1}, ${part}`;
}

/**
 * Between two sentences that differ in a token.
 * @param {NonNullable<Decision['mix']>} mix
 * @param {{
 *   change: Intervention | undefined, words: string[], answers: {word: string, probability: number}[],
 *   go: (share: number) => void,
 * }} shown
 */
function sliderOf({ flip }, { change, words, answers, go }) {
  const share = change?.what === 'patch' ? change.share : 0;
  const behind = Math.ceil(1000 * (flip ?? 0)) / 1000; // as a link has it
  const flips =
    flip === null
      ? html`Both sentences get the same answer.`
      : html`<bdi class="quoted">${answers[1].word}</bdi> overtakes <bdi class="quoted">${answers[0].word}</bdi> at
          <button type="button" class="decision-flip" @click=${() => go(behind)}>${formatShare(flip)}</button> of
          <bdi class="quoted">${words[1]}</bdi>.`;
  const mark = (/** @type {number} */ at) => svg`<svg class="decision-mark" viewBox="0 0 1 1"
    preserveAspectRatio="none" aria-hidden="true"><rect x=${at - 0.004} width="0.008" height="1"></rect></svg>`;
  return html`<div class="decision-mix">
    <label><span><bdi>${words[0]}</bdi> ⇄ <bdi>${words[1]}</bdi></span>
      <span class="decision-range">
        <input type="range" min="0" max="1" step="0.01" .value=${live(String(share))}
          aria-valuetext="${Math.round(100 * share)} % ${words[1]}"
          @input=${(/** @type {Event} */ event) => go(/** @type {HTMLInputElement} */ (event.target).valueAsNumber)}>
        ${flip === null ? nothing : mark(flip)}
      </span>
      <span class="number">${Math.round(100 * share)} %</span></label>
    <p>${flips}</p>
    <ul>${(flip === null ? answers.slice(0, 1) : answers).map(
      ({ word, probability }) => html`<li><bdi>${word}</bdi>
        <progress aria-label="Probability of ${word}" max="1" value=${probability}></progress>
        <span class="number">${formatShare(probability)}</span></li>`,
    )}</ul>
  </div>`;
}

/** One map of a stack. @param {'stream' | 'parts'} which @param {StackCells} stack @param {Data} data */
function cellsOf(which, stack, data) {
  const { found, answer, scheme, standing, toggle, cursorOf, move } = data;
  const own = stack[which];
  const { columns, probabilities, changes } = own;
  if (!columns) return nothing;
  const { title, rowLabel, columnLabel, column, part } =
    which === 'stream' ? streamAxes(stack, data) : partAxes(stack, data);
  const name = `${stack.stack} ${which}`;
  const cursor = cursorOf(name, own);
  const at = cursor.row * columns + cursor.column;
  const rows = changes.length / columns;
  const made = standing ? changes.findIndex((each) => JSON.stringify(each) === JSON.stringify(standing)) : -1;
  const place = { row: Math.floor(made / columns), column: made % columns };
  const text = made < 0 ? '' : `${rowLabel(place.row)}, ${columnLabel(place.column)}`;
  const shown = {
    name: `${title}: change of the probability of ${answer}`,
    matrix: {
      rows,
      columns,
      data: effectsOf(own, found.probability),
      scheme,
      scale: signedScale(scheme, limitOf(found)),
    },
    scaleTitle: `Change of the probability of “${answer}”`,
    rowAxis: { title: 'layer', noun: 'row', label: rowLabel },
    columnAxis: { title: column, noun: 'column', part, label: columnLabel },
    cursor,
  };
  return html`<div class="decision-${which}"><p class="view-title">${title}</p>
    ${cellMap([shown, made < 0 ? [] : [{ ...place, text }]], {
      ...MAP,
      onCursor: (/** @type {Cell} */ cell) => move(name, own, cell),
      onPick: () => toggle(changes[at]),
    })}
    <p class="decision-cell">${rowLabel(cursor.row)}, <bdi>${columnLabel(cursor.column)}</bdi>:
      <bdi class="quoted">${answer}</bdi> ${formatShare(found.probability)} →
      <strong>${formatShare(probabilities[at])}</strong>${at === made ? ', shown now' : ''}</p></div>`;
}

const MAP = { flattest: 4, uprightColumns: true, min: 16, max: 56, height: 260, empty: '' };

/** A map with a mark, whose cursor's cell a click or Enter picks. */
const cellMap = component((root, options) => {
  const made = createMap(root, options);
  const marks = createMarks(root);
  const cells = /** @type {HTMLElement} */ (root.querySelector('.map-cells'));
  cells.setAttribute('aria-keyshortcuts', 'Enter');
  cells.addEventListener('click', () => options.onPick());
  cells.addEventListener('keydown', ({ key }) => key === 'Enter' && options.onPick());
  return {
    destroy: made.destroy,
    /** @param {[import('../../draw/map.js').MapData, import('../../draw/marks.js').Mark[]]} shown */
    update([data, marked]) {
      made.update(data);
      marks.update(marked, data.matrix.rows, data.matrix.columns);
    },
  };
});

/** @param {StackCells} stack @param {Data} data */
function streamAxes({ stack }, { words, found }) {
  const several = found.stacks.length > 1 ? ` (${stack})` : '';
  return {
    title: `Tokens${several}`,
    rowLabel: (/** @type {number} */ i) => (i ? `layer ${i}` : 'embedding'),
    columnLabel: (/** @type {number} */ i) => words(stack)[i],
    column: 'token',
    part: several ? null : 'row',
  };
}

/** @param {StackCells} stack @param {Data} data */
function partAxes({ stack, parts }, { found }) {
  const several = found.stacks.length > 1 ? ` (${stack})` : '';
  return {
    title: `Heads and neurons${several}`,
    rowLabel: (/** @type {number} */ i) => `layer ${i + 1}`,
    columnLabel: (/** @type {number} */ i) => {
      const change = parts.changes[i];
      if (change.what === 'head') return `${change.kind === 'cross' ? 'cross-head' : 'head'} ${change.head + 1}`;
      return change.what === 'neurons' ? `FFN ${change.first}–${change.last}` : '';
    },
    column: 'part',
    part: null,
  };
}

/** Whether they are those of the same search, which comes again with each change. @param {Cells} a @param {Cells} b */
const sameCells = (a, b) =>
  a.columns === b.columns &&
  a.probabilities.length === b.probabilities.length &&
  a.probabilities.every((each, i) => each === b.probabilities[i]);

/** @type {WeakMap<Cells, Float32Array>} */
const effects = new WeakMap();

/** @param {Cells} cells @param {number} probability */
function effectsOf(cells, probability) {
  const made = effects.get(cells) ?? cells.probabilities.map((each) => each - probability);
  effects.set(cells, made);
  return made;
}

/** The same colours in all maps. @param {Decision} found */
const limitOf = ({ stacks, probability }) =>
  Math.max(
    ...stacks.flatMap(({ stream, parts }) => [stream, parts]).map((each) => roundLimit(effectsOf(each, probability))),
  );

/** @param {Cells} cells @param {number} probability */
function strongestCell(cells, probability) {
  const all = effectsOf(cells, probability).map(Math.abs);
  const at = all.indexOf(Math.max(...all));
  return { row: Math.floor(at / cells.columns), column: at % cells.columns };
}
