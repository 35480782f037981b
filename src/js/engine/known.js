// Lists the settings known to code that computes a model beside the C core, as in files for other programs: without the
// lists, such code would ignore a new setting.
import { GlassformerError } from '../errors.js';

/** @typedef {{names: ReadonlySet<string>, choices: Readonly<Record<string, number>>}} Edition */

/**
 * The table of src/model/config.h as it was when such code was written: its settings, and how many choices they had. A
 * table that grows is a new edition, to which each of its users comes when it computes what is new.
 * @type {Edition}
 */
export const EDITION_1 = {
  names: new Set(
    (
      'kind vocabulary targetVocabulary types d_model heads d_ff layers decoderLayers maxLength positions ' +
      'embeddingScale embeddingNorm norm normAffine finalNorm epsilon residual scoreScale causal attentionBias ' +
      'activation head outputVocabulary headBias tiedEmbeddings headTransform window globalLayers globalLayersAbove ' +
      'weights positionsFrom inputWidth outputWidth normKind ffn keyValueHeads headWidth qkNorm attentionOutBias ' +
      'ffnBias ropeTheta ropeScaling ropeFactor ropeLowFrequency ropeHighFrequency ropeOriginalLength initializerRange'
    ).split(' '),
  ),
  choices: {
    ...{ kind: 5, positions: 4, norm: 3, activation: 5, head: 3, weights: 4, positionsFrom: 3, normKind: 2, ffn: 2 },
    ropeScaling: 3,
  },
};

/**
 * With top-k. What reads captured activations knows it.
 * @type {Edition}
 */
export const EDITION_2 = {
  names: new Set([...EDITION_1.names, 'active']),
  choices: { ...EDITION_1.choices, activation: 6 },
};

/** Settings of GPT-NeoX. */
const NEOX = ['ropeWidth', 'parallel'];

/**
 * With GPT-NeoX's: a part of each head turns, and the FFN stands beside attention. What reads the graph knows both.
 * @type {Edition}
 */
export const EDITION_3 = { names: new Set([...EDITION_2.names, ...NEOX]), choices: EDITION_2.choices };

/**
 * Without top-k, which the export to ONNX has not.
 * @type {Edition}
 */
export const WITHOUT_TOP_K = { names: new Set([...EDITION_1.names, ...NEOX]), choices: EDITION_1.choices };

/**
 * With relative positions and a divided output. Saved folders, the lens and attribution know them.
 * @type {Edition}
 */
export const EDITION_4 = {
  names: new Set([...EDITION_3.names, 'relativeBuckets', 'relativeDistance', 'headScale']),
  choices: EDITION_3.choices,
};

/**
 * With poolers. Saved folders know them.
 * @type {Edition}
 */
export const EDITION_5 = {
  names: new Set([...EDITION_4.names, 'headPooler']),
  choices: { ...EDITION_4.choices, headPooler: 3 },
};

/**
 * The first setting of a model that an edition lacks and that is not at its default, or whose choice it lacks.
 * @param {{config: import('./config.js').Config, core: Pick<import('./start.js').Core, 'settings'>}} model
 * @param {Edition} edition
 * @returns {string | undefined}
 */
export function unknownTo({ config, core }, { names, choices }) {
  const isUnknown = (/** @type {import('./config.js').Setting} */ { name, choices: all, fallback }) => {
    const value = /** @type {any} */ (config)[name];
    const word = all.length ? all.indexOf(value) : Number(value);
    return names.has(name) ? word >= choices[name] : word !== fallback;
  };
  return core.settings.find(isUnknown)?.name;
}

/**
 * Refuses a model with such a setting.
 * @param {Parameters<typeof unknownTo>[0]} model
 * @param {Edition} edition
 * @param {string} what does not know it
 */
export function expectKnown(model, edition, what) {
  refuseUnknown(unknownTo(model, edition), model.config, what);
}

/** @param {string | undefined} name @param {object} config @param {string} what */
export function refuseUnknown(name, config, what) {
  if (name === undefined) return;
  throw new GlassformerError('unsupported', name, /** @type {any} */ (config)[name], `is not known to ${what}`);
}
