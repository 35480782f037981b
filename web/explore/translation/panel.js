// What an encoder-decoder wrote, as a line to read.

import { html } from 'lit-html';
import { entryOf } from '../../models/catalogue.js';
import * as view from './view.js';
import { visibleWords } from '../shared/words.js';

/** @type {import('../index.js').Panel<import('./view.js').WrittenData>} */
export const translation = {
  name: 'translation',
  slot: 'input',
  section: html`<div id="translation" hidden></div>`,
  present({ result, state }) {
    const { decoder } = result.plan.tokens;
    return decoder?.predicted
      ? { words: visibleWords(decoder.predicted.words), joint: entryOf(state.model)?.joint }
      : null;
  },
  create: (root) => view.create(root),
};
