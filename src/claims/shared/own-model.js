// Opens the model that decides a claim: trains it, or makes it of the claim's layer.
import { settingsOf } from './claim.js';
import { openLayer } from './layer.js';
import { stepper } from './steps.js';

/** @typedef {import('./explore.js').Shown & {model: import('./explore.js').Model}} Opened */

/**
 * The switches by name, and of the seeds the first.
 * @param {import('./claim.js').Claim} claim
 * @param {import('./claim.js').Params} [params]
 */
export function settingsOfOne(claim, params) {
  const { seeds, ...given } = settingsOf(claim, params);
  return { ...given, seed: seeds[0] };
}

/**
 * @param {import('glassformer').Engine} gf
 * @param {{claim: import('./claim.js').Claim} & import('./explore.js').ExploreModule} module
 * @param {import('./claim.js').Params} [params] its switches; of the seeds the first is taken
 * @param {import('./claim.js').OnProgress} [onProgress]
 * @param {import('./claim.js').Signal} [signal]
 * @returns {Promise<Opened>} to be freed by its `free`
 * @throws {RangeError} for a claim that has none; GlassformerError for switches that it has not
 */
export async function openOwnModel(gf, { claim, ownModel }, params, onProgress, signal) {
  if (!ownModel) throw new RangeError(`Claim ${claim.number} has no model of its own.`);
  const settings = settingsOfOne(claim, params);
  if (ownModel.layer) return openLayer(gf, await ownModel.layer(gf, settings));
  const { steps, learn, show } = /** @type {Required<import('./explore.js').OwnModel>} */ (ownModel);
  const total = typeof steps === 'number' ? steps : steps(settings);
  const model = await learn(gf, settings, stepper(total, onProgress, signal));
  try {
    return { model, ...show(model, settings, gf) };
  } catch (error) {
    model.free();
    throw error;
  }
}
