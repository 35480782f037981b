// The weights of the selected head, or of several of its layer, as lines from queries to keys.

import { brushed } from '../shared/brush.js';
import { headsOff } from '../../engine/interventions.js';
import { chooseRow } from '../shared/cursor.js';
import { moveCursor } from '../../app/schema.js';
import { attentionName } from '../../engine/plan.js';
import * as view from './view.js';
import { weightsAt } from '../shared/weights.js';

/** @type {import('../index.js').Panel<import('./view.js').LinesData>} */
export const lines = {
  name: 'lines',
  slot: 'attention',
  nodes: ['attention'],
  required: ({
    state: {
      selection: { kind, layer },
    },
  }) => [attentionName(kind, layer, 'weights')],
  present({ result, state, scheme }) {
    const now = weightsAt(result, state);
    if (!now) return undefined;
    const {
      selection: { kind, layer, head, mean },
      title,
      rowWords,
      columnWords,
      data,
      row,
      key,
    } = now;
    const { heads } = result.plan.settings;
    const several = chosen(state, heads);
    const size = rowWords.length * columnWords.length;
    const tensor = /** @type {import('../../engine/protocol.js').Tensor} */ (
      result.tensors.get(attentionName(kind, layer, 'weights'))
    );
    const which = several.length
      ? `head${several.length > 1 ? 's' : ''} ${several.map((each) => each + 1).join(', ')}`
      : mean
        ? 'mean of its heads'
        : `head ${head + 1}`;
    return {
      title: `${title}, layer ${layer + 1}, ${which}`,
      rowWords,
      columnWords,
      scheme,
      heads,
      hued: several.length > 0,
      shown: several.length
        ? several.map((each) => ({ head: each, data: tensor.data.subarray(each * size, (each + 1) * size) }))
        : [{ head: mean ? -1 : head, data }],
      cursor: { row, column: key },
      brush: state.brush.filter((each) => each < rowWords.length),
      place: `${kind} ${layer}`,
      differs: state.quantity !== 'weights',
      off: headsOff(state.interventions, kind, layer),
    };
  },
  create: (root, { get, set, plan, result, selection }) =>
    view.create(root, {
      onQuery: (row, how) => set({ ...chooseRow(get(), row, result()), brush: brushed(get(), row, how) }),
      onKey: (key) => set(moveCursor(get(), { key })),
      onCell: ({ row, column }) => set(moveCursor(get(), { row, key: column })),
      onHead(head) {
        const { head: selected, mean } = selection();
        const now = chosen(get(), plan().settings.heads);
        const before = now.length || mean ? now : [selected];
        const next = before.includes(head)
          ? before.filter((each) => each !== head)
          : [...before, head].sort((a, b) => a - b);
        set({ lineHeads: !mean && next.length === 1 && next[0] === selected ? [] : next });
      },
    }),
};

/**
 * The heads that are drawn in hues; none: the one of the map.
 * @param {import('../index.js').State} state
 * @param {number} heads
 */
const chosen = ({ lineHeads }, heads) =>
  lineHeads.filter((head) => Number.isInteger(head) && head >= 0 && head < heads);
