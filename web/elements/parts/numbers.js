// Numbers of a pass that take more of the engine than its tensors.

import { largest } from '../../../src/js/arrays/arrays.js';

/** @typedef {import('../pass.js').Pass} Pass */
/** @typedef {import('glassformer').Attribution & {word: string}} Added */

/**
 * Each head's and FFN's effect on the lead of the likeliest word at a place over the next one.
 * @param {Pass} pass @param {number} row
 * @returns {Promise<Added | null>} null: the model has no output
 */
export const addedAt = (pass, row) =>
  pass.once(`added ${row}`, async () => {
    const { model, tokenizer } = pass.live;
    if (model.config.head === 'none') return null;
    const trace = model.trace(pass.text);
    const { data } = trace.tensor({ name: 'logits', row });
    const [id, against] = largest(/** @type {Float32Array} */ (data), 2);
    const added = await trace.attribution(row, { id, against });
    trace.free();
    return { ...added, word: tokenizer.token(id) };
  });
