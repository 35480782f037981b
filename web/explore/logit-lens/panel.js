// What the model would already answer after each layer.

import { chooseToken } from '../shared/cursor.js';
import { placeIn } from '../shared/place.js';
import { visible } from '../../engine/tokens.js';
import * as view from './view.js';

/** @type {import('../index.js').Panel<import('./view.js').LensData>} */
export const lens = {
  name: 'lens',
  part: 'output',
  wants: ({ model }) => (model ? ['@lens'] : []),
  present(picture, state, scheme, known) {
    if (!picture.plan.model) return null;
    const made = /** @type {import('./derived.js').Lens | {absent: true} | undefined} */ (picture.lab.get('@lens'));
    if (!made || known?.name !== picture.plan.model) return undefined;
    if ('absent' in made) return null;
    const { at, words } = placeIn(picture, state, made.stack);
    const vocabulary = known.targetVocabulary ?? known.vocabulary;
    return {
      ...made,
      after: made.stack === 'decoder',
      words,
      row: at,
      scheme,
      wordOf: (id) => visible(vocabulary[id]),
    };
  },
  create: (root, { get, set, picture }) =>
    view.create(root, {
      onRow(row) {
        const made = /** @type {import('./derived.js').Lens | undefined} */ (picture()?.lab.get('@lens'));
        if (made) set(chooseToken(get(), made.stack, row));
      },
    }),
};
