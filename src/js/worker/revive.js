import { GlassformerError } from '../errors.js';

/** An error of a worker, as it was there. @param {Record<string, any>} facts what it sent of it @returns {Error} */
export function revive(facts) {
  const { code, parameter, message } = facts;
  return Object.assign(code ? new GlassformerError(code, parameter, undefined, '') : new Error(message), facts);
}
