// Lists the tokens of the text: each token's position, word and id, in a table for each stack.

import { html, nothing } from 'lit-html';
import { MOST_ROWS, cells, firstOf, headRow, scrolled } from '../../draw/table.js';
import { reveal } from '../../kit/figure.js';
import { unitOf } from '../../models/catalogue.js';
import { partOf, placeIn, visibleWords } from '../shared/words.js';
import style from './words.css';

/** @typedef {import('../../engine/plan.js').Stack} Stack */

/** @type {import('../index.js').Feature} */
export const words = {
  name: 'words',
  style,
  render(context) {
    const { plan } = context.result;
    if (plan.model !== (context.modelInfo?.name ?? null)) return undefined; // another one has been chosen
    const stacks = /** @type {Stack[]} */ (['encoder', 'decoder']).filter((stack) => plan.tokens[stack]);
    return panel(
      plan,
      stacks.map((stack) => table(stack, context)),
    );
  },
  blank: ({ plan }) => panel(plan, html`<p class="map-empty">No tokens, so no numbers.</p>`),
};

/** @param {import('../../engine/plan.js').Plan} plan @param {unknown} body */
const panel = ({ model }, body) => html`
  <section class="panel picture" aria-labelledby="words-title">
    <h2 id="words-title">${unitOf(model) === 'word' ? 'Words' : 'Tokens'}</h2>
    <div id="words">${body}</div>
    <p class="hint">The tokenizer cuts the text into tokens; each is a number: its row in the embedding matrix.</p>
  </section>`;

/** @param {Stack} stack @param {import('../index.js').Context} context */
function table(stack, { result, state, modelInfo }) {
  const { at, words: read, names, ids } = placeIn(result, state, stack);
  const part = partOf(result, state, stack);
  const { encoder, decoder } = result.plan.tokens;
  const own = (stack === 'decoder' && modelInfo?.targetVocabulary) || modelInfo?.vocabulary;
  const known = own?.length ? visibleWords(ids.map((id) => own[id])) : read;
  const isOther = known.some((word, i) => word !== read[i]);
  const isOnly = !encoder || !decoder;
  const title = isOnly ? 'Tokens' : stack === 'encoder' ? 'Source tokens' : 'Target tokens';
  const from = firstOf(at, ids.length);
  return html`<div ${reveal(at)}>${scrolled(
    title,
    html`<table class="sticky-head">
    ${
      isOnly && ids.length <= MOST_ROWS
        ? nothing
        : html`<caption>${title}${names === read ? '' : ', as the decoder reads them'}${
            ids.length > MOST_ROWS ? `: ${MOST_ROWS} of ${ids.length}` : ''
          }</caption>`
    }
    ${headRow('position', 'word', 'id', ...(isOther ? ['in the vocabulary'] : []))}
    <tbody>${ids.slice(from, from + MOST_ROWS).map(
      (id, i) => html`<tr data-row=${part === 'row' ? from + i : nothing}
        data-key=${part === 'key' ? from + i : nothing} class=${from + i === at ? 'here' : ''}>
      <th scope="row">${from + i}</th>
      ${cells(html`<bdi>${read[from + i]}</bdi>`, id, ...(isOther ? [html`<bdi>${known[from + i]}</bdi>`] : []))}</tr>`,
    )}</tbody></table>`,
  )}</div>`;
}
