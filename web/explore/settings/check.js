// Why a number that is being typed cannot be, in the module's words, said before the module is asked.

/**
 * @param {Record<string, string | number | boolean>} values with the new one
 * @param {string} name of the new one
 * @param {import('../../app/schema.js').Control} control of it
 * @returns {string} '' where it can be
 */
export function problemWith(values, name, { low = -Infinity, high = Infinity }) {
  const value = Number(values[name]);
  if (!Number.isInteger(value) || value < low || value > high)
    return `${name}: must be an integer from ${low}${high === Infinity ? '' : ` to ${high}`}, got ${value}`;
  const { d_model: width, heads } = values;
  return (name === 'heads' || name === 'd_model') && Number(heads) && Number(width) % Number(heads) !== 0
    ? `heads: must divide d_model = ${width}, got ${heads}`
    : '';
}
