import { GlassformerError } from '../../errors.js';
import { bert } from './bert.js';
import { distilbert } from './distilbert.js';
import { gpt2 } from './gpt2.js';
import { gptNeo } from './gpt-neo.js';
import { opt } from './opt.js';
import { FOREIGN } from './read.js';
import { roberta } from './roberta.js';

/** @typedef {import('./read.js').Family} Family */
/** @typedef {'bert' | 'distilbert' | 'roberta' | 'gpt2' | 'gpt_neo' | 'opt'} FamilyName `model_type` of config.json */

/** By the `model_type` of config.json. @type {Record<FamilyName, Family>} */
export const FAMILIES = { bert, distilbert, roberta, gpt2, gpt_neo: gptNeo, opt };

/** Families of Llama's shape, as far as their config.json may leave it unsaid. */
const LLAMA = /^(llama|mistral|mixtral|qwen|gemma|phi3|smollm|olmo|granite|deepseek|cohere|starcoder2)/;

/**
 * The family that a config.json names.
 * @param {import('./read.js').ModelConfig} config
 * @returns {FamilyName}
 */
export function familyOf(config) {
  const { model_type: name } = config;
  if (typeof name === 'string' && Object.hasOwn(FAMILIES, name)) return /** @type {FamilyName} */ (name);
  const lacks = new Set(Object.keys(FOREIGN).flatMap((key) => (config[key] ? [FOREIGN[key]] : [])));
  if (typeof name === 'string' && LLAMA.test(name)) {
    for (const each of ['rotary positions', 'RMSNorm', 'gated layers (SwiGLU)']) lacks.add(each);
  }
  const { num_attention_heads: heads, num_key_value_heads: groups = heads } = config;
  if (groups !== heads) lacks.add('grouped heads');
  const reason = lacks.size ? `; not computed here: ${[...lacks].join(', ')}` : '';
  const known = Object.keys(FAMILIES).join(', ');
  throw new GlassformerError('unsupported', 'config.model_type', name, `must be one of ${known}${reason}`);
}
