// Changes of a feature at a word: off, another strength under the curve of both answers, that of another sentence.

import { html, nothing, svg } from 'lit-html';
import { live } from 'lit-html/directives/live.js';
import { formatShare } from '../../draw/numbers.js';
import { isOfFeature, setTo, standingAt } from '../../engine/interventions.js';
import { changeAt, factorAt, foundIn, movedName, nameOf, ofFeature } from '../shared/dictionary.js';
import { otherSentence } from '../shared/other-sentence.js';
import { visibleWords } from '../shared/words.js';
import style from './feature-try.css';

/**
 * @typedef {import('../derived/features.js').Curve} Curve
 * @typedef {import('../../engine/interventions.js').Intervention} Intervention
 */

const MOST = 2; // times its value

/** @type {import('../index.js').Feature} */
export const featureTry = {
  name: 'feature-try',
  style,
  needs: ({ state }) => [
    ...ofFeature('feature-curve', state),
    ...(state.interventions?.some(isOfFeature) ? [movedName(state)] : []),
  ],
  render({ result, state, modelInfo }, { get, set }) {
    const now = foundIn(result, state);
    if (!now || !state.ready.includes(now.name)) return null;
    const { feature, row, words, answer } = now;
    const change = changeAt(now, feature, row);
    const all = changeAt(now, null, row);
    const factor = factorAt(state, now, feature, row);
    const name = nameOf(answer.scores[feature], feature);
    const to = (/** @type {Intervention} */ of, /** @type {number | number[] | null} */ next) =>
      set({ interventions: setTo(get().interventions, of, next), cursor: { ...get().cursor, feature } });
    const other = modelInfo && otherSentence(result.plan, state, modelInfo);
    const isAll = Boolean(standingAt(state.interventions, all));
    const isOther = !isAll && factor === null;
    /** @type {Curve | {absent: true} | undefined} */
    const curve = result.derived.get(ofFeature('feature-curve', state)[0]);
    const output = visibleWords([...(modelInfo?.outputVocabulary ?? [])]);
    const isActive = now.here.includes(feature);
    return html`<div class="try-controls feature-try" id="feature-try">
      <button type="button" class="switch" role="switch" aria-checked=${factor !== 0}
        aria-label="Feature on: ${name} at ${words[row]}" ?disabled=${!isActive}
        @click=${() => to(change, factor === 0 ? null : 0)}>${factor === 0 ? 'off' : 'on'} at
        <bdi class="is-query">${words[row]}</bdi> <span class="switch-track"></span></button>
      <div class="feature-slider">
        ${curve && !('absent' in curve) ? drawn(curve, factor, output) : html`<div class="feature-curve"></div>`}
        <label><span class="visually-hidden">Strength of ${name} at ${words[row]}, times its value</span>
          <input class="try-feature" type="range" min="0" max=${MOST} step="0.05" ?disabled=${!isActive}
            .value=${live(String(factor ?? 1))}
            aria-valuetext=${factor === null ? 'of the other sentence' : `× ${factor}`}
            @input=${(/** @type {any} */ { target }) => {
              const next = Number(target.valueAsNumber.toFixed(2));
              to(change, next === 1 ? null : next);
            }}></label>
        <p class="feature-ticks" aria-hidden="true"><span>0</span><span>as computed</span><span>× 2</span></p>
      </div>
      ${
        other
          ? html`<div class="buttons feature-others"><span class="hint">From “${textOf(other, modelInfo)}”:</span>
              <button type="button" class="plain" aria-pressed=${isOther}
                @click=${() => to(change, isOther ? null : other)}>this feature</button>
              <button type="button" class="plain" aria-pressed=${isAll}
                @click=${() => to(all, isAll ? null : other)}>all features</button></div>`
          : nothing
      }</div>`;
  },
};

/** The end of a sentence. @param {number[]} ids @param {import('../index.js').ModelInfo | undefined} info */
function textOf(ids, info) {
  const words = ids.map((id) => info?.vocabulary[id] ?? '');
  return `… ${words.slice(-4).join(' ').replace(/ \.$/, '.')}`;
}

const [WIDTH, HEIGHT] = [100, 40];

/**
 * Both answers over the factor.
 * @param {Curve} curve @param {number | null} factor @param {string[]} words
 */
function drawn({ factors, of }, factor, words) {
  const x = (/** @type {number} */ at) => (WIDTH * at) / MOST;
  const y = (/** @type {number} */ share) => HEIGHT * (1 - share);
  const line = (/** @type {Float32Array} */ shares) =>
    [...shares].map((share, i) => `${x(factors[i]).toFixed(1)},${y(share).toFixed(1)}`).join(' ');
  const at = factor ?? 1;
  const near = Math.round((at / MOST) * (factors.length - 1));
  const say = of.map(({ id, shares }) => `${words[id]} ${formatShare(shares[near])}`).join(', ');
  const [first, second] = of;
  const turn = factors.findIndex((_, i) => first.shares[i] >= second.shares[i]);
  return html`<div class="feature-curve" role="img" aria-label="Answers over the strength: at × ${at} ${say}${
    turn > 0 ? `; it turns at × ${factors[turn].toFixed(1)}` : ''
  }">
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
      <line class="now" x1=${x(at)} x2=${x(at)} y1="0" y2=${HEIGHT}></line>
      ${of.map(({ shares }, i) => svg`<polyline class=${i ? 'second' : 'first'} points=${line(shares)}></polyline>`)}
    </svg>
    <span class="first">${words[first.id]} <b>${formatShare(first.shares[near])}</b></span>
    <span class="second">${words[second.id]} <b>${formatShare(second.shares[near])}</b></span></div>`;
}
