// The settings of a model as the C core declares them (src/model/config.h, read at build).

import { MODEL } from '../../dist/generated/settings.js';

/** The settings with which the same weights can run otherwise. */
export const SWITCHES = /** @type {const} */ (['scoreScale', 'causal', 'positions', 'norm', 'residual', 'activation']);

/** @param {string} name */
export function settingNamed(name) {
  const setting = MODEL.find((each) => each.name === name);
  if (!setting) throw new Error(`src/model/config.h has no setting ${name}`);
  return setting;
}

/** The default, as `createModel` takes it. @param {string} name @returns {string | number | boolean} */
export function defaultOf(name) {
  const { type, choices, fallback } = settingNamed(name);
  return type === 'c' ? choices[fallback] : type === 'b' ? fallback === 1 : fallback;
}

/** A choice in words. @param {string} name @param {string} choice */
export function choiceLabel(name, choice) {
  const { choices, labels } = settingNamed(name);
  return labels[choices.indexOf(choice)] ?? choice;
}
