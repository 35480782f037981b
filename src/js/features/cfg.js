// The cfg.json of a sparse autoencoder in SAELens's layout: as 6.0 and later write it, and flat, as earlier ones did.
import { GlassformerError } from '../errors.js';
import { choice, flag, integer, isObject, optional, refuseType } from '../arrays/tensor.js';
import { readHook } from './sites.js';

/** @typedef {import('./features.js').Spec} Spec */

/**
 * The facts of a cfg.json.
 * @typedef {Pick<Spec, 'architecture' | 'k' | 'width' | 'size' | 'subtractsBias' | 'rescales'> & {
 *   normalize: Spec['normalize'] | 'expected_average_only_in', hook?: import('./sites.js').Hook,
 *   scales: boolean, trained: 'raw' | 'centered' | 'processed', metadata: Record<string, unknown>,
 * }} Cfg
 *   `scales`: whether the file has factors for the decoder; `trained`: which activations it has learned, those of the
 *   model as it is, of the model with centered writing weights, or of the model processed in full
 */

const ARCHITECTURES = /** @type {const} */ (['standard', 'topk', 'jumprelu', 'gated']);
const NORMALIZATIONS = /** @type {const} */ ([
  'none',
  'constant_norm_rescale',
  'layer_norm',
  'expected_average_only_in',
]);

/**
 * @param {string} parameter
 * @param {unknown} value
 * @param {string} why
 * @returns {never}
 */
function refuse(parameter, value, why) {
  throw new GlassformerError('unsupported', parameter, value, why);
}

/** JSON has null for what is not said. @param {unknown} value */
const said = (value) => value ?? undefined;

/** Most numbers of a side: no dictionary has as many features, and no model is as wide. */
const MOST = 2 ** 24;
const readSize = integer(1, MOST, 'config');

/**
 * @param {Record<string, any>} cfg
 * @param {boolean} [isPlaced] it needs no hook, as its place is known
 * @returns {Cfg}
 */
export function readCfg(cfg, isPlaced = false) {
  const metadata = said(cfg.metadata) ?? said(cfg.meta);
  if (metadata !== undefined && !isObject(metadata)) refuseType('metadata', metadata, 'an object');
  const isFlat = metadata === undefined;
  const facts = /** @type {Record<string, any>} */ (metadata ?? cfg);
  const architecture = architectureOf(cfg);
  const [width, size] = ['d_in', 'd_sae'].map((name) => readSize(said(cfg[name]), name));
  refuseOthers(cfg, facts, architecture);
  const name = said(facts.hook_name) ?? said(facts.hook_point);
  const hook = isPlaced && name === undefined ? undefined : readHook(name, 'hook_name');
  if (said(cfg.reshape_activations) === 'hook_z' && hook?.hook !== 'attn.hook_z') {
    refuse('reshape_activations', 'hook_z', `does not fit the hook ${name}`);
  }
  const rescales = optional(flag, false)(said(cfg.rescale_acts_by_decoder_norm), 'rescale_acts_by_decoder_norm');
  if (rescales && architecture !== 'topk') {
    refuse('rescale_acts_by_decoder_norm', true, `is computed for topk, not for ${architecture}`);
  }
  return {
    architecture,
    k: architecture === 'topk' ? readK(cfg, size) : undefined,
    width,
    size,
    subtractsBias: optional(flag, true)(said(cfg.apply_b_dec_to_input), 'apply_b_dec_to_input'),
    normalize: normalizationOf(said(cfg.normalize_activations)),
    rescales,
    hook,
    scales: optional(flag, false)(said(cfg.finetuning_scaling_factor), 'finetuning_scaling_factor'),
    trained: trainedOn(facts, isFlat),
    metadata: isFlat ? keptOf(cfg) : { ...facts },
  };
}

/** @param {Record<string, unknown>} cfg @returns {Spec['architecture']} */
function architectureOf(cfg) {
  const architecture = said(cfg.architecture) ?? 'standard';
  const activation = said(cfg.activation_fn_str) ?? said(cfg.activation_fn) ?? 'relu';
  const known = ARCHITECTURES.find((each) => each === architecture);
  if (!known) refuse('architecture', architecture, `must be one of ${ARCHITECTURES.join(', ')}`);
  if (activation === 'relu') return known;
  const isTopK = activation === 'topk' && /^(standard|topk)$/.test(known);
  return isTopK ? 'topk' : refuse('activation_fn', activation, `must be relu, or topk of standard, in a ${known} one`);
}

