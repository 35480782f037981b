import { NAMED, indexOfLargest } from '../shared/explore.js';
import { largestNeuron, layerModel, numbered, ofAttention } from '../shared/layer.js';
import { range } from '../shared/picture.js';
import { EDITED, HEADS, drawn } from './claim.js';

/** @type {import('../shared/explore.js').OwnModel} */
export const ownModel = {
  isTrained: false,
  where: 'the sublayer at the row that is changed',
  text: ({ sublayer }) => ({
    ...{ token: NAMED, joint: ' ', does: 'rows through one sublayer', node: sublayer === 'FFN' ? 'ffn' : 'attention' },
    goal: 'random rows x1 to x8 through the sublayer of the claim alone.',
    hint: 'It opens at the sixth row. The second text has y6 there instead: see which other rows change with it.',
  }),
  open: layerModel((_gf, { sublayer, seed }) => {
    const { x, edited, attention, network } = drawn(seed);
    const [count, width] = x.shape;
    const other = edited.data.slice(EDITED * width, (EDITED + 1) * width);
    const isNetwork = sublayer === 'FFN';
    const layer = isNetwork
      ? { config: { heads: 0, d_ff: 4 * width }, weights: network }
      : { config: { heads: HEADS }, weights: ofAttention(attention) };
    return {
      words: [...numbered('x', count), `y${EDITED + 1}`],
      table: { data: Float32Array.from([...x.data, ...other]), shape: [count + 1, width] },
      rows: [range(count), range(count).with(EDITED, count)],
      ...layer,
      where(weights, model) {
        if (isNetwork) return { row: EDITED, key: EDITED, neuron: largestNeuron(model, EDITED) };
        const each = range(HEADS).map((head) => weights.data[head * count * count + EDITED]);
        return { head: indexOfLargest(each), row: 0, key: EDITED };
      },
    };
  }),
};
