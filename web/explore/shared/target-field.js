// The box of a target, with the source's beside it. Fetched with the first model that has one.

import { html } from 'lit-html';
import { entryOf } from '../../models/catalogue.js';

/** @typedef {import('../index.js').Tools & import('../../kit/feature.js').LocalTools} Tools */

/**
 * Where a model writes the target, the reader comes to what is shown, and a change is his own target.
 * @param {{
 *   isWritten: boolean, text: string, blur: (event: FocusEvent) => void,
 *   take: {input: (event: Event) => void, paste: (event: ClipboardEvent) => void},
 * }} box @param {Tools} tools
 */
export function targetField({ isWritten, text, take, blur }, tools) {
  const come = () => isWritten && tools.local({ target: targetOf(tools) });
  /** @param {FocusEvent} event */
  function leave(event) {
    tools.local({ target: null });
    blur(event);
  }
  return html`<label for="target-text">${isWritten ? 'Target' : 'Target sentence (for the decoder)'}</label>
    <textarea id="target-text" rows="1" wrap="off"
      placeholder=${isWritten ? 'Empty: the model writes it' : 'Type its target'}
      dir="auto" spellcheck="false" autocomplete="off" aria-describedby="text-note" .value=${text}
      @input=${take.input} @paste=${take.paste} @focus=${come} @blur=${leave}></textarea>`;
}

/** The target that is shown, as a text to change. @param {Tools} tools */
function targetOf({ get, result }) {
  const ids = result()?.plan.tokens.decoder?.predicted?.ids;
  return get().targetText || ((ids && entryOf(get().model)?.decodeTarget?.(ids)) ?? '');
}
