// The card of the chosen feature: sentences in which it fires, what it detects, what it writes, what it comes from.

import { html, nothing } from 'lit-html';
import { bar } from '../../draw/bars.js';
import { tableOf } from '../../draw/figure.js';
import { formatShare, shortValue } from '../../draw/numbers.js';
import { gapBefore, sentenceOf } from '../../draw/sentence.js';
import { figure } from '../../kit/figure.js';
import { factorAt, foundIn, nameOf, ofFeature, placeLabel } from '../shared/dictionary.js';
import { isNameless } from '../shared/telling-feature.js';
import { tinted } from '../shared/tinted.js';
import { visibleWords } from '../shared/words.js';
import style from './feature-card.css';

/**
 * @typedef {import('../derived/features.js').FeatureAnswer} FeatureAnswer
 * @typedef {NonNullable<ReturnType<typeof foundIn>>} Now
 */

const [BEFORE, AFTER] = [6, 4]; // words

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

/** @param {string} label @param {unknown} body */
const line = (label, body) =>
  html`<div class="feature-row"><span class="why-label">${label}</span><div>${body}</div></div>`;

/**
 * @param {FeatureAnswer} card @param {import('../shared/dictionary.js').Score} score
 * @param {{vocabulary: string[], output: string[]}} words
 */
function rows(card, score, { vocabulary, output }) {
  const most = Math.max(...card.examples.map(({ value }) => value), 1e-9);
  const size = Math.max(...[...card.more, ...card.less].map(({ nats }) => Math.abs(nats)), 1e-9);
  const said = (/** @type {string} */ title, /** @type {FeatureAnswer['more']} */ list) => html`<div>
    <span class="why-label">${title}</span><ul>${list.map(
      ({ id, nats }) => html`<li><bdi>${output[id]}</bdi>${bar(Math.abs(nats) / size)}</li>`,
    )}</ul></div>`;
  return html`${line(
    'fires in',
    html`<ul class="feature-examples">${card.examples.map(
      (each) => html`<li><bdi>${inContext(each, vocabulary, most)}</bdi>
        ${each.isRight || isNameless(score) ? nothing : html`<i>does not fit</i>`}
        <b class="number">${shortValue(each.value)}</b></li>`,
    )}</ul>`,
  )}
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
  ${
    card.more.length + card.less.length
      ? line(
          'writes',
          html`<div class="why-words">${said('more likely', card.more)}${said('less likely', card.less)}</div>`,
        )
      : nothing
  }
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

/**
 * A sentence with the token in the colour of its strength.
 * @param {import('../derived/features.js').Example} example @param {string[]} vocabulary @param {number} most
 */
function inContext({ ids, token, value }, vocabulary, most) {
  const words = ids.map((id) => vocabulary[id] ?? String(id));
  const before = words.slice(Math.max(0, token - BEFORE), token);
  const after = words.slice(token + 1, token + 1 + AFTER);
  const isSpaced = words.some((each) => each.startsWith('␣'));
  const text = (/** @type {string[]} */ list) =>
    isSpaced ? list.join('').replaceAll('␣', ' ') : sentenceOf(list).replaceAll(' ##', '');
  const gap = (/** @type {string | undefined} */ each) =>
    isSpaced ? (each?.startsWith('␣') ? ' ' : '') : each?.startsWith('##') ? '' : gapBefore(each);
  return html`${token > BEFORE ? '… ' : ''}${text(before)}${gap(words[token])}<mark
    .style=${`--fires: ${Math.round((100 * value) / most)}%`}>${words[token].replace(/^(␣|##)(?=.)/, '')}</mark>${gap(
      after[0],
    )}${text(after).trimStart()}${words.length > token + 1 + AFTER ? ' …' : ''}`;
}
