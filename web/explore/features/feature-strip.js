// Every neuron of the model and every feature at the picked word, each switched off alone there: what is left of the
// answer, on one axis.

import { html } from 'lit-html';
import { tableOf } from '../../draw/figure.js';
import { formatShare } from '../../draw/numbers.js';
import { figure } from '../../kit/figure.js';
import { isOfFeature } from '../../engine/interventions.js';
import { foundIn, nameOf, placeOf } from '../shared/dictionary.js';
import { visibleWords } from '../shared/words.js';
import style from './feature-strip.css';

/**
 * @typedef {import('../derived/features.js').Strip} Strip
 * @typedef {import('../derived/features.js').Off} Off
 */

const BINS = 100; // of the axis

/** @param {Pick<import('../index.js').State, 'selection'> & Partial<import('../index.js').State>} state */
const stripName = (state) => `@feature-strip/${placeOf(state).name}/${state.cursor?.row ?? 0}`;

/** @type {import('../index.js').Feature} */
export const featureStrip = {
  name: 'feature-strip',
  style,
  needs: ({ state }) =>
    state.ready?.includes(placeOf(state).name) && state.interventions?.some(isOfFeature) ? [stripName(state)] : [],
  render({ result, state, modelInfo }, { get, set }) {
    const now = foundIn(result, state);
    if (!now || !state.interventions.some(isOfFeature)) return null;
    /** @type {Strip | {absent: true} | undefined} */
    const strip = result.derived.get(stripName(state));
    if (!strip || 'absent' in strip) return strip ? null : undefined;
    const words = visibleWords([...(modelInfo?.outputVocabulary ?? [])]);
    const { answer, row, feature, words: tokens } = now;
    const name = (/** @type {Off} */ { index }) => nameOf(answer.scores[index], index);
    const pick = (/** @type {number} */ index) => set({ cursor: { ...get().cursor, feature: index } });
    const best = strip.neurons.reduce((a, b) => (b.left < a.left ? b : a), strip.neurons[0]);
    const tables = () => [
      tableOf(
        `What is left of ${words[strip.id]}`,
        ['probability'],
        [
          ...strip.features.map((each) => /** @type {[string, number]} */ ([name(each), each.left])),
          ...strip.neurons.map(
            ({ layer, index, left }) => /** @type {[string, number]} */ ([`layer ${layer + 1}, neuron ${index}`, left]),
          ),
        ],
      ),
    ];
    const at = html`<bdi class="is-query">${tokens[row]}</bdi>`;
    const first = (/** @type {Off} */ { id, share, left }) =>
      id === strip.id
        ? html`still ${words[id]} <b>${formatShare(left)}</b>`
        : html`<b class="turned">${words[id]} ${formatShare(share)}</b>`;
    return html`<section class="panel picture feature-strip-panel" aria-labelledby="feature-strip-title">
      <h2 id="feature-strip-title">${titleOf(strip)}</h2>
      <div id="feature-strip" ${figure({ name: titleOf(strip), tables })}>
        <p class="hint">What is left of <bdi>${words[strip.id]}</bdi> (${formatShare(strip.share)}) when one part is
          switched off at ${at} alone, each dot one part</p>
        <div class="strip">
          <p class="strip-label"><b>One of all ${strip.neurons.length} neurons</b></p>
          <div class="strip-line" role="img" aria-label="Best of all neurons: neuron ${best.index} of layer ${
            best.layer + 1
          }, ${words[best.id]} ${formatShare(best.share)}">${heap(strip.neurons)}
            <span class="strip-said" .style=${place(best.left)}>best: ${first(best)}</span></div>
          <p class="strip-label"><b>One of the ${strip.features.length} features at</b> ${at}</p>
          <div class="strip-line">${strip.features.map(
            (each) => html`<button type="button" class="head strip-dot ${each.id === strip.id ? '' : 'turned'}"
              aria-pressed=${each.index === feature} .style=${place(each.left)} @click=${() => pick(each.index)}
              aria-label="${name(each)} off: ${words[each.id]} ${formatShare(each.share)}, ${
                words[strip.id]
              } ${formatShare(each.left)}" title=${name(each)}></button>`,
          )}${said(strip, name, first)}</div>
          <div class="strip-axis" aria-hidden="true">${[0.9, 0.6, 0.3, 0].map(
            (share) => html`<span .style=${place(share)}>${formatShare(share)}</span>`,
          )}</div>
        </div></div></section>`;
  },
};

/** The place of a share on the axis, the whole at the left. @param {number} share */
const place = (share) => `inset-inline-start: ${(100 * (1 - share)).toFixed(2)}%`;

const turns = (/** @type {Off[]} */ all, /** @type {number} */ id) => all.filter((each) => each.id !== id).length;

/** As many as there are. @param {Strip} strip */
function titleOf({ id, neurons, features }) {
  const [ofNeurons, ofFeatures] = [neurons, features].map((all) => turns(all, id));
  const word = (/** @type {number} */ count, /** @type {string} */ noun) =>
    count === 0 ? `No ${noun}` : count === 1 ? `One ${noun}` : `${count} ${noun}s`;
  const turn = (/** @type {number} */ count) => (count > 1 ? 'turn' : 'turns');
  const verb = (/** @type {number} */ count) => (count > 1 ? 'do' : 'does');
  return ofNeurons === 0 && ofFeatures === 0
    ? 'Neither a neuron nor a feature turns this answer alone.'
    : `${word(ofNeurons, 'neuron')} ${turn(ofNeurons)} this answer. ` +
        `${word(ofFeatures, 'feature')} ${verb(ofFeatures)}.`;
}

/** Dots of equal places stand on one another. @param {Off[]} all */
function heap(all) {
  /** @type {Map<number, number>} */
  const heights = new Map();
  return all.map(({ left }) => {
    const bin = Math.round(left * BINS);
    const height = heights.get(bin) ?? 0;
    heights.set(bin, height + 1);
    return html`<i .style=${`${place(bin / BINS)}; --height: ${height}`}></i>`;
  });
}

/**
 * The answers of the two features that matter most.
 * @param {Strip} strip @param {(each: Off) => string} name @param {(each: Off) => unknown} first
 */
function said({ features, share }, name, first) {
  const most = features.toSorted((a, b) => a.left - b.left).filter(({ left }) => left < share - 0.1);
  return most.slice(0, 2).map(
    (each, i) =>
      html`<span class="strip-said ${i ? 'above' : ''}" .style=${place(each.left)}>${name(each)}:
          ${first(each)}</span>`,
  );
}
