// The translation as a line to read.

import * as view from './view.js';
import { visibleWords } from '../shared/words.js';

/** @type {import('../index.js').Panel<{words: readonly string[]}>} */
export const translation = {
  name: 'translation',
  part: 'output',
  wants: () => [],
  present({
    plan: {
      tokens: { decoder },
    },
  }) {
    return decoder?.predicted ? { words: visibleWords(decoder.predicted.words) } : null;
  },
  create: (root) => view.create(root),
};
