// The sentences of index.html that depend on the model or its settings.

import { LABELS, entryOf } from '../models/catalogue.js';

/** @param {string} name of an attribute */
const marked = (name) => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`[data-${name}]`));

/**
 * Fills data-entry="about" with what the catalogue says of the model.
 * @param {import('../models/catalogue.js').ModelName} model
 */
export function introduce(model) {
  const entry = entryOf(model);
  /** @type {Record<string, string>} */
  const words = { name: LABELS[model].label, about: entry?.about ?? '', why: entry?.why ?? '' };
  for (const part of marked('entry')) part.textContent = words[String(part.dataset.entry)];
}

/**
 * Shows the sentences that hold for these settings, data-when="setting=value value", and the values
 * themselves, data-setting="setting".
 * @param {import('./schema.js').Settings} settings
 */
export function explain(settings) {
  /** @param {string} name */
  const value = (name) => String(settings[/** @type {keyof typeof settings} */ (name)]);
  for (const part of marked('when')) {
    const [name, values] = String(part.dataset.when).split('=');
    part.hidden = !values.split(' ').includes(value(name));
  }
  for (const part of marked('setting')) part.textContent = value(String(part.dataset.setting));
}
