// The translation as a line to read.

import { html } from 'lit-html';
import * as view from './view.js';
import { visibleWords } from '../shared/words.js';

/** @type {import('../index.js').Panel<{words: readonly string[]}>} */
export const translation = {
  name: 'translation',
  slot: 'input',
  section: html`<div id="translation" hidden></div>`,
  present({ result }) {
    const { decoder } = result.plan.tokens;
    return decoder?.predicted ? { words: visibleWords(decoder.predicted.words) } : null;
  },
  create: (root) => view.create(root),
};
