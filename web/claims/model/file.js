// The model that a claim trains, as a file, for the worker: fetched when one is asked for.

import { ownModel } from '../../../src/claims/models.js';

/** @typedef {import('../../../src/claims/models.js').Place} Place */
/**
 * @typedef {{file: Uint8Array<ArrayBuffer>, rows: string[][], place: Place}} ModelFile
 * `rows`: the words of inputs; the place is one of the first
 *
 * @param {import('glassformer').Engine} gf
 * @param {number} number
 * @param {import('../../../src/claims/index.js').Params} params
 * @param {(share: number) => void} onProgress
 * @param {AbortSignal} signal
 * @returns {Promise<ModelFile>}
 */
export async function modelFile(gf, number, params, onProgress, signal) {
  const { model, task, rows, place } = await ownModel(gf, number, params, onProgress, signal);
  try {
    const { vocabulary, outputVocabulary } = task;
    const file = /** @type {Uint8Array<ArrayBuffer>} */ (model.save({ vocabulary, outputVocabulary }));
    return { file, rows: rows.map((ids) => ids.map((id) => vocabulary.words[id])), place };
  } finally {
    model.free();
  }
}
