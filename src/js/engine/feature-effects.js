// Direct logit attribution by feature: for a trace here, and for one in a worker, whose dictionary stays on this side.
import { GlassformerError } from '../errors.js';
import { refuseType } from '../arrays/tensor.js';

/** @typedef {import('../features/features.js').Features} Features */

/**
 * The vector at a place of the pass, of the asked token, and where it leads.
 * @typedef {object} DirectPlace
 * @property {string} name of the tensor
 * @property {Float32Array} vector [C]
 * @property {Float64Array} direction [C], what one unit there adds to the logit by itself
 */

/**
 * The direct effect of each feature on the logit. `values` and `rest` together are vector · direction.
 * @typedef {DirectPlace & {values: Float64Array, rest: number}} FeatureEffects
 *   values: by feature; rest: of what the features do not rebuild, the dictionary's bias included
 */

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b as long */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += a[i] * b[i];
  return sum;
}

/**
 * An attribution with the effects of features.
 * @param {any} trace
 * @param {import('./attribution.js').AttributionOptions} options with features
 * @param {(options: import('./attribution.js').AttributionOptions, at: any) =>
 *   {found: object, place?: DirectPlace} | Promise<{found: object, place?: DirectPlace}>} attributionAt
 * @returns {Promise<any>}
 */
export async function withFeatures(trace, { features, at, ...others }, attributionAt) {
  if (features === undefined) throw new GlassformerError('missing', 'features', undefined, 'needed with at');
  if (typeof features?.decode !== 'function' || !Number.isInteger(features.size)) {
    refuseType('features', features, 'features: what trainFeatures or loadFeatures gives');
  }
  // One from elsewhere learns its place from the trace.
  if (at === undefined && features.at === undefined) await features.encode(trace);
  const { found, place } = await attributionAt(others, at === undefined ? features.at : at);
  return { ...found, features: effectsOf(features, /** @type {DirectPlace} */ (place)) };
}

/**
 * @param {Features} features
 * @param {DirectPlace} place
 * @returns {FeatureEffects}
 */
function effectsOf(features, place) {
  const { vector, direction } = place;
  const coded = features.encode(vector).data;
  const alone = new Float32Array(coded.length);
  const rebuilt = () => dot(features.decode(alone, vector).data, direction);
  const none = rebuilt();
  const values = Float64Array.from(coded, (value, n) => {
    if (!value) return 0;
    alone[n] = value;
    const effect = rebuilt() - none;
    alone[n] = 0;
    return effect;
  });
  const rest = values.reduce((left, value) => left - value, dot(vector, direction));
  return { ...place, values, rest };
}
