// What decided an answer: in words, then maps of layers × tokens and layers × parts, each cell a click to that state.

import { html, nothing, render, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { roundLimit, signedScale } from '../../draw/color.js';
import { createMap } from '../../draw/lit-map.js';
import { createMarks } from '../../draw/marks.js';
import { gapBefore } from '../../draw/sentence.js';
import { formatShare } from '../../draw/share.js';
import { bothWays } from './effects.js';

/**
 * @typedef {import('../../engine/patches.js').Patched} Patched
 * @typedef {import('./derived.js').Cells} Cells
 *
 * `standing`: the change that a click has made; `words`: of a stack's tokens; `other`: the other sentence, null: the
 * mean of the tokens.
 * @typedef {{
 *   progress: null, found: import('./derived.js').Decision, scheme: import('../../draw/color.js').Scheme,
 *   answer: string, standing: import('../../engine/interventions.js').Intervention | null,
 *   words: (kind: 'encoder' | 'decoder') => string[], other: {word: string, isOther: boolean}[] | null,
 *   mix: {
 *     share: number, flip: number | null, words: string[], answers: {word: string, probability: number}[],
 *   } | null,
 * }} FoundData
 * @typedef {FoundData | {progress: import('./derived.js').Progress, found: null}} DecisionData
 */

/**
 * @param {HTMLElement} root
 * @param {{
 *   onPick: (change: Patched) => void, onClose: () => void,
 *   onShare: (change: import('../../engine/interventions.js').StreamIntervention) => void,
 * }} options
 */
export function create(root, { onPick, onShare, onClose }) {
  const head = root.appendChild(document.createElement('div'));
  /** @type {ReturnType<typeof createStack>[]} */
  const stacks = [];
  head.className = 'decision-head';

  return {
    /** @param {DecisionData | null} data */
    update(data) {
      const found = data?.found ? /** @type {FoundData} */ (data) : null;
      while (found && stacks.length < found.found.stacks.length) stacks.push(createStack(root, onPick));
      stacks.forEach((each, i) => each.update(found, i));
      if (!data) return render(nothing, head);
      render(
        html`${found ? foundWords(found, onShare) : progressWords(/** @type {any} */ (data).progress)}
        <button type="button" class="decision-close" @click=${onClose}>${found ? 'Close' : 'Cancel'}</button>`,
        head,
      );
    },
    destroy() {
      for (const each of stacks) each.destroy();
      root.replaceChildren();
    },
  };
}

/** @param {import('./derived.js').Progress} progress */
const progressWords = ({ done, total }) => html`<p class="decision-progress">
  <progress aria-label="Passes of the model" max=${total || 1} value=${done}></progress>
  <span>${total ? `${done} of ${total} passes` : 'Starting'}</span></p>`;

/** @param {FoundData} data @param {Parameters<typeof create>[1]['onShare']} onShare */
const foundWords = (data, onShare) => html`
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
  ${data.mix ? slider(data, onShare) : nothing}`;

/** @param {Cells[]} all */
const cellsOf = (all) =>
  all.flatMap(({ changes, probabilities }) => changes.map((change, i) => ({ change, after: probabilities[i] })));

/**
 * What speaks for the answer, or against it: of the heads and groups, and of the tokens, the one that does most.
 * @param {FoundData} data @param {'lowers' | 'raises'} way what its removal does
 */
function sideWords(data, way) {
  const { answer, found, words, other } = data;
  const { stacks, probability } = found;
  const [part, token] = [stacks.map(({ parts }) => parts), stacks.map(({ stream }) => stream)].map(
    (all) => bothWays(cellsOf(all), probability)[way],
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

/** @param {Patched} change of a token @param {FoundData['words']} words */
function tokenPlace(change, words) {
  const { kind, row, after } = /** @type {import('../../engine/interventions.js').StreamIntervention} */ (change);
  return html`<bdi class="quoted">${words(kind)[row]}</bdi> ${after ? `after layer ${after}` : 'at the embedding'}`;
}

/** @type {Record<string, string>} */
const STACKS = { encoder: 'encoder layer', decoder: 'decoder layer', cross: 'cross-attention layer' };

/** @param {Patched} change of a part @param {boolean} several stacks */
function partPlace(change, several) {
  const { kind, layer } = /** @type {{kind: string, layer: number}} */ (change);
  const part = change.what === 'head' ? `head ${change.head + 1}` : neuronWords(change);
  return `${several ? STACKS[kind] : 'layer'} ${layer + 1}, ${part}`;
}

/** @param {Patched} change */
const neuronWords = (change) => (change.what === 'neurons' ? `neurons ${change.first}–${change.last}` : '');

/** @param {FoundData} data @param {Parameters<typeof create>[1]['onShare']} onShare */
function slider({ mix, found }, onShare) {
  const { share, flip, words, answers } = /** @type {NonNullable<FoundData['mix']>} */ (mix);
  const { change } = /** @type {NonNullable<import('./derived.js').Mix>} */ (found.mix);
  const go = (/** @type {number} */ value) => onShare({ ...change, share: value });
  const flips =
    flip === null
      ? html`Both sentences get the same answer.`
      : html`<bdi class="quoted">${answers[1].word}</bdi> overtakes <bdi class="quoted">${answers[0].word}</bdi> at
          <button type="button" class="decision-flip" @click=${() => go(rounded(flip))}>${formatShare(flip)}</button> of
          <bdi class="quoted">${words[1]}</bdi>.`;
  const shown = flip === null ? answers.slice(0, 1) : answers;
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
    <ul>${shown.map(
      ({ word, probability }) => html`<li><bdi>${word}</bdi>
        <progress aria-label="Probability of ${word}" max="1" value=${probability}></progress>
        <span class="number">${formatShare(probability)}</span></li>`,
    )}</ul>
  </div>`;
}

/** Where the answer flips. @param {number} flip */
const mark = (flip) => svg`<svg class="decision-mark" viewBox="0 0 1 1" preserveAspectRatio="none"
  aria-hidden="true"><rect x=${flip - 0.004} width="0.008" height="1"></rect></svg>`;

/** A share behind the flip, as a link has it. @param {number} flip */
const rounded = (flip) => Math.ceil(1000 * flip) / 1000;

/**
 * The two maps of a stack.
 * @param {HTMLElement} root
 * @param {(change: Patched) => void} onPick
 */
function createStack(root, onPick) {
  const box = root.appendChild(document.createElement('div'));
  box.className = 'decision-maps';
  const maps = ['stream', 'parts'].map((name) => createCells(box, name, onPick));
  return {
    /** @param {FoundData | null} data @param {number} index */
    update(data, index) {
      const own = data?.found.stacks[index];
      box.hidden = !own;
      maps[0].update(own && data ? { ...data, own: own.stream, ...streamAxes(own, data) } : null);
      maps[1].update(own?.parts.columns && data ? { ...data, own: own.parts, ...partAxes(own, data) } : null);
    },
    destroy() {
      for (const each of maps) each.destroy();
    },
  };
}

/** @param {import('./derived.js').StackCells} stack @param {FoundData} data */
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

/** @param {import('./derived.js').StackCells} stack @param {FoundData} data */
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

/**
 * One map.
 * @param {HTMLElement} parent
 * @param {string} name
 * @param {(change: Patched) => void} onPick
 */
function createCells(parent, name, onPick) {
  const root = parent.appendChild(document.createElement('div'));
  const title = root.appendChild(document.createElement('p'));
  const body = root.appendChild(document.createElement('div'));
  const line = root.appendChild(document.createElement('p'));
  root.className = `decision-${name}`;
  title.className = 'view-title';
  line.className = 'decision-cell';
  /** @type {(FoundData & {own: Cells} & ReturnType<typeof streamAxes | typeof partAxes>) | null} */
  let shown = null;
  /** @type {Cells | null} of which the cursor is */
  let own = null;
  let cursor = { row: 0, column: 0 };
  const map = createMap(body, {
    flattest: 4,
    uprightColumns: true,
    min: 16,
    max: 56,
    height: 260,
    empty: '',
    onCursor(cell) {
      cursor = cell;
      draw();
    },
  });
  const marks = createMarks(body);
  const cells = /** @type {HTMLElement} */ (body.querySelector('.map-cells'));
  const pick = () => own && onPick(own.changes[cursor.row * own.columns + cursor.column]);
  cells.setAttribute('aria-keyshortcuts', 'Enter');
  cells.addEventListener('click', pick);
  cells.addEventListener('keydown', ({ key }) => key === 'Enter' && pick());

  function draw() {
    if (!shown || !own) return;
    const { found, answer, scheme, standing, rowLabel, columnLabel, column, part } = shown;
    const { columns, probabilities, changes } = own;
    const effects = effectsOf(own, found.probability);
    const rows = changes.length / columns;
    const at = cursor.row * columns + cursor.column;
    map.update({
      name: `${shown.title}: change of the probability of ${answer}`,
      matrix: { rows, columns, data: effects, scheme, scale: signedScale(scheme, limitOf(found)) },
      scaleTitle: `Change of the probability of “${answer}”`,
      rowAxis: { title: 'layer', noun: 'row', label: rowLabel },
      columnAxis: { title: column, noun: 'column', part, label: columnLabel },
      cursor,
    });
    const made = standing ? changes.findIndex((each) => JSON.stringify(each) === JSON.stringify(standing)) : -1;
    const text = made < 0 ? '' : `${rowLabel(Math.floor(made / columns))}, ${columnLabel(made % columns)}`;
    const shownNow = at === made ? ', shown now' : '';
    const place = { row: Math.floor(made / columns), column: made % columns, text };
    marks.update(made < 0 ? [] : [place], rows, columns);
    render(
      html`${rowLabel(cursor.row)}, <bdi>${columnLabel(cursor.column)}</bdi>: <bdi class="quoted">${answer}</bdi>
      ${formatShare(found.probability)} → <strong>${formatShare(probabilities[at])}</strong>${shownNow}`,
      line,
    );
  }

  return {
    /** @param {typeof shown} data */
    update(data) {
      root.hidden = !data;
      if (!data) return map.update(null);
      if (!shown || !sameCells(own, data.own)) cursor = strongestCell(data.own, data.found.probability);
      shown = data;
      own = data.own;
      title.textContent = data.title;
      draw();
    },
    destroy: map.destroy,
  };
}

/**
 * Whether they are those of the same search, which comes again with each change.
 * @param {Cells | null} a @param {Cells} b
 */
const sameCells = (a, b) =>
  a !== null && a.columns === b.columns && a.probabilities.every((each, i) => each === b.probabilities[i]);

/** @type {WeakMap<Cells, Float32Array>} */
const effects = new WeakMap();

/** @param {Cells} cells @param {number} probability */
function effectsOf(cells, probability) {
  const made = effects.get(cells) ?? cells.probabilities.map((each) => each - probability);
  effects.set(cells, made);
  return made;
}

/** The same colours in all maps. @param {import('./derived.js').Decision} found */
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
