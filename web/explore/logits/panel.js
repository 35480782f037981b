// What the model answers at the pinned token: the likeliest words.

import { placeIn } from '../shared/place.js';
import { PROBABILITIES } from '../../engine/plan.js';
import { visible } from '../../engine/tokens.js';
import * as view from './view.js';

const TOP = 10;

/** @type {import('../index.js').Panel<import('./view.js').LogitsData>} */
export const logits = {
  name: 'logits',
  part: 'output',
  wants: ({ model }) => (model ? ['logits', PROBABILITIES] : []),
  present(picture, state, _, known) {
    const { model, tokens } = picture.plan;
    if (!model) return { absent: true };
    const scores = picture.tensors.get('logits');
    const probabilities = /** @type {import('../../engine/worker.js').Tensor | undefined} */ (
      picture.lab.get(PROBABILITIES)
    );
    if (!scores || !probabilities || known?.name !== model) return undefined;
    const { at, words } = placeIn(picture, state, tokens.decoder ? 'decoder' : 'encoder');
    const vocabulary = known.targetVocabulary ?? known.vocabulary;
    const from = at * vocabulary.length;
    const list = Array.from(probabilities.data.subarray(from, from + vocabulary.length), (probability, id) => ({
      id,
      probability,
    }))
      .sort((a, b) => b.probability - a.probability)
      .slice(0, TOP)
      .map(({ id, probability }) => ({ word: visible(vocabulary[id]), probability, logit: scores.data[from + id] }));
    return { word: words[at], after: tokens.decoder !== null, list };
  },
  create: (root) => view.create(root),
};
