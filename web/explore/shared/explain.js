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
  for (const part of marked('entry')) part.textContent = words[String(part.dataset.entry)];
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
    part.textContent = name === 'seed' ? value(name) : choiceLabel(name, value(name));
  }
}
