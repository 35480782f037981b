// All heads: the weights of every layer of every kind of attention.

import { html } from 'lit-html';
import { valueLabel } from '../../engine/interventions.js';
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
  slot: 'rail',
  section: html`
    <section class="panel heads-panel" aria-labelledby="heads-title">
      <h2 id="heads-title">All heads</h2>
      <div id="heads"></div>
    </section>`,
  required: ({ plan: { settings } }) => places(settings).map(({ name }) => name),
  present({ result, state, scheme }) {
    const layers = [];
    for (const { kind, title, layer, name } of places(result.plan.settings)) {
      const tensor = result.tensors.get(name);
      if (!tensor) return undefined;
      const {
        data,
        shape: [, count, rows, columns],
      } = tensor;
      const marks = Array.from({ length: count }, (_, head) => {
        const change = state.interventions.find(
          (each) => each.what === 'head' && each.kind === kind && each.layer === layer && each.head === head,
        );
        return change && 'to' in change ? valueLabel(change.to) : null;
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
        hidden: result.hidden[kind],
        ...wordsOf(result, kind),
      });
    }
    return { layers, selected: lookedAt(result, state).selection, colours: coloursOf(result, state), scheme };
  },
  create: (root, { set }) =>
    view.create(root, {
      onSelect: (place) => set({ selection: /** @type {import('../../app/schema.js').Selection} */ (place) }),
    }),
};
