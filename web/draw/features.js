// The features of a dictionary at a word, as a list, and the rows of the card of one.

import { html, nothing } from 'lit-html';
import { bar } from './bars.js';
import { shortValue } from './numbers.js';
import { gapBefore, sentenceOf } from './sentence.js';

/**
 * A place where a feature fires; `note` says what is odd about it.
 * @typedef {{words: readonly string[], token: number, value: number, note?: string}} Example
 * @typedef {{id: number, nats: number}[]} Written change of the log-probability of words
 */

const [BEFORE, AFTER] = [6, 4]; // words

/** The place in words. @param {{layer: number, part: string}} place */
export const placeLabel = ({ layer, part }) =>
  part === 'ffn' ? `in layer ${layer + 1}’s FFN` : `after layer ${layer + 1}`;

/**
 * A button for each feature, the strongest first, with a bar and its strength, below a title of the place’s own level.
 * @param {{
 *   title: unknown, items: {feature: number, name: string, value: number, isOff: boolean}[], chosen: number,
 *   choose: (feature: number) => void,
 * }} list
 */
export function featureList({ title, items, chosen, choose }) {
  const most = items[0]?.value || 1;
  return html`<div class="feature-list">${title}
    <ul>${items.map(
      ({ feature, name, value, isOff }) => html`<li><button type="button" aria-pressed=${feature === chosen}
        @click=${() => choose(feature)}><span>${name}</span>${
          isOff ? html`<i class="feature-hollow"></i>` : bar(value / most)
        }<b class="number">${isOff ? 'off' : shortValue(value)}</b></button></li>`,
    )}</ul></div>`;
}

/** @param {unknown} label @param {unknown} body */
export const featureRow = (label, body) =>
  html`<div class="feature-row"><span class="why-label">${label}</span><div>${body}</div></div>`;

/** The places where a feature fires, in their sentences. @param {Example[]} examples */
export function firesIn(examples) {
  const most = Math.max(...examples.map(({ value }) => value), 1e-9);
  return featureRow(
    'fires in',
    html`<ul class="feature-examples">${examples.map(
      (each) => html`<li><bdi>${inContext(each, most)}</bdi>
        ${each.note ? html`<i>${each.note}</i>` : nothing}
        <b class="number">${shortValue(each.value)}</b></li>`,
    )}</ul>`,
  );
}

/**
 * The words that a feature makes likelier and less likely; nothing, if it moves none.
 * @param {{label?: unknown, more: Written, less: Written, wordOf: (id: number) => string}} of
 */
export function writesRow({ label = 'writes', more, less, wordOf }) {
  if (!more.length && !less.length) return nothing;
  const size = Math.max(...[...more, ...less].map(({ nats }) => Math.abs(nats)), 1e-9);
  const list = (/** @type {string} */ title, /** @type {Written} */ words) => html`<div>
    <span class="why-label">${title}</span><ul>${words.map(
      ({ id, nats }) => html`<li><bdi>${wordOf(id)}</bdi>${bar(Math.abs(nats) / size)}</li>`,
    )}</ul></div>`;
  return featureRow(label, html`<div class="why-words">${list('more likely', more)}${list('less likely', less)}</div>`);
}

/** A sentence with the token in the colour of its strength. @param {Example} example @param {number} most */
function inContext({ words, token, value }, most) {
  const before = words.slice(Math.max(0, token - BEFORE), token);
  const after = words.slice(token + 1, token + 1 + AFTER);
  const isSpaced = words.some((each) => each.startsWith('␣'));
  const text = (/** @type {readonly string[]} */ list) =>
    isSpaced ? list.join('').replaceAll('␣', ' ') : sentenceOf(list).replaceAll(' ##', '');
  const gap = (/** @type {string | undefined} */ each) =>
    isSpaced ? (each?.startsWith('␣') ? ' ' : '') : each?.startsWith('##') ? '' : gapBefore(each);
  return html`${token > BEFORE ? '… ' : ''}${text(before)}${gap(words[token])}<mark
    .style=${`--fires: ${Math.round((100 * value) / most)}%`}>${words[token].replace(/^(␣|##)(?=.)/, '')}</mark>${gap(
      after[0],
    )}${text(after).trimStart()}${words.length > token + 1 + AFTER ? ' …' : ''}`;
}
