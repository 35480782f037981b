// Why: the computation of one weight, from query and key to the head's share of the layer's output.

import { createFold } from '../../export/fold.js';
import { headsOff, temperatureOf } from '../../engine/interventions.js';
import { attentionKinds, attentionPath } from '../../engine/plan.js';
import * as view from './view.js';
import { selectedIn } from '../shared/words.js';
import { section } from './section.js';

/** @typedef {Awaited<ReturnType<typeof import('./derived.js').headShare>>} Share */

/**
 * @param {import('../../app/schema.js').Selection} selection
 * @param {number} row the cursor's; the derived answers for the last if it is beyond
 */
const shareName = ({ kind, layer, head }, row) => `@head-share/${attentionPath(kind, layer)}/${head}/${row}`;

/** @type {import('../index.js').Panel<import('./view.js').ComputationData>} */
export const computation = {
  name: 'computation',
  slot: 'why',
  nodes: ['attention'],
  isAside: true,
  section,
  required: ({ state: { selection, cursor } }) => [
    ...['query', 'key', 'value'].map((name) => `${attentionPath(selection.kind, selection.layer)}.${name}`),
    shareName(selection, cursor?.row ?? 0),
  ],
  present({ result, state, scheme }) {
    const { selection, kind, title, rowWords, columnWords, row, key } = selectedIn(result, state);
    const { layer, head, mean } = selection;
    const { settings } = result.plan;
    /** @type {Share | undefined} */
    const share = result.derived.get(shareName(selection, state.cursor.row));
    const size = settings.d_model / settings.heads;
    const hasKinds = attentionKinds(settings).length > 1;
    /** @param {string} name @param {number} length of the sequence @param {number} at */
    const vector = (name, length, at) =>
      result.tensors
        .get(`${attentionPath(kind, layer)}.${name}`)
        ?.data.slice((head * length + at) * size, (head * length + at + 1) * size);
    const query = vector('query', rowWords.length, row);
    const keyVector = vector('key', columnWords.length, key);
    const value = vector('value', columnWords.length, key);
    if (!share || !query || !keyVector || !value) return undefined;
    return {
      ...share,
      title: `${title}, layer ${layer + 1}, head ${head + 1} of ${settings.heads}`,
      where: `${hasKinds ? `${title.toLowerCase()}, ` : ''}layer ${layer + 1}, head ${head + 1}`,
      mean: Boolean(mean),
      row,
      column: key,
      rowWord: rowWords[row],
      columnWords,
      query,
      key: keyVector,
      value,
      head,
      set: result.plan.interventions.some(
        (each) => each.what === 'head' && each.kind === kind && each.layer === layer && each.head === head,
      ),
      place: `${kind} ${layer}`,
      off: headsOff(result.plan.interventions, kind, layer),
      scale: settings.scoreScale ? Math.sqrt(size) : 1,
      temperature: temperatureOf(result.plan.interventions),
      scheme,
    };
  },
  create: (root) =>
    view.create(root, (place) =>
      createFold(place, 'All numbers', async (body) => (await import('../late.js')).createNumbers(body)),
    ),
};
