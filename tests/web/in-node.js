// The module's own answers in Node, beside which tests of the page put those shown; without a browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { trainFeatures } from 'glassformer/features';
import { creek, placeLabels } from 'glassformer/tasks';
import { readModel } from '../../src/models/measure.mjs';
import { inputOf } from '../../web/engine/part.js';
import { MAX_TOKENS, VOCABULARY, tokenize } from '../../web/engine/tokens.js';

/** @typedef {Awaited<ReturnType<typeof import('glassformer').load>>} Glassformer */

export const SENTENCE = 'The creek was cold and the spunky dog wanted to jump over it.';
export const TARGET = 'Der Bach war kalt und der muntere Hund wollte hinüberspringen.';

/**
 * Whether a shown number is the computed one. Node may run the other variant, which differs in the
 * last bits, so a rounding edge of the four decimals is allowed for.
 * @param {number} shown
 * @param {number} computed
 */
export function assertShown(shown, computed, message = '') {
  assert(
    Math.abs(shown - computed) <= 0.5e-4 + 2e-6 * Math.max(1, Math.abs(computed)),
    `${message} shown ${shown}, computed ${computed}`,
  );
}

/**
 * The module's own answer for the page's text and settings.
 * @param {Glassformer} gf
 * @param {object} settings what differs from the page's defaults
 * @param {{text?: string, target?: string}} [texts]
 */
export function compute(gf, settings, { text = SENTENCE, target } = {}) {
  const config = {
    kind: 'encoder',
    layers: 2,
    heads: 4,
    d_model: 64,
    d_ff: 256,
    vocabulary: VOCABULARY,
    maxLength: MAX_TOKENS,
    seed: 0,
    ...settings,
  };
  const model = gf.createModel(config);
  const input = { ids: tokenize(text).ids, ...(target ? { targetIds: tokenize(target).ids } : {}) };
  model.forward({ ...inputOf(input), capture: true });
  return {
    model,
    input,
    /** One element by name and index. @param {string} name @param {number[]} index */
    at(name, ...index) {
      const { data, shape } = model.tensor(name);
      return data[index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)];
    },
  };
}

/** A file of a shipped model. @param {string} name */
export const file = (name) => readFileSync(new URL(`../../web/models/${name}`, import.meta.url));

/**
 * A shipped model in Node, its switches changed.
 * @param {Glassformer} gf
 * @param {string} name
 * @param {object} [changes]
 */
export function shipped(gf, name, changes = {}) {
  const { config, vocabulary, targetVocabulary, scores, weights } = readModel(/** @type {any} */ (name));
  const model = gf.createModel({ ...config, ...changes });
  model.loadWeights(weights, { strict: false });
  const ids = (/** @type {string} */ text, words = vocabulary) =>
    text.split(/ |(?=[.,;:!?](?: |$))/).map((word) => words.indexOf(word)); // a mark is its own word
  /** @param {string} tensor @param {number[]} index */
  const at = (tensor, ...index) => {
    const { data, shape } = model.tensor(tensor);
    return data[index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)];
  };
  const probabilities = () => gf.softmax(model.tensor('logits'));
  return { model, config, vocabulary, targetVocabulary, scores, ids, at, probabilities };
}

/**
 * The dictionary of the stream after creek's second layer, as the page finds it, and what each feature detects.
 * @param {Glassformer} gf of the variant simd
 */
export async function creekFeatures(gf) {
  const { model } = shipped(gf, 'creek');
  const { sentences } = creek.heldOut(readModel('creek').recipe.dataSeed, { limit: 1 });
  const ids = sentences.map(({ tokens }) => creek.vocabulary.ids(tokens.map(({ word }) => word)));
  const at = 'encoder.layers.1.out';
  const made = await trainFeatures(model, { at, ids, features: 256, active: 5, steps: 2000, seed: 0 });
  return { made, scores: made.score(placeLabels(sentences)) };
}
