// A shipped model in Node, and its corpus run sentence by sentence: what the page's census must agree with.
import { readFileSync } from 'node:fs';
import { readLines } from '../../web/engine/model-cache.js';
import { readModel } from '../../src/models/measure.mjs';

/** @param {string} name */
const file = (name) => readFileSync(new URL(`../../web/models/${name}`, import.meta.url));

/**
 * @param {Awaited<ReturnType<typeof import('glassformer').load>>} gf
 * @param {string} name
 */
export function shipped(gf, name) {
  const known = readModel(/** @type {any} */ (name));
  const { config, vocabulary, targetVocabulary, weights } = known;
  const { sentences, targets } = JSON.parse(file(`${name}.corpus.json`).toString());
  const model = gf.createModel(config);
  model.loadWeights(weights);
  const corpus = {
    ids: readLines(sentences, vocabulary),
    targetIds: targets ? readLines(targets, targetVocabulary) : null,
  };

  /**
   * The activations of a layer over the corpus by token, with the words read.
   * @param {string} stack
   * @param {number} layer
   */
  function read(stack, layer) {
    const rows = [];
    corpus.ids.forEach((ids, i) => {
      const targetIds = corpus.targetIds?.[i];
      model.forward({ ...(targetIds ? { sourceIds: ids, targetIds } : { ids }), capture: true });
      const {
        data,
        shape: [, tokens, width],
      } = model.tensor(`${stack}.layers.${layer}.ffn.activation`);
      const words = (stack === 'decoder' && targets ? targets : sentences)[i].split(' ');
      for (let at = 0; at < tokens; at++) rows.push({ words, at, values: data.slice(at * width, (at + 1) * width) });
    });
    return rows;
  }
  return {
    model,
    config,
    vocabulary,
    targetVocabulary,
    weights,
    corpus,
    read,
    words: (/** @type {string} */ text) => readLines([text], vocabulary)[0],
  };
}

/**
 * The tokens that excite a neuron most.
 * @param {ReturnType<ReturnType<typeof shipped>['read']>} rows
 * @param {number} neuron
 */
export const strongest = (rows, neuron) =>
  rows
    .filter(({ values }) => values[neuron] > 0)
    .sort((a, b) => b.values[neuron] - a.values[neuron])
    .slice(0, 8);

/** The share of tokens at which each neuron is above 0. @param {ReturnType<ReturnType<typeof shipped>['read']>} rows */
export const active = (rows) =>
  Array.from(rows[0].values, (_, neuron) => rows.filter(({ values }) => values[neuron] > 0).length / rows.length);
