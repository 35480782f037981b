// Try: change the head, a weight or the temperature, and see what the answer becomes.

import { html, nothing, render, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { announceFigure, tableOf } from '../../draw/figure.js';
import { formatShare } from '../../draw/share.js';
import { put, setTo, standingAt, temperatureOf } from '../../engine/interventions.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { namesOfBoth, probabilitiesBefore, wordsOfBoth } from '../shared/before.js';
import { weightsAt } from '../shared/weights.js';
import { selectedIn } from '../shared/words.js';

/**
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 *
 * `head`, `weight`: null where the mean of several heads is shown; these and `temperature` without attention.
 * `answers`: the likeliest words with their probability as built and now, none while nothing is changed.
 * @typedef {{
 *   head: {name: string, isOn: boolean} | null,
 *   weight: {row: string, key: string, value: number, isSet: boolean} | null,
 *   temperature: number | null, answers: {word: string, before: number, probability: number}[], word: string,
 *   canUndo?: boolean, canRedo?: boolean,
 * }} TryData
 */

const MOST = 4;

/**
 * The head and the cell that the reader has selected, as interventions.
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../index.js').State} state
 * @returns {{head: Intervention, cell: Intervention} | null} null: the mean of several heads, none, or no token
 */
function selected(result, state) {
  const { selection, kind, rowWords, row, key } = selectedIn(result, state);
  const { layer, head, mean } = selection;
  if (mean || !rowWords.length || !result.plan.settings.heads) return null;
  return {
    head: { what: 'head', kind, layer, head, to: 0 },
    cell: { what: 'cell', kind, layer, head, row, key, to: 0 },
  };
}

/**
 * The likeliest words before and now at the cursor; none while nothing is changed, or the former are not here yet.
 * @param {import('../index.js').Context} context
 */
function answersOf(context, /** @type {number} */ row) {
  const { result, modelInfo } = context;
  const before = modelInfo && probabilitiesBefore(context);
  return before
    ? wordsOfBoth(before, result.derived.get(PROBABILITIES).data, row, modelInfo.outputVocabulary, MOST)
    : [];
}

/** @type {import('../index.js').Panel<TryData>} */
export const trying = {
  name: 'try',
  slot: 'why',
  section: html`
  <section class="panel try-panel" aria-labelledby="try-title">
    <h2 id="try-title">Try</h2>
    <div id="try"></div>
    <div id="changes"></div>
    <details class="try-more" id="try-more">
      <summary>More</summary>
      <div data-slot="change"></div>
      <div data-slot="interventions"></div>
    </details>
    <details class="try-effect" data-optional data-slot="effect" hidden>
      <summary>Effect at every token</summary>
    </details>
  </section>`,
  required: ({ plan }) => namesOfBoth(plan),
  present(context) {
    const { result, state } = context;
    const { rowWords, columnWords, row, key, selection } = selectedIn(result, state);
    const place = selected(result, state);
    const weights = weightsAt(result, state);
    return {
      head: place && {
        name: `layer ${selection.layer + 1}, head ${selection.head + 1}`,
        isOn: !standingAt(state.interventions, place.head),
      },
      weight:
        place && weights
          ? {
              row: rowWords[row],
              key: columnWords[key],
              value: weights.data[row * columnWords.length + key],
              isSet: Boolean(standingAt(state.interventions, place.cell)),
            }
          : null,
      temperature: result.plan.settings.heads ? temperatureOf(state.interventions) : null,
      answers: answersOf(context, row),
      word: rowWords[row],
    };
  },
  create(root, { get, set, result, history }) {
    /** @param {'head' | 'cell'} what @param {number | null} to null: as computed */
    function change(what, to) {
      const now = result();
      const place = now && selected(now, get());
      if (!place) return;
      set({ interventions: setTo(get().interventions, place[what], to) });
    }
    const more = /** @type {HTMLDetailsElement} */ (root.parentElement?.querySelector('.try-more'));
    let arranged = ''; // the layout by which it was opened or closed last
    const inner = create(root, {
      onHead: (isOn) => change('head', isOn ? null : 0),
      onWeight: (to) => change('cell', to),
      onTemperature: (value) => set({ interventions: put(get().interventions, { what: 'temperature', value }) }),
      onUndo: history.undoChange,
      onRedo: history.redoChange,
    });
    return {
      ...inner,
      update(data) {
        const { layout } = get();
        if (layout !== arranged) more.open = layout === 'page';
        arranged = layout;
        inner.update(data && { ...data, canUndo: history.canUndoChange(), canRedo: history.canRedoChange() });
      },
    };
  },
};

/** @param {Event} event */
const numberOf = (event) => /** @type {HTMLInputElement} */ (event.target).valueAsNumber;

/**
 * @param {HTMLElement} root
 * @param {{
 *   onHead: (isOn: boolean) => void, onWeight: (to: number | null) => void,
 *   onTemperature: (value: number) => void, onUndo: () => void, onRedo: () => void,
 * }} options `onWeight` null: as computed
 */
function create(root, { onHead, onWeight, onTemperature, onUndo, onRedo }) {
  return {
    /** @param {TryData | null} data */
    update(data) {
      root.hidden = !data;
      if (!data) return announceAnswers(root, [], '');
      const { head, weight, temperature, answers, canUndo, canRedo } = data;
      render(
        html`
        <div class="try-controls">
          ${
            head
              ? html`<button type="button" class="switch" role="switch" aria-checked=${head.isOn}
                  aria-label="Head on: ${head.name}" @click=${() => onHead(!head.isOn)}>Head
                  <span class="switch-track"></span> ${head.isOn ? 'on' : 'off'}</button>`
              : nothing
          }
          ${
            weight
              ? html`<label class=${head?.isOn ? '' : 'idle'}><span>Weight <bdi class="is-query">${weight.row}</bdi> →
                  <bdi class="is-key">${weight.key}</bdi></span>
                  <input class="try-weight" type="range" min="0" max="1" step="0.01"
                    .value=${live(String(weight.value))} @input=${(/** @type {Event} */ e) => onWeight(numberOf(e))}>
                  <output>${formatShare(weight.value)}</output></label>`
              : nothing
          }
          ${
            temperature === null
              ? html`<p class="hint">These layers have no attention. “More” changes neurons and vectors.</p>`
              : html`<label><span>Temperature</span>
                  <input class="temperature" type="range" min="-1" max="1" step="0.02"
                    .value=${live(String(Math.log10(temperature)))} aria-valuetext=${String(temperature)}
                    @input=${(/** @type {Event} */ event) =>
                      onTemperature(Number((10 ** numberOf(event)).toPrecision(3)))}>
                  <output>${temperature}</output></label>`
          }
        </div>
        <ol class="try-answers" aria-label="Answer before and after" ?hidden=${!answers.length}>
          ${answers.map(answer)}
        </ol>
        <div class="buttons">
          <button type="button" class="plain" ?disabled=${!canUndo}
            @click=${onUndo}>Undo</button>
          <button type="button" class="plain" ?disabled=${!canRedo} @click=${onRedo}>Redo</button>
          <button type="button" class="plain" ?hidden=${!weight?.isSet}
            @click=${() => onWeight(null)}>Computed weight</button>
        </div>`,
        root,
      );
      announceAnswers(root, answers, data.word);
    },
    destroy() {
      root.replaceChildren();
    },
  };
}

/** A word with the way from its probability before to that now. @param {TryData['answers'][number]} answer */
const answer = ({ word, before, probability }) => html`<li><bdi>${word}</bdi>
  <svg class="try-line" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">${svg`
    <rect class="try-scale" y="4.5" width="100" height="1"></rect>
    <rect class="try-way" y="3.5" height="3" x=${100 * Math.min(before, probability)}
      width=${100 * Math.abs(probability - before)}></rect>
    <rect class="try-before" x=${Math.max(0, 100 * before - 0.4)} y="0" width=".8" height="10"></rect>
    <rect class="try-now" x=${Math.max(0, 100 * probability - 0.6)} y="0" width="1.2" height="10"></rect>`}</svg>
  <span class="number">${formatShare(before)} → <b>${formatShare(probability)}</b></span></li>`;

/** So that they can be saved. @param {HTMLElement} root @param {TryData['answers']} answers @param {string} word */
function announceAnswers(root, answers, word) {
  const name = `Predictions at ${word} before and after`;
  const element = root.querySelector('.try-answers');
  announceFigure(
    root,
    answers.length && element
      ? {
          name,
          element,
          tables: () => [
            tableOf(
              name,
              ['before', 'after', 'difference'],
              answers.map((each) => [each.word, each.before, each.probability, each.probability - each.before]),
            ),
          ],
        }
      : null,
  );
}
