// The worker's trained models: fetched from beside the page, made sure of, kept.

/**
 * @typedef {import('./worker.js').Weights} Weights
 * @typedef {import('./plan.js').Description} Description
 *
 * Sentences of the model's own grammar, and beside them what an encoder-decoder's decoder reads.
 * @typedef {{ids: number[][], targetIds: number[][] | null}} Corpus
 */

/**
 * @param {import('./worker.js').Engine} gf
 * @param {(bytes: Uint8Array) => {tensors: Weights}} read a safetensors file
 */
export function createShelf(gf, read) {
  /** @type {Map<string, {description: Description, weights: Weights, corpus: Corpus}>} */
  const opened = new Map();

  /** @param {string} name */
  async function fetched(name) {
    const [text, file, { sentences, targets }] = await Promise.all([
      get(`${name}.json`, 'text'), get(`${name}.safetensors`, 'arrayBuffer'), get(`${name}.corpus.json`, 'json'),
    ]);
    const description = { ...JSON.parse(text), bytes: file.byteLength };
    const { tensors } = read(new Uint8Array(file));
    const trial = gf.createModel(description.config);
    try {
      trial.loadWeights(tensors); // all of them, and no other
      if (description.vocabulary.length !== description.config.vocabulary) throw new Error('the vocabulary has another size than the embeddings');
    } finally {
      trial.free();
    }
    const { vocabulary, targetVocabulary } = description;
    return { description, weights: tensors, corpus: { ids: readLines(sentences, vocabulary), targetIds: targets ? readLines(targets, targetVocabulary) : null } };
  }

  return {
    /** @param {string} name @returns {Promise<Description>} */
    async open(name) {
      const found = opened.get(name) ?? await fetched(name);
      opened.set(name, found);
      return found.description;
    },
    /** @param {string | null} name @returns {Weights | null} */
    weights: name => (name === null ? null : opened.get(name)?.weights ?? null),
    /** @param {string | null} name @returns {Corpus | null} */
    corpus: name => (name === null ? null : opened.get(name)?.corpus ?? null),
  };
}

/** @param {string[]} lines @param {string[]} vocabulary */
export const readLines = (lines, vocabulary) => lines.map(line => line.split(' ').map(word => vocabulary.indexOf(word)));

/**
 * @param {string} file
 * @param {'text' | 'arrayBuffer' | 'json'} how
 * @returns {Promise<any>}
 */
async function get(file, how) {
  const response = await fetch(`models/${file}`); // beside the worker
  if (!response.ok) throw new Error(`models/${file} could not be fetched (${response.status})`);
  return response[how]();
}
