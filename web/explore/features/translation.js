// What an encoder-decoder wrote, as a line to read.

import { html, nothing } from 'lit-html';
import { sentenceOf } from '../../draw/sentence.js';
import { entryOf } from '../../models/catalogue.js';
import { visibleWords } from '../shared/words.js';

/** @type {import('../index.js').Feature} */
export const translation = {
  name: 'translation',
  slot: 'input',
  render({ result, state }) {
    const { decoder } = result.plan.tokens;
    if (!decoder?.predicted) return null;
    const joint = entryOf(state.model)?.joint;
    const isFrench = joint === undefined;
    const words = visibleWords(decoder.predicted.words).filter((word) => word !== '[EOS]');
    return html`<div id="translation"><span aria-hidden="true">→</span>
      <output class="translation" aria-label=${isFrench ? 'French translation' : 'Output'}
        lang=${isFrench ? 'fr' : nothing}>${isFrench ? sentenceOf(words) : words.join(joint)}</output></div>`;
  },
};
