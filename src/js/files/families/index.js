import { GlassformerError } from '../../errors.js';
import { bart } from './bart.js';
import { bert } from './bert.js';
import { distilbert } from './distilbert.js';
import { electra } from './electra.js';
import { gpt2 } from './gpt2.js';
import { gptNeo } from './gpt-neo.js';
import { gemma, llama, mistral, phi3, qwen2, qwen3 } from './llama.js';
import { marian } from './marian.js';
import { mpnet } from './mpnet.js';
import { neox } from './neox.js';
import { opt } from './opt.js';
import { FOREIGN, OF_TODAY, expectFlags } from './read.js';
import { roberta } from './roberta.js';
import { mt5, t5 } from './t5.js';
import { camembert, xlmRoberta } from './xlm-roberta.js';

/** @typedef {import('./read.js').Family} Family */
/**
 * With RMSNorm, rotary positions, a gated FFN; GPT-NeoX with rotary positions alone.
 * @typedef {'llama' | 'mistral' | 'qwen2' | 'qwen3' | 'gemma' | 'phi3' | 'gpt_neox'} FamilyOfToday
 */
/**
 * `model_type` of config.json.
 * @typedef {'bert' | 'distilbert' | 'roberta' | 'xlm-roberta' | 'camembert' | 'electra' | 'mpnet'} EncoderName
 * @typedef {EncoderName | 'gpt2' | 'gpt_neo' | 'opt' | FamilyOfToday | 'marian' | 'bart' | 't5' | 'mt5'} FamilyName
 */

const KIN = { 'xlm-roberta': xlmRoberta, camembert, electra, mpnet };
const TODAY = { llama, mistral, qwen2, qwen3, gemma, phi3, gpt_neox: neox };
/** Encoder–decoders. */
const BOTH = { marian, bart, t5, mt5 };

/** By the `model_type` of config.json. @type {Record<FamilyName, Family>} */
export const FAMILIES = { bert, distilbert, roberta, gpt2, gpt_neo: gptNeo, opt, ...KIN, ...TODAY, ...BOTH };

const ONE_NORM = 'one norm before attention and network';
const NEIGHBOURS = 'rotary positions that turn pairs of neighbours';
const OWN_FILES = 'files of this family';

/** Mathematics or file layouts of other families that are missing here. @type {[RegExp, string][]} */
const MISSING = [
  [/mixtral|moe|deepseek|dbrx|^llama4|^gpt_oss|^jetmoe/, 'mixtures of experts'],
  [/^gemma2/, 'norms behind the sublayers, soft caps of scores'],
  [/^gemma3/, 'norms behind the sublayers, two bases of rotary positions'],
  [/^nemotron/, 'squared ReLU'],
  [/^persimmon/, 'LayerNorms of queries and keys, squared ReLU'],
  [/^phi3small/, 'sparse attention'],
  [/^(gptj|codegen)$/, `${ONE_NORM}, ${NEIGHBOURS}`],
  [/^phi$/, ONE_NORM],
  [/^(glm|chatglm)/, NEIGHBOURS],
  [/^falcon/, `${ONE_NORM}, ${OWN_FILES}`],
  [/^cohere$/, `${ONE_NORM}, ${NEIGHBOURS}, a factor of logits`],
  [/^(smollm3|cohere2)/, 'layers without positions'],
  [/^olmo[23]/, 'norms behind the sublayers'],
  [/^(granite|minicpm)/, 'factors of embeddings, scores and residuals'],
  [/^(bloom|mpt)/, 'positions by slopes (ALiBi)'],
  [/^(olmo|starcoder2|gpt_bigcode|openai-gpt|ctrl|biogpt)$|^(stablelm|internlm2)/, OWN_FILES],
  [/_vl|vision|^phi3_v|^phi4|^llava|^mllama|^clip|^vit|^siglip|^mistral3|^pixtral/, 'images'],
  [/^whisper|wav2vec/, 'sound'],
  [/mamba|^rwkv|^recurrent_gemma|^jamba|^zamba/, 'states in place of attention'],
  [/^albert/, 'embeddings of another width than d_model, one layer in the place of all'],
  [/^deberta/, 'disentangled attention'],
  [/^(umt5|longt5|xlnet)/, 'relative positions'],
  [/^(longformer|big_bird|led$)/, 'sparse attention'],
  [/^prophetnet/, 'attention to several next tokens'],
  [/^(mbart|pegasus|blenderbot|m2m_100|nllb|plbart)/, OWN_FILES],
];

/**
 * The family that a config.json names.
 * @param {import('./read.js').ModelConfig} config
 * @returns {FamilyName}
 */
export function familyOf(config) {
  const { model_type: name } = config;
  if (typeof name === 'string' && Object.hasOwn(FAMILIES, name)) {
    expectFlags(config);
    return /** @type {FamilyName} */ (name);
  }
  const lacks = missingOf(config);
  const reason = lacks.length ? `; not computed here: ${lacks.join(', ')}` : '';
  const known = Object.keys(FAMILIES).join(', ');
  throw new GlassformerError('unsupported', 'config.model_type', name, `must be one of ${known}${reason}`);
}

/**
 * The mathematics or file layouts that a model of an unknown family needs and this module lacks.
 * @param {import('./read.js').ModelConfig} config
 */
export function missingOf(config) {
  const named = MISSING.filter(([names]) => names.test(String(config.model_type))).map(([, what]) => what);
  const foreign = Object.keys(FOREIGN).filter((key) => config[key] && !OF_TODAY.includes(key));
  return [...new Set(named.length ? named : foreign.map((key) => FOREIGN[key]))];
}
