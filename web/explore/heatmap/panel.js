// One head, large: weights or scores of the selected head, or the mean of its layer.

import { interventionLabel } from '../../engine/interventions.js';
import { meanOfHeads } from '../shared/mean.js';
import { attentionName } from '../../engine/plan.js';
import { unitOf } from '../../models/catalogue.js';
import { captionOf, captionOfSeveral } from './caption.js';
import { meanOver } from '../shared/brush.js';
import * as view from './view.js';
import { coloursOf, selectedIn } from '../shared/words.js';
import { heightOfMap } from '../shared/map-height.js';
import { openSteps } from '../shared/open-steps.js';
import { section } from './section.js';

/** @type {import('../index.js').Panel<import('./view.js').HeatmapData>} */
export const heatmap = {
  name: 'heatmap',
  isFirst: true,
  slot: 'main',
  nodes: ['attention'],
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
      stack,
      columnStack,
      rowWords,
      columnWords,
      row,
      key,
    } = selectedIn(result, state);
    const { tokens, settings, interventions } = result.plan;
    const { heads } = settings;
    const map = result.tensors.get(attentionName(kind, layer, state.quantity));
    const width = columnWords.length;
    const size = rowWords.length * width;
    if (!map) return undefined;
    const data = mean ? meanOfHeads(map.data, size) : map.data.subarray(head * size, (head + 1) * size);
    const hidden = result.hidden[kind];
    const writes = Boolean(tokens[stack]?.predicted);
    const rowAt = [row * width, (row + 1) * width];
    const brush = state.brush.filter((each) => each < rowWords.length);
    const isSeveral = brush.length > 0 && state.quantity === 'weights';
    return {
      title: `${title}, layer ${layer + 1}, ${mean ? `mean of ${heads} heads` : `head ${head + 1} of ${heads}`}`,
      mean: Boolean(mean),
      quantity: state.quantity,
      colours: coloursOf(state),
      rowWords,
      columnWords,
      scheme,
      hidden,
      caption: isSeveral
        ? captionOfSeveral({
            words: brush.map((each) => rowWords[each]),
            columnWords,
            means: meanOver(data, width, brush),
          })
        : captionOf({
            unit: unitOf(result.plan.model),
            word: rowWords[row],
            writes,
            columnWords,
            values: data.subarray(...rowAt),
            hidden: hidden.subarray(...rowAt),
            row: stack === columnStack && !writes ? row : -1,
            key,
            quantity: state.quantity,
            heads: mean ? heads : 0,
            off: interventions.some(
              (each) =>
                each.what === 'head' && !each.to && each.kind === kind && each.layer === layer && each.head === head,
            ),
          }),
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
      data,
      cursor: { row, column: key },
      brush,
    };
  },
  create: (root, { set, moveCursor, selection }) =>
    view.create(root, {
      onCursor: ({ row, column }) => moveCursor({ row, key: column }),
      onQuantity: (quantity) => set({ quantity }),
      onColours: (colours) => set({ colours }),
      onMean: (mean) => set({ selection: { ...selection(), mean } }),
      onOpen: openSteps,
      height: heightOfMap,
    }),
};
