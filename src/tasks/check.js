/**
 * The only error that the tasks throw on purpose.
 *
 * - `type` wrong type · `range` number out of range or not an integer · `unknown` no such word,
 *   tensor or option · `shape` sizes that do not fit
 *
 * @typedef {'type' | 'range' | 'unknown' | 'shape'} TaskErrorCode
 */
export class TaskError extends Error {
  /**
   * @param {TaskErrorCode} code stable, for programs
   * @param {string} parameter which argument
   * @param {unknown} value what was given for it
   * @param {string} expected for people
   */
  constructor(code, parameter, value, expected) {
    super(`${parameter}: ${expected}, got ${show(value)}`);
    /** @type {'TaskError'} */
    this.name = 'TaskError';
    this.code = code;
    this.parameter = parameter;
    this.value = value;
  }
}

/**
 * @param {unknown} value
 * @returns {string}
 */
function show(value) {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 60));
  if (Array.isArray(value) && value.length <= 8) return `[${value.map(show).join(', ')}]`;
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return 'an array';
  if (typeof value === 'function') return 'a function';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/**
 * @param {unknown} value
 * @param {number} low
 * @param {number} high
 * @param {string} name
 * @returns {number}
 */
export function integer(value, low, high, name) {
  if (typeof value !== 'number') throw new TaskError('type', name, value, 'must be an integer');
  if (!(Number.isInteger(value) && value >= low && value <= high)) {
    throw new TaskError('range', name, value, `must be an integer from ${low} to ${high}`);
  }
  return value;
}

/**
 * @param {unknown} value
 * @returns {number} the same, if it can seed a generator
 */
export const seedOf = (value) => integer(value, 0, 2 ** 32 - 1, 'seed');

/**
 * @template {string} C
 * @param {unknown} value
 * @param {readonly C[]} choices
 * @param {string} name
 * @returns {C}
 */
export function choice(value, choices, name) {
  const found = choices.find((one) => one === value);
  if (!found) throw new TaskError('unknown', name, value, `must be one of ${choices.join(', ')}`);
  return found;
}

/**
 * The options given, over their defaults; a name that has no default is refused.
 * @template {object} T
 * @param {unknown} given
 * @param {T} defaults
 * @returns {T}
 */
export function options(given, defaults) {
  if (typeof given !== 'object' || given === null) {
    throw new TaskError('type', 'options', given, 'must be an object');
  }
  for (const name of Object.keys(given)) {
    if (!(name in defaults)) {
      throw new TaskError('unknown', 'options', name, `known are ${Object.keys(defaults).join(', ')}`);
    }
  }
  return { ...defaults, ...given };
}
