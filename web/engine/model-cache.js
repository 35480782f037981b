// The worker's trained models: fetched from beside the page, made sure of, kept.

/**
 * @typedef {import('./worker.js').Weights} Weights
 * @typedef {import('./plan.js').ModelInfo} ModelInfo
 *
 * Sentences of the model's own grammar, and beside them what an encoder-decoder's decoder reads.
 * @typedef {{ids: number[][], targetIds: number[][] | null}} Corpus
 *
 * The file of a model that is not beside the page.
 * @typedef {{
 *   config: Blob, weights: Blob, tokenizer?: Blob, generationConfig?: Blob, tokenizerConfig?: Blob, sourceSpm?: Blob,
 *   targetSpm?: Blob, vocab?: Blob,
 * } | File[]} Checkpoint as Hugging Face lays it out
 * @typedef {Uint8Array<ArrayBuffer> | Blob | Checkpoint} GivenFile
 *
 * `words`: of its vocabulary, source and target.
 * @typedef {{signal?: AbortSignal, onProgress?: (progress: {loaded: number, total: number}) => void, words?: string[]}}
 *   OpenOptions
 */

/**
 * Of a file that can be read again no weights are kept: `given` has them. `corpus`: undefined until it is fetched.
 * @typedef {{
 *   modelInfo: ModelInfo, weights: Weights | null, corpus: Corpus | null | undefined,
 *   given: import('./given-model.js').GivenModel | null,
 * }} Opened
 */

/**
 * @param {(gf: import('./worker.js').Engine, file: ArrayBuffer) => Promise<any>} [openShipped] opens what lies
 *   beside the page; the default fetches code for it
 */
export function createModelCache(openShipped = (gf, file) => gf.loadModel(file)) {
  /** @type {Map<string, Opened>} */
  const opened = new Map();

  /** @type {Map<string, Promise<ArrayBuffer>>} */
  const files = new Map();

  /** @param {string} name */
  function file(name) {
    const found = files.get(name) ?? get(`${name}.safetensors`, 'arrayBuffer');
    files.set(name, found);
    return found;
  }

  return {
    /** Fetches the file of a model, which needs no engine yet. @param {string} name */
    fetch(name) {
      if (!opened.has(name)) file(name).catch(() => {}); // `open` says why
    },
    /**
     * Opens a model, or the file that is given for it; where that is refused, what was open under its name stays.
     * @param {import('./worker.js').Engine} gf @param {string} name
     * @param {GivenFile} [own] @param {OpenOptions} [options]
     * @returns {Promise<ModelInfo>}
     */
    async open(gf, name, own, options) {
      try {
        const found = own
          ? await read(openShipped, gf, name, own, options)
          : (opened.get(name) ?? (await read(openShipped, gf, name, await file(name))));
        options?.signal?.throwIfAborted();
        opened.set(name, found);
        return found.modelInfo;
      } finally {
        files.delete(name); // the next request fetches a failed file again
      }
    },
    /** @param {string} name */
    forget(name) {
      opened.get(name)?.given?.release();
      opened.delete(name);
    },
    /** @param {string | null} name */
    given: (name) => opened.get(String(name))?.given,
    /** @param {string | null} name @returns {Weights | null} */
    weights: (name) => (name === null ? null : (opened.get(name)?.weights ?? null)),
    /** Fetches the corpus of an opened model, which its first result does not need. @param {string | null} name */
    async fetchCorpus(name) {
      const found = name === null ? undefined : opened.get(name);
      if (!found || found.corpus !== undefined) return;
      const { vocabulary, targetVocabulary = [] } = found.modelInfo;
      const { sentences, targets } = await get(`${name}.corpus.json`, 'json');
      found.corpus = {
        ids: readLines(sentences, vocabulary),
        targetIds: targets ? readLines(targets, targetVocabulary) : null,
      };
    },
    /** Of a model that was given: the page cuts its texts. @param {string} name @param {number[][]} ids */
    setCorpus(name, ids) {
      const found = opened.get(name);
      if (found) found.corpus = { ids: ids.toSorted((a, b) => a.length - b.length), targetIds: null };
    },
    /** The facts of an opened model. @param {string | null} name */
    info: (name) => opened.get(String(name))?.modelInfo,
    /** Null while it has not been fetched. @param {string | null} name @returns {Corpus | null} */
    corpus: (name) => (name === null ? null : (opened.get(name)?.corpus ?? null)),
  };
}