/** @param {Record<string, any>} cfg @param {number} size */
function readK(cfg, size) {
  return integer(1, size, 'config')(said(cfg.k) ?? said(Object(cfg.activation_fn_kwargs).k), 'k');
}

/** @param {unknown} value @returns {Cfg['normalize']} */
function normalizationOf(value) {
  if (value === undefined || value === false) return 'none';
  if (value === true) return 'expected_average_only_in';
  return typeof value === 'string'
    ? choice(NORMALIZATIONS, 'unsupported')(value, 'normalize_activations')
    : refuseType('normalize_activations', value, `one of ${NORMALIZATIONS.join(', ')}`);
}

/**
 * Refuses, by name, settings of other kinds of dictionaries.
 * @param {Record<string, unknown>} cfg
 * @param {Record<string, unknown>} facts its metadata
 * @param {string} architecture
 */
function refuseOthers(cfg, facts, architecture) {
  const given = (/** @type {string} */ name) => said(cfg[name]) ?? said(facts[name]);
  const other = ['d_out', 'hook_name_out', 'hook_layer_out', 'hook_head_index_out'].find((name) => given(name) != null);
  if (other) refuse(other, given(other), 'belongs to a transcoder, which writes to another place than it reads');
  const one = ['hook_head_index', 'hook_point_head_index'].find((name) => given(name) != null);
  if (one) refuse(one, given(one), 'must be null: a dictionary of one head alone is not read');
  const reshape = given('reshape_activations') ?? 'none';
  if (reshape !== 'none' && reshape !== 'hook_z') refuse('reshape_activations', reshape, 'must be none or hook_z');
  if (architecture !== 'topk' && given('k') != null) refuse('k', given('k'), `is of topk, not of ${architecture}`);
}

/**
 * The kind of model whose activations it was trained on: SAELens took processed ones until 3.19.
 * @param {Record<string, any>} facts
 * @param {boolean} isFlat
 * @returns {Cfg['trained']}
 */
function trainedOn(facts, isFlat) {
  const explicit = said(Object(facts.model_from_pretrained_kwargs).center_writing_weights);
  if (explicit !== undefined) return flag(explicit, 'center_writing_weights') ? 'centered' : 'raw';
  const version = /^(\d+)\.(\d+)/.exec(`${said(facts.sae_lens_training_version) ?? ''}`);
  const isOld = version ? Number(version[1]) < 3 || (Number(version[1]) === 3 && Number(version[2]) < 19) : isFlat;
  return isOld ? 'processed' : 'raw';
}

/** Of a flat cfg, what the later form has as metadata. @param {Record<string, unknown>} cfg */
const keptOf = (cfg) =>
  Object.fromEntries(
    [
      'sae_lens_training_version',
      'model_name',
      'hook_name',
      'context_size',
      'model_from_pretrained_kwargs',
      'prepend_bos',
      'dataset_path',
      'neuronpedia_id',
    ]
      .filter((name) => said(cfg[name]) !== undefined)
      .map((name) => [name, cfg[name]]),
  );

/**
 * The cfg.json of a dictionary, in the later form.
 * @param {Omit<Spec, 'encoder'>} spec
 * @returns {Record<string, unknown>}
 */
export function writeCfg({ architecture, k, width, size, subtractsBias, normalize, rescales, scaling, ...others }) {
  const { hook, metadata } = others;
  return {
    architecture,
    d_in: width,
    d_sae: size,
    dtype: 'float32',
    apply_b_dec_to_input: subtractsBias,
    normalize_activations: normalize,
    reshape_activations: hook?.hook === 'attn.hook_z' ? 'hook_z' : 'none',
    ...(architecture === 'topk' && { k, rescale_acts_by_decoder_norm: rescales }),
    ...(scaling && { finetuning_scaling_factor: true }),
    metadata: { ...metadata, ...(hook && { hook_name: hook.name }) },
  };
}
