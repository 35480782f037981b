// The attention of the selected head as arcs over the sentence.

import { html } from 'lit-html';
import { attentionName } from '../../engine/plan.js';
import { weightsAt } from '../shared/weights.js';
import * as view from './view.js';

/** @typedef {import('./view.js').Arc} Arc */

const LEAST_OF_ROW = 0.1; // a thinner one says nothing
const LEAST_OF_OTHERS = 0.25;
const LONGEST = 64; // words: more never stand on one line

/** @type {import('../index.js').Panel<import('./view.js').ArcsData>} */
export const arcs = {
  name: 'arcs',
  slot: 'input',
  isFirst: true,
  showsTyping: true, // an unknown word moves the others
  section: html`<div id="arcs" class="arcs" aria-hidden="true" hidden></div>`,
  required: ({
    state: {
      selection: { kind, layer },
    },
  }) => [attentionName(kind, layer, 'weights')],
  present({ result, state }) {
    const now = weightsAt(result, state);
    if (!now) return result.plan.settings.heads ? undefined : null;
    const { stack, columnStack, rowWords, columnWords } = now;
    const isSelf = stack === columnStack;
    // A generated target shows what the decoder wrote; it read the word before, so every arc would be off by one.
    const isShifted = isSelf && result.plan.tokens[stack]?.predicted;
    if (isShifted || now.row < 0 || now.key < 0 || Math.max(rowWords.length, columnWords.length) > LONGEST) return null;
    return { rows: stack, keys: columnStack, arcs: arcsOf(now), isOff: isOff(result, now) };
  },
  create: (root) => view.create(root),
};

/**
 * The selected cell's arc, the others of its row, and of every other row the strongest.
 * @param {NonNullable<ReturnType<typeof weightsAt>>} now
 * @returns {Arc[]}
 */
function arcsOf({ data, row, key, rowWords, columnWords, stack, columnStack }) {
  /** @type {Arc[]} */
  const all = [{ row, key, weight: data[row * columnWords.length + key], part: 'selected' }];
  for (let each = 0; each < rowWords.length; each++) {
    const weights = [...data.subarray(each * columnWords.length, (each + 1) * columnWords.length)];
    const most = Math.max(...weights);
    weights.forEach((weight, column) => {
      if (stack === columnStack && column === each) return;
      if (each === row && column !== key && weight >= LEAST_OF_ROW) all.push({ row, key: column, weight, part: 'row' });
      if (each !== row && weight === most && weight >= LEAST_OF_OTHERS)
        all.push({ row: each, key: column, weight, part: 'other' });
    });
  }
  return all;
}

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {{selection: import('../../app/schema.js').Selection}} shown
 */
function isOff({ plan: { interventions } }, { selection: { kind, layer, head, mean } }) {
  return (
    !mean &&
    interventions.some(
      (each) => each.what === 'head' && !each.to && each.kind === kind && each.layer === layer && each.head === head,
    )
  );
}
