import { GlassformerError } from '../../errors.js';
import { bert } from './bert.js';
import { distilbert } from './distilbert.js';
import { gpt2 } from './gpt2.js';
import { gptNeo } from './gpt-neo.js';
import { llama, mistral, qwen2, qwen3 } from './llama.js';
import { opt } from './opt.js';
import { FOREIGN, OF_TODAY } from './read.js';
import { roberta } from './roberta.js';

/** @typedef {import('./read.js').Family} Family */
/** @typedef {'llama' | 'mistral' | 'qwen2' | 'qwen3'} FamilyOfToday with RMSNorm, rotary positions, a gated FFN */
/**
 * `model_type` of config.json.
 * @typedef {'bert' | 'distilbert' | 'roberta' | 'gpt2' | 'gpt_neo' | 'opt' | FamilyOfToday} FamilyName
 */

/** By the `model_type` of config.json. @type {Record<FamilyName, Family>} */
export const FAMILIES = { bert, distilbert, roberta, gpt2, gpt_neo: gptNeo, opt, llama, mistral, qwen2, qwen3 };

/** What is missing here for other families. @type {[RegExp, string][]} */
const MISSING = [
  [/mixtral|moe|deepseek|dbrx|^llama4|^gpt_oss/, 'mixtures of experts'],
  [/^(recurrent_)?gemma/, "Gemma's norms and its pattern of windows"],
  [/^phi(3|4)|^glm/, 'query, key and value in one matrix'],
  [/^gpt_neox|^gptj|^phi$/, 'rotary positions of a part of each head, and attention beside the network'],
  [/^smollm3|^cohere/, 'layers without positions'],
  [/^olmo[23]/, 'norms behind the sublayers'],
  [/_vl|vision|^llava|^mllama|^clip|^mistral3|^pixtral/, 'images'],
  [/^mamba|^rwkv/, 'states in place of attention'],
  [/^t5|^bart|^marian|^mbart/, 'encoder–decoders of this family'],
];

/**
 * The family that a config.json names.
 * @param {import('./read.js').ModelConfig} config
 * @returns {FamilyName}
 */
export function familyOf(config) {
  const { model_type: name } = config;
  if (typeof name === 'string' && Object.hasOwn(FAMILIES, name)) return /** @type {FamilyName} */ (name);
  const lacks = missingOf(config);
  const reason = lacks.length ? `; not computed here: ${lacks.join(', ')}` : '';
  const known = Object.keys(FAMILIES).join(', ');
  throw new GlassformerError('unsupported', 'config.model_type', name, `must be one of ${known}${reason}`);
}

/**
 * What a model of a family that is not known here needs beside.
 * @param {import('./read.js').ModelConfig} config
 */
export function missingOf(config) {
  const foreign = Object.keys(FOREIGN).filter((key) => config[key] && !OF_TODAY.includes(key));
  const named = MISSING.filter(([names]) => names.test(String(config.model_type)));
  return [...new Set([...foreign.map((key) => FOREIGN[key]), ...named.map(([, what]) => what)])];
}
