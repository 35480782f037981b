// Why a number that is being typed cannot be, in the words of the worker, said before that is asked.

import { labelOf } from '../../engine/model-settings.js';

/**
 * @param {Record<string, string | number | boolean>} values with the new one
 * @param {string} name of the new one
 * @param {import('../../app/schema.js').Control} control of it
 * @returns {string} '' where it can be
 */
export function problemWith(values, name, { low = -Infinity, high = Infinity }) {
  const value = Number(values[name]);
  const typed = Number.isNaN(value) ? 'empty' : value;
  if (!Number.isInteger(value) || value < low || value > high)
    return `${labelOf(name)} must be an integer from ${low}${high === Infinity ? '' : ` to ${high}`}, not ${typed}.`;
  const { d_model: width, heads } = values;
  return (name === 'heads' || name === 'd_model') && Number(heads) && Number(width) % Number(heads) !== 0
    ? `${labelOf('heads')} must divide d_model = ${width}, not ${heads}.`
    : '';
}
