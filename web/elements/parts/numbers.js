// Numbers of a pass that take more of the engine than its tensors.

import { largest } from '../../../src/js/arrays/arrays.js';

/** @typedef {import('../pass.js').Pass} Pass */
/** @typedef {import('../../draw/predictions.js').Readout} Readout */
/** @typedef {import('glassformer').Attribution & {word: string}} Added */

/**
 * Each head's and FFN's effect on the lead of the likeliest word at a place over the next one.
 * @param {Pass} pass @param {number} row
 * @returns {Promise<Added | null>} null: the model has no output
 */
export const addedAt = (pass, row) =>
  pass.once(`added ${row}`, async () => {
    const logits = pass.logits(row);
    if (!logits) return null;
    const [id, against] = largest(logits, 2);
    const added = await pass.read((trace) => trace.attribution(row, { id, against }));
    return { ...added, word: pass.wordOf(id) };
  });

/**
 * The likeliest word at each place if the model stopped after a layer, and of the whole model; each is read once.
 * @param {Pass} pass
 * @returns {Promise<Readout[] | null>} null: the model has no output
 */
export const lensOf = (pass) =>
  pass.once('lens', async () => {
    const { gf } = pass.live;
    if (!pass.hasLogits) return null;
    const places = [`${pass.stack}.input`, ...Array(pass.layers).keys()];
    /** @type {Readout[]} */
    const readouts = [];
    for (const place of places) {
      const { data, shape } = await pass.read((trace) => trace.lens(place));
      const width = /** @type {number} */ (shape.at(-1));
      const probabilities = /** @type {Float32Array} */ (
        gf.softmax({ data, shape: [data.length / width, width] }).data
      );
      const ids = Int32Array.from(pass.words, (_, row) => largest(rowOf(probabilities, row, width), 1)[0]);
      readouts.push({
        title: typeof place === 'number' ? `Layer ${place + 1}` : 'Input',
        ids,
        probabilities: Float32Array.from(ids, (id, row) => probabilities[row * width + id]),
      });
    }
    return readouts;
  });

/**
 * The likeliest words at a place.
 * @param {Pass} pass @param {number} row @param {number} count
 * @returns {import('../../draw/predictions.js').Candidate[]} none of a model without an output
 */
export const answersAt = (pass, row, count) =>
  pass.once(`answers ${row}`, () => {
    const { gf } = pass.live;
    const logits = pass.logits(row);
    if (!logits) return [];
    const probabilities = gf.softmax(logits).data;
    return largest(logits, count).map((id) => ({
      word: pass.wordOf(id),
      logit: logits[id],
      probability: probabilities[id],
    }));
  });

/** @param {Float32Array} data @param {number} row @param {number} width */
const rowOf = (data, row, width) => data.subarray(row * width, (row + 1) * width);
