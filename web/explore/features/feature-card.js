// The card of the chosen feature: sentences in which it fires, what it detects, what it writes, what it comes from.

import { html, nothing } from 'lit-html';
import { featureRow as line, firesIn, placeLabel, writesRow } from '../../draw/features.js';
import { tableOf } from '../../draw/figure.js';
import { formatShare, shortValue } from '../../draw/numbers.js';
import { figure } from '../../kit/figure.js';
import { factorAt, foundIn, nameOf, ofFeature } from '../shared/dictionary.js';
import { isNameless } from '../shared/telling-feature.js';
import { tinted } from '../shared/tinted.js';
import { visibleWords } from '../shared/words.js';
import rowStyle from '../../draw/feature-rows.css';
import own from './feature-card.css';

/**
 * @typedef {import('../derived/features.js').FeatureAnswer} FeatureAnswer
 * @typedef {NonNullable<ReturnType<typeof foundIn>>} Now
 */

const style = rowStyle + own;

/** @type {import('../index.js').Feature} */
export const featureCard = {
  name: 'feature-card',
  style,
  needs: ({ state }) => ofFeature('feature', state),
  render({ result, state, modelInfo }, { get, set }) {
    const now = foundIn(result, state);
    if (!now) return null;
    const { answer, feature, here, words, row } = now;
    const score = answer.scores[feature];
    const title = nameOf(score, feature);
    /** @type {FeatureAnswer | {absent: true} | undefined} */
    const card = result.derived.get(ofFeature('feature', state)[0]);
    const vocabulary = visibleWords([...(modelInfo?.vocabulary ?? [])]);
    const output = visibleWords([...(modelInfo?.outputVocabulary ?? [])]);
    const go = (/** @type {number} */ by) => {
      const at = (here.indexOf(feature) + by + here.length) % here.length;
      set({ cursor: { ...get().cursor, feature: here[at] } });
    };
    const isHere = here.includes(feature);
    const tables = () => [
      tableOf(
        title,
        ['strength'],
        here.map((n) => [nameOf(answer.scores[n], n), answer.values[row * answer.size + n]]),
      ),
    ];
    // As strong as it is at each word with the reader's changes, and while a word is typed.
    const values = words.map(
      (_, at) => answer.values[at * answer.size + feature] * (factorAt(state, now, feature, at) ?? 1),
    );
    return html`<section class="panel why feature-panel" aria-labelledby="feature-card-title">
      <div id="feature-card" data-feature=${feature} ${figure({ name: title, tables })}
        ${tinted({ stack: /** @type {'encoder' | 'decoder'} */ (now.kind), values })}>
        <div class="feature-head"><div><h2 id="feature-card-title">${title[0].toUpperCase()}${title.slice(1)}</h2>
          <p class="hint">${
            isHere
              ? html`One of the ${here.length} features at <bdi class="is-query">${words[row]}</bdi>,
                  ${placeLabel(now)}`
              : html`Not active at <bdi class="is-query">${words[row]}</bdi>, ${placeLabel(now)}`
          }</p></div>
          <div class="buttons" role="group" aria-label="Features at ${words[row]}">
            <button type="button" aria-label="Feature before" ?disabled=${here.length < 2}
              @click=${() => go(-1)}>‹</button>
            <button type="button" aria-label="Next feature" ?disabled=${here.length < 2}
              @click=${() => go(1)}>›</button></div></div>
        ${card && !('absent' in card) ? rows(card, score, { vocabulary, output }) : html`<p class="hint">…</p>`}
      </div></section>`;
  },
};

/**
 * @param {FeatureAnswer} card @param {import('../shared/dictionary.js').Score} score
 * @param {{vocabulary: string[], output: string[]}} words
 */
function rows(card, score, { vocabulary, output }) {
  const examples = card.examples.map(({ ids, token, value, isRight }) => ({
    ...{ token, value, words: ids.map((id) => vocabulary[id] ?? String(id)) },
    note: isRight || isNameless(score) ? '' : 'does not fit',
  }));
  return html`${firesIn(examples)}
  ${line(
    'detects',
    isNameless(score)
      ? html`<p>No simple rule found${
          score ? html`: the best, F1 ${shortValue(score.f1)}, fits too loosely` : nothing
        }.</p>`
      : html`<p class="feature-detects"><strong data-number="f1">${shortValue(score?.f1 ?? 0)}</strong> F1 ·
          right <b>${formatShare(score?.precision ?? 0)}</b> of the times it fires · finds
          <b>${formatShare(score?.recall ?? 0)}</b></p>
          <p class="hint">${score?.right} of ${score?.fired} times in sentences that its training did not see; fires:
          ${shortValue(score?.threshold ?? 0)} or more</p>`,
  )}
  ${writesRow({ ...card, wordOf: (id) => output[id] })}
  ${
    card.value > 0
      ? line(
          'comes from',
          html`<ul class="feature-from">${card.from.map(
            ({ layer, head, value }) => html`<li>layer ${layer + 1}, ${head === null ? 'FFN' : `head ${head + 1}`}:
              without it ${shortValue(card.value)} → <b>${shortValue(value)}</b></li>`,
          )}</ul>`,
        )
      : nothing
  }`;
}
