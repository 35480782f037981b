// The sentences of sections that depend on the model or its settings.

import { entryOf } from '../../models/catalogue.js';

/** @param {string} name of an attribute */
const marked = (name) => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`[data-${name}]`));

/**
 * Fills data-entry="why" with what the catalogue says of the model's attention.
 * @param {import('../../models/catalogue.js').ModelName} model
 */
export function describeModel(model) {
  for (const part of marked('entry')) setText(part, entryOf(model)?.why);
}

/**
 * Shows the sentences that hold for these settings, data-when="setting=value value" or "setting!=value value".
 * @param {import('../../app/schema.js').Settings} settings
 */
export function describeSettings(settings) {
  for (const part of marked('when')) {
    const [, name, not, values] = /^(\w+)(!?)=(.*)$/.exec(String(part.dataset.when)) ?? [];
    const value = String(settings[/** @type {keyof typeof settings} */ (name)]);
    part.hidden = values.split(' ').includes(value) === Boolean(not);
  }
}

/** Sets a text that may be there already: a new text node would be laid out again. @param {HTMLElement} part */
function setText(part, text = '') {
  if (part.textContent !== text) part.textContent = text;
}