/**
 * @param {(gf: import('./worker.js').Engine, file: ArrayBuffer) => Promise<any>} openShipped
 * @param {import('./worker.js').Engine} gf
 * @param {string} name
 * @param {ArrayBuffer | GivenFile} file
 * @param {OpenOptions} [given]
 * @returns {Promise<Opened>}
 */
async function read(openShipped, gf, name, file, { words: own, ...options } = {}) {
  // Bytes as they are go the short way, without the code that reads files piece by piece.
  const isShipped = file instanceof ArrayBuffer;
  /** @type {Promise<any>} */
  const opening = isShipped
    ? openShipped(gf, file)
    : (await import('./given-model.js')).loadGiven(gf, /** @type {Blob} */ (file), options);
  const { model, tokenizer, recipe, metadata, notes, ...others } = await opening;
  const { config } = model;
  const words = own ?? wordsOf(tokenizer, config.vocabulary);
  const target =
    config.kind === 'encoder-decoder'
      ? (own ?? wordsOf(others.targetTokenizer, config.targetVocabulary) ?? words)
      : null;
  const modelInfo = {
    name,
    config,
    vocabulary: words ?? [],
    targetVocabulary: target ?? undefined,
    outputVocabulary: wordsOf(others.outputTokenizer, config.outputVocabulary) ?? target ?? words ?? [],
    recipe,
    ...(others.endIds && { endIds: others.endIds }),
    ...(others.rules && { rules: others.rules }),
    scores: scoresOf(metadata?.get('scores')),
    bytes: isShipped ? file.byteLength : (await import('./given-model.js')).bytesOf(file),
    notes,
    rounded: 'rounded' in others,
    weightsError: others.weightsError,
  };
  const isInMemory = isShipped || ArrayBuffer.isView(file);
  const given = isInMemory ? null : (await import('./given-model.js')).createGivenModel(gf, model, file, options);
  const weights = given ? null : model.weights();
  if (weights) model.free();
  return { modelInfo, weights, given, corpus: isShipped ? undefined : null };
}

/**
 * The words of a vocabulary by id, or the ids, where the file has none.
 * @param {{words?: readonly string[]} | any} vocabulary
 * @param {number} size 0: there is none
 */
const wordsOf = (vocabulary, size) =>
  vocabulary?.words ?? (size ? Array.from({ length: size }, (_, id) => String(id)) : null);

/**
 * The measurements in a file, if they are rows as the model card shows them: anybody may have made the file.
 * @param {string} [text]
 * @returns {ModelInfo['scores']}
 */
function scoresOf(text = '[]') {
  try {
    const rows = JSON.parse(text);
    const isScore = (/** @type {any} */ { name, value, note = '' }) =>
      typeof name === 'string' && Number.isFinite(value) && typeof note === 'string';
    return rows.every(isScore) ? rows : [];
  } catch {
    return [];
  }
}

/** @param {string[]} lines @param {readonly string[]} vocabulary */
export const readLines = (lines, vocabulary) =>
  lines.map((line) => line.split(' ').map((word) => vocabulary.indexOf(word)));

/**
 * Fetches a file that lies beside the page.
 * @param {string} file
 * @param {'arrayBuffer' | 'json'} how
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export async function get(file, how, signal) {
  const response = await fetch(`models/${file}`, { signal }); // beside the worker
  if (!response.ok) throw new Error(`models/${file} could not be fetched (${response.status})`);
  return response[how]();
}
