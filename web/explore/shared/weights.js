// The weights that the large map can show: those of the selected head, or the mean of its layer.

import { meanOfHeads } from './mean.js';
import { attentionName } from '../../engine/plan.js';
import { selectedIn } from './words.js';

/**
 * @param {import('../../engine/results.js').Result} result
 * @param {import('../../app/schema.js').State} state
 * @returns {(ReturnType<typeof selectedIn> & {data: Float32Array}) | undefined} undefined: not here yet
 */
export function weightsAt(result, state) {
  const place = selectedIn(result, state);
  const {
    selection: { layer, head, mean },
    kind,
    rowWords,
    columnWords,
  } = place;
  const tensor = result.tensors.get(attentionName(kind, layer, 'weights'));
  const size = rowWords.length * columnWords.length;
  return (
    tensor && {
      ...place,
      data: mean ? meanOfHeads(tensor.data, size) : tensor.data.subarray(head * size, (head + 1) * size),
    }
  );
}
