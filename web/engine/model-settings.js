// The settings of a model as the C core declares them (src/model/config.h, read at build): those that the page has.

import {
  activation,
  causal,
  d_ff,
  d_model,
  ffn,
  headWidth,
  heads,
  keyValueHeads,
  kind,
  layers,
  norm,
  normKind,
  positions,
  qkNorm,
  residual,
  scoreScale,
} from '../../dist/generated/settings.js';

const SETTINGS = [
  ...[kind, layers, heads, keyValueHeads, headWidth, d_model, d_ff, ffn],
  ...[scoreScale, causal, residual, qkNorm, positions, norm, normKind, activation],
];

/** The settings with which the same weights can run otherwise. */
export const SWITCHES = /** @type {const} */ ([
  'scoreScale',
  'causal',
  'positions',
  'norm',
  'normKind',
  'qkNorm',
  'residual',
  'activation',
]);

/** @param {string} name */
export function settingNamed(name) {
  const setting = SETTINGS.find((each) => each.name === name);
  if (!setting) throw new Error(`the page has no setting ${name}`);
  return setting;
}

/** A setting as the page calls it. @param {string} name */
export const labelOf = (name) => SETTINGS.find((each) => each.name === name)?.label;

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
