// Below the sentence: for a word that the model does not know, the nearest one that it knows.

import { html, render } from 'lit-html';
import { nearestWord } from './nearest.js';
import { unknownWords } from './notes.js';
import { entryOf } from '../../models/catalogue.js';
import { replaceWord } from '../../engine/tokens.js';

const MOST = 6;

/**
 * @param {HTMLElement} root
 * @param {{onReplace: (replace: (text: string) => string) => void}} options
 */
export function createSuggestions(root, { onReplace }) {
  return {
    /**
     * @param {import('../../engine/plan.js').Plan} plan
     * @param {readonly string[]} vocabulary none: any word is read
     * @param {string | null} typed the word that is being typed
     */
    update({ tokens, model }, vocabulary, typed) {
      const unknown = vocabulary.length ? unknownWords(tokens.encoder ?? tokens.decoder) : [];
      const pairs = unknown
        .filter((word) => word !== typed)
        .slice(0, MOST)
        .flatMap((word) => {
          const near = nearestWord(word, vocabulary);
          return near ? [{ word, near }] : [];
        });
      const { token } = entryOf(/** @type {any} */ (model)) ?? {};
      root.hidden = !pairs.length;
      render(
        pairs.map(
          ({ word, near }) => html`<button type="button" class="suggestion"
            aria-label="Replace ${word} by ${near}"
            @click=${() => onReplace((text) => replaceWord(text, word, near, token))}
            ><s><bdi>${word}</bdi></s> → <bdi>${near}</bdi>?</button>`,
        ),
        root,
      );
    },
  };
}
