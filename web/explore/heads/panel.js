// All heads: the weights of every layer of every kind of attention.

import { wordOf } from '../../engine/interventions.js';
import { attentionKinds, attentionName } from '../../engine/plan.js';
import * as view from './view.js';
import { coloursOf, lookedAt, wordsOf } from '../shared/words.js';

/** @param {import('../../app/schema.js').Settings} settings */
const places = (settings) =>
  attentionKinds(settings).flatMap(({ kind, title }) =>
    Array.from({ length: settings.layers }, (_, layer) => ({
      kind,
      title,
      layer,
      name: attentionName(kind, layer, 'weights'),
    })),
  );

/** @type {import('../index.js').Panel<import('./view.js').HeadsData>} */
export const heads = {
  name: 'heads',
  part: 'attention',
  wants: ({ settings }) => places(settings).map(({ name }) => name),
  present(picture, state, scheme) {
    const layers = [];
    for (const { kind, title, layer, name } of places(picture.plan.settings)) {
      const tensor = picture.tensors.get(name);
      if (!tensor) return undefined;
      const {
        data,
        shape: [, count, rows, columns],
      } = tensor;
      const marks = Array.from({ length: count }, (_, head) => {
        const change = state.changes.find(
          (each) => each.what === 'head' && each.kind === kind && each.layer === layer && each.head === head,
        );
        return change && 'to' in change ? wordOf(change.to) : null;
      });
      layers.push({
        marks,
        kind,
        kindTitle: title,
        layer,
        heads: count,
        rows,
        columns,
        data,
        hidden: picture.hidden[kind],
        ...wordsOf(picture, kind),
      });
    }
    return { layers, selected: lookedAt(picture, state).selection, colours: coloursOf(picture, state), scheme };
  },
  create: (root, { set }) =>
    view.create(root, {
      onSelect: (place) => set({ selection: /** @type {import('../../app/schema.js').Selection} */ (place) }),
    }),
};
