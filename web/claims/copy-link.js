// Copies a link: a message that it is done, and a field with the link where there is no clipboard.

import { html, nothing } from 'lit-html';
import { copyText } from '../export/file.js';

const DURATION = 4000; // ms of the message

/**
 * `said`: the message; `link`: to be copied by hand.
 * @typedef {{said: string, link: string}} Copied
 * @typedef {(patch: Partial<Copied>) => void} Remember a feature's local
 */

export const NONE_COPIED = { said: '', link: '' };

let timer = 0;

/** @param {string} said @param {Remember} remember */
export function say(said, remember) {
  remember({ said });
  clearTimeout(timer);
  timer = setTimeout(remember, DURATION, { said: '' });
}

/** @param {string} address @param {Remember} remember */
export async function copyLink(address, remember) {
  const link = (await copyText(address)) ? '' : address;
  remember({ link });
  say(link ? '' : 'Link copied.', remember);
}

/** @param {Copied} copied */
export const linkField = ({ link }) =>
  link
    ? html`<label class="claims-link"
        >The link <input readonly .value=${link} @focus=${(/** @type {any} */ { target }) => target.select()}
      /></label>`
    : nothing;
