import { GlassformerError } from '../../errors.js';
import { bert } from './bert.js';
import { distilbert } from './distilbert.js';
import { gpt2 } from './gpt2.js';
import { gptNeo } from './gpt-neo.js';
import { FOREIGN } from './read.js';

/** @typedef {import('./read.js').Family} Family */
/** @typedef {'bert' | 'distilbert' | 'gpt2' | 'gpt_neo'} FamilyName `model_type` of config.json */

/** By the `model_type` of config.json. @type {Record<FamilyName, Family>} */
export const FAMILIES = { bert, distilbert, gpt2, gpt_neo: gptNeo };

/**
 * The family that a config.json names.
 * @param {import('./read.js').ModelConfig} config
 * @returns {FamilyName}
 */
export function familyOf(config) {
  const { model_type: name } = config;
  if (typeof name === 'string' && Object.hasOwn(FAMILIES, name)) return /** @type {FamilyName} */ (name);
  const [foreign, why] = Object.entries(FOREIGN).find(([key]) => config[key]) ?? [];
  const reason = foreign ? ` (${foreign}: ${why})` : '';
  const known = Object.keys(FAMILIES).join(', ');
  throw new GlassformerError('unsupported', 'config.model_type', name, `must be one of ${known}${reason}`);
}
