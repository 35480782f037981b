// The sentences of sections that depend on the model or its settings.

import { choiceLabel } from '../../engine/model-settings.js';
import { LABELS, entryOf } from '../../models/catalogue.js';

/** @param {string} name of an attribute */
const marked = (name) => /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(`[data-${name}]`));

/**
 * Fills data-entry="about" with what the catalogue says of the model.
 * @param {import('../../models/catalogue.js').ModelName} model
 */
export function describeModel(model) {
  const entry = entryOf(model);
  /** @type {Record<string, string>} */
  const words = { name: LABELS[model].label, about: entry?.about ?? '', why: entry?.why ?? '' };
  for (const part of marked('entry')) setText(part, words[String(part.dataset.entry)]);
}

/**
 * Shows the sentences that hold for these settings, data-when="setting=value value" or "setting!=value value", and
 * the values themselves, data-setting="setting", by the label of a choice.
 * @param {import('../../app/schema.js').Settings} settings
 */
export function describeSettings(settings) {
  /** @param {string} name */
  const value = (name) => String(settings[/** @type {keyof typeof settings} */ (name)]);
  for (const part of marked('when')) {
    const [, name, not, values] = /^(\w+)(!?)=(.*)$/.exec(String(part.dataset.when)) ?? [];
    part.hidden = values.split(' ').includes(value(name)) === Boolean(not);
  }
  for (const part of marked('setting')) {
    const name = String(part.dataset.setting);
    setText(part, name === 'seed' ? value(name) : choiceLabel(name, value(name)));
  }
}

/** Sets a text that may be there already: a new text node would be laid out again. @param {HTMLElement} part */
function setText(part, text = '') {
  if (part.textContent !== text) part.textContent = text;
}
