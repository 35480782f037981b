// One head, large: weights or scores of the selected head, or the mean of its layer.

import { interventionLabel } from '../../engine/interventions.js';
import { meanOfHeads } from '../shared/mean.js';
import { attentionName } from '../../engine/plan.js';
import * as view from './view.js';
import { coloursOf, lookedAt } from '../shared/words.js';
import { section } from './section.js';

/** @type {import('../index.js').Panel<import('./view.js').HeatmapData>} */
export const heatmap = {
  name: 'heatmap',
  slot: 'bench',
  section,
  required: ({
    state: {
      selection: { kind, layer },
      quantity,
    },
  }) => [attentionName(kind, layer, quantity)],
  present({ result, state, scheme }) {
    const {
      selection: { layer, head, mean },
      kind,
      title,
      rowWords,
      columnWords,
      row,
      key,
    } = lookedAt(result, state);
    const { heads } = result.plan.settings;
    const map = result.tensors.get(attentionName(kind, layer, state.quantity));
    const size = rowWords.length * columnWords.length;
    return (
      map && {
        title: `${title}, layer ${layer + 1}, ${mean ? `mean of ${heads} heads` : `head ${head + 1} of ${heads}`}`,
        mean: Boolean(mean),
        quantity: state.quantity,
        colours: coloursOf(result, state),
        rowWords,
        columnWords,
        scheme,
        hidden: result.hidden[kind],
        layerData: map.data,
        marks: mean
          ? []
          : state.interventions.flatMap((change) =>
              change.what === 'cell' &&
              change.kind === kind &&
              change.layer === layer &&
              change.head === head &&
              change.row < rowWords.length &&
              change.key < columnWords.length
                ? [
                    {
                      row: change.row,
                      column: change.key,
                      text: interventionLabel(change, () => ({ rowWords, columnWords })),
                    },
                  ]
                : [],
            ),
        data: mean ? meanOfHeads(map.data, size) : map.data.subarray(head * size, (head + 1) * size),
        cursor: { row, column: key },
      }
    );
  },
  create: (root, { set, moveCursor, selection }) =>
    view.create(root, {
      onCursor: ({ row, column }) => moveCursor({ row, key: column }),
      onQuantity: (quantity) => set({ quantity }),
      onColours: (colours) => set({ colours }),
      onMean: (mean) => set({ selection: { ...selection(), mean } }),
    }),
};
