// What the model would already answer after each layer.

import { choosePlace } from '../shared/cursor.js';
import { placeIn } from '../shared/place.js';
import { visible } from '../../engine/tokens.js';
import * as view from './view.js';
import { partOf } from '../shared/words.js';
import { section } from './section.js';

/** @type {import('../index.js').Panel<import('./view.js').LensData>} */
export const lens = {
  name: 'logit-lens',
  slot: 'why',
  nodes: ['logits', 'probabilities'],
  section,
  required: ({ plan: { model } }) => (model ? ['@lens'] : []),
  present({ result, state, scheme, modelInfo }) {
    if (!result.plan.model || result.facts.part !== null) return null;
    const made = /** @type {import('./derived.js').Lens | {absent: true} | undefined} */ (result.derived.get('@lens'));
    if (!made || modelInfo?.name !== result.plan.model) return undefined;
    if ('absent' in made) return null;
    const { at, words } = placeIn(result, state, made.stack);
    const vocabulary = modelInfo.outputVocabulary;
    return {
      ...made,
      after: made.stack === 'decoder',
      bias: modelInfo.config.headBias !== false,
      transform: modelInfo.config.headTransform === true,
      words,
      row: at,
      part: partOf(result, state, made.stack),
      scheme,
      wordOf: (id) => visible(vocabulary[id]),
    };
  },
  create: (root, { get, set, result }) =>
    view.create(root, {
      onRow(row) {
        const made = /** @type {import('./derived.js').Lens | undefined} */ (result()?.derived.get('@lens'));
        if (made) set(choosePlace(get(), made.stack, row, result()));
      },
    }),
};
