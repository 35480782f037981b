// A small dictionary of creek's, trained once for the tests that ask for it.
import { creek as task } from '../../../dist/tasks/index.js';
import { load } from '../../../dist/js/index.js';
import { trainFeatures } from '../../../dist/js/features.js';

/** @param {Uint8Array} file of the model @returns {Promise<import('glassformer/features').Features>} */
export async function dictionaryOf(file) {
  const { model } = await (await load()).loadModel(file);
  const { sentences } = task.heldOut(0, { limit: 1 });
  const ids = sentences.map(({ tokens }) => task.vocabulary.ids(tokens.map(({ word }) => word)));
  return trainFeatures(model, { at: { layer: 1 }, ids, features: 64, active: 4, steps: 300 });
}
