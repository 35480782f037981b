// The FFN of the selected layer.

import { ffnName } from '../plan.js';
import * as view from '../views/ffn.js';
import { lookedAt } from '../words.js';

/** @type {import('./index.js').Panel<import('../views/ffn.js').FfnData>} */
export const ffn = {
  name: 'ffn',
  part: 'ffn',
  wants: ({ settings }, { selection: { kind, layer }, ffnQuantity }) => (settings.d_ff > 0 ? [ffnName(kind, layer, ffnQuantity)] : []),
  present(picture, state, scheme) {
    const { d_ff } = picture.plan.settings;
    const { selection: { layer }, kind, stack, rowWords, row } = lookedAt(picture, state);
    const tensor = picture.tensors.get(ffnName(kind, layer, state.ffnQuantity));
    return d_ff === 0 ? null : tensor && {
      title: `${stack === 'encoder' ? 'Encoder' : 'Decoder'}, layer ${layer + 1}`, quantity: state.ffnQuantity,
      words: rowWords, neurons: d_ff, data: tensor.data, scheme, cursor: { row, column: Math.min(state.cursor.neuron, d_ff - 1) },
    };
  },
  create: (root, { set, moveCursor }) => view.create(root, {
    onCursor: ({ row, column }) => moveCursor({ row, neuron: column }),
    onQuantity: ffnQuantity => set({ ffnQuantity }),
  }),
};
