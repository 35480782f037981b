// Why the likeliest token has its probability: the last vector times the token's row of the output table, and the
// softmax among its competitors.

import { html, nothing } from 'lit-html';
import { bar } from '../../draw/bars.js';
import { inlineMath, letter, sub } from '../../draw/math.js';
import { equation } from '../../draw/equation.js';
import { formatShare, shortValue } from '../../draw/numbers.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { visible } from '../../kit/letters.js';
import { logitsOfRow, probabilitiesOfRow } from '../shared/answer-row.js';
import { nodeWhy } from '../shared/node-why.js';
import { descending } from '../shared/order.js';
import { big, wordIn } from '../../draw/why.js';
import { productRow } from '../../draw/why-rows.js';
import { placeIn } from '../shared/words.js';

const LISTED = 5;

/** @param {Pick<import('../index.js').State, 'cursor'>} state */
const whyName = ({ cursor }) => `@why-logit/${cursor.row}`;

export const logitWhy = nodeWhy(
  'logit-why',
  ({ plan, state }) => (plan.hasLogits ? ['logits', PROBABILITIES, whyName(/** @type {any} */ (state))] : []),
  ({ result, state, modelInfo }) => {
    const { plan, derived } = result;
    if (!plan.hasLogits) return null;
    const { at, words } = placeIn(result, state, plan.tokens.decoder ? 'decoder' : 'encoder');
    /** @type {import('../derived/why.js').LogitWhy | {absent: true} | undefined} */
    const why = derived.get(whyName(state));
    if (why && 'absent' in why) return null;
    const [logits, probabilities] = [logitsOfRow(result, at), probabilitiesOfRow(result, at)];
    if (!why || !logits || !probabilities || modelInfo?.name !== plan.model) return undefined;
    const { word } = why;
    const { outputVocabulary: vocabulary, config } = modelInfo;
    const said = (/** @type {number} */ id) => visible(vocabulary[id]);
    const answer = wordIn(said(word), 'key', {});
    const read = wordIn(words[at], 'query', { row: at });
    const share = formatShare(probabilities[word]);
    const list = [...descending(probabilities, vocabulary.length, 0).subarray(0, LISTED)];
    const printed = printedOf(list, logits, probabilities);
    const x = config.headTransform === true ? ['transform', '(', letter('x', 'query'), ')'] : [letter('x', 'query')];
    return {
      of: `${plan.model} ${words}`,
      at: `${said(word)} at ${words[at]}, ${at}`,
      numbers: [logits[word], share],
      title: `Why ${share}?`,
      formula: inlineMath(
        ...['softmax', '(', ...x, '·', sub(letter('E', 'key'), 'w')],
        ...(why.bias === null ? [')'] : ['+', sub('b', 'w'), ')']),
      ),
      line: html`${plan.tokens.decoder ? 'After' : 'At'} ${read}, ${answer} has the largest logit of all
        ${vocabulary.length.toLocaleString('en')} tokens.`,
      rows: [
        productRow({
          label: 'logit',
          query: {
            label: html`vector of ${read}${config.headScale === true ? ` ÷ √${why.x.length}` : ''}`,
            vector: why.x,
          },
          key: { label: html`row of ${answer}`, vector: why.key },
          value: logits[word],
          shown: list[0] === word ? printed.logits[0] : undefined,
          note: why.bias === null ? 'its logit' : `its logit, with the bias ${shortValue(why.bias)}`,
        }),
        softmaxRow({ word, list, printed, probabilities, said, vocabulary }),
      ],
    };
  },
);

/**
 * The logits of the likeliest, the lead of the first and how much likelier it is than the second, as they are printed.
 * @param {number[]} list @param {Float32Array} logits @param {Float32Array} probabilities
 */
function printedOf(list, logits, probabilities) {
  const [first, second] = list;
  /** @type {import('../../draw/equation.js').Step[]} */
  const steps =
    second === undefined
      ? []
      : [
          { value: logits[first] - logits[second], from: ([a, b]) => a - b },
          {
            value: probabilities[first] / probabilities[second],
            from: (known) => Math.exp(known[list.length]),
            isShort: true,
          },
        ];
  const { operands, results } = equation(
    list.map((id) => logits[id]),
    steps,
  );
  return { logits: operands, lead: results[0], times: results[1] };
}

/**
 * The likeliest among the next ones.
 * @param {{
 *   word: number, list: number[], printed: ReturnType<typeof printedOf>, probabilities: Float32Array,
 *   said: (id: number) => string, vocabulary: readonly string[],
 * }} data
 * @returns {import('../../draw/why-rows.js').Row}
 */
function softmaxRow({ word, list, printed, probabilities, said, vocabulary }) {
  const [, second] = list;
  const left = vocabulary.length - list.length;
  const rest = Math.max(0, 1 - list.reduce((so, id) => so + probabilities[id], 0));
  const here = (/** @type {number} */ id) => (id === word ? 'key' : '');
  const share = formatShare(probabilities[word]);
  const content = html`<span class="why-label">softmax</span><ul class="why-rivals">
    ${list.map(
      (id, i) => html`<li class=${here(id) && 'here'}>${wordIn(said(id), here(id), {})}
        <span>${printed.logits[i]}</span>${bar(probabilities[id])}
        <span>${formatShare(probabilities[id])}</span></li>`,
    )}
    ${
      left
        ? html`<li><span class="why-rest">${left.toLocaleString('en')} others</span>${bar(rest)}
          <span>${formatShare(rest)}</span></li>`
        : nothing
    }</ul>`;
  const note =
    second === undefined
      ? ''
      : html`${printed.times} times ${wordIn(said(second), '', {})}: it leads by ${printed.lead}`;
  return { label: 'softmax', show: () => ({ name: 'softmax', content, number: big(share), note }) };
}
