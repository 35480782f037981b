// The worker's trained models: fetched from beside the page, made sure of, kept.

/**
 * @typedef {import('./worker.js').Weights} Weights
 * @typedef {import('./plan.js').ModelInfo} ModelInfo
 *
 * Sentences of the model's own grammar, and beside them what an encoder-decoder's decoder reads.
 * @typedef {{ids: number[][], targetIds: number[][] | null}} Corpus
 */

export function createModelCache() {
  /** @typedef {{modelInfo: ModelInfo, weights: Weights, corpus: Corpus | null}} Opened */
  /** @type {Map<string, Opened>} */
  const opened = new Map();

  /** @param {import('./worker.js').Engine} gf @param {string} name @param {ArrayBuffer} file */
  async function read(gf, name, file) {
    const { model, vocabulary, recipe, metadata, ...others } = await gf.loadModel(file);
    const { config } = model;
    const words = vocabulary?.words ?? [];
    const target = config.kind === 'encoder-decoder' ? (others.targetVocabulary?.words ?? words) : undefined;
    const modelInfo = {
      name,
      config,
      vocabulary: words,
      targetVocabulary: target,
      outputVocabulary: others.outputVocabulary?.words ?? target ?? words,
      recipe,
      scores: JSON.parse(metadata.get('scores') ?? '[]'),
      bytes: file.byteLength,
    };
    const weights = model.weights();
    model.free();
    return { modelInfo, weights, corpus: null };
  }

  /** @type {Map<string, Promise<ArrayBuffer>>} */
  const files = new Map();
  /** Models whose files are not beside the page; they have no corpus. @type {Set<string>} */
  const given = new Set();

  /** @param {string} name */
  function file(name) {
    const found = files.get(name) ?? get(`${name}.safetensors`, 'arrayBuffer');
    files.set(name, found);
    return found;
  }

  return {
    /**
     * Fetches the file of a model, which needs no engine yet; one that is given is kept.
     * @param {string} name @param {Uint8Array<ArrayBuffer>} [bytes]
     */
    fetch(name, bytes) {
      if (bytes) {
        given.add(name);
        opened.delete(name);
        files.set(name, Promise.resolve(bytes.buffer));
      } else if (!opened.has(name)) file(name).catch(() => {}); // `open` says why
    },
    /** @param {import('./worker.js').Engine} gf @param {string} name @returns {Promise<ModelInfo>} */
    async open(gf, name) {
      try {
        const found = opened.get(name) ?? (await read(gf, name, await file(name)));
        opened.set(name, found);
        return found.modelInfo;
      } finally {
        if (!given.has(name)) files.delete(name); // what failed is fetched anew by the next request
      }
    },
    /** @param {string | null} name @returns {Weights | null} */
    weights: (name) => (name === null ? null : (opened.get(name)?.weights ?? null)),
    /** Fetches the corpus of an opened model, which its first result does not need. @param {string | null} name */
    async fetchCorpus(name) {
      const found = name === null ? undefined : opened.get(name);
      if (!found || found.corpus || given.has(String(name))) return;
      const { vocabulary, targetVocabulary = [] } = found.modelInfo;
      const { sentences, targets } = await get(`${name}.corpus.json`, 'json');
      found.corpus = {
        ids: readLines(sentences, vocabulary),
        targetIds: targets ? readLines(targets, targetVocabulary) : null,
      };
    },
    /** Null while it has not been fetched. @param {string | null} name @returns {Corpus | null} */
    corpus: (name) => (name === null ? null : (opened.get(name)?.corpus ?? null)),
  };
}

/** @param {string[]} lines @param {readonly string[]} vocabulary */
export const readLines = (lines, vocabulary) =>
  lines.map((line) => line.split(' ').map((word) => vocabulary.indexOf(word)));

/**
 * @param {string} file
 * @param {'arrayBuffer' | 'json'} how
 * @returns {Promise<any>}
 */
async function get(file, how) {
  const response = await fetch(`models/${file}`); // beside the worker
  if (!response.ok) throw new Error(`models/${file} could not be fetched (${response.status})`);
  return response[how]();
}
