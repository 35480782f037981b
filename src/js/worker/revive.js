import { GlassformerError } from '../errors.js';

/** An error of a worker, as it was there, with its cause. @param {Record<string, any>} facts of it @returns {Error} */
export function revive({ cause, ...facts }) {
  const { code, parameter, message } = facts;
  const error = parameter === undefined ? new Error(message) : new GlassformerError(code, parameter, undefined, '');
  return Object.assign(error, facts, cause && { cause: 'thrown' in cause ? cause.thrown : revive(cause) });
}
