// One pass of a model over a text: the words, and numbers that are read when a part asks for them.

import { GlassformerError } from '../../src/js/errors.js';

/** @typedef {import('./opened.js').Live} Live */
/** @typedef {import('./opened.js').Trace} Trace */
/** @typedef {ReturnType<typeof createPass>} Pass */

/** Computations under way that read a trace. @type {WeakMap<Trace, number>} */
const readers = new WeakMap();

/**
 * @param {Live} live
 * @param {string} text
 * @throws {GlassformerError} missing, token: an empty text, a word that the model does not know
 */
export function createPass(live, text) {
  const { model, tokenizer } = live;
  const { kind: stack, layers, heads, d_ff: neurons, ffn } = model.config;
  const { ids, unknown } = tokenizer.encode(text);
  if (unknown?.length)
    throw new GlassformerError('token', 'text', unknown[0].word, 'has a word the model does not know');
  if (!ids.length) throw new GlassformerError('missing', 'text', text, 'has no words');
  /** A token for people: a space is ␣. @param {number} id @returns {string} */
  const wordOf = (id) => tokenizer.label?.(id) ?? tokenizer.token(id);
  /** @type {Map<string, any>} */
  const made = new Map();
  /** Makes a number of this pass when it is first asked for. @param {string} name @param {() => any} make */
  function once(name, make) {
    if (!made.has(name)) made.set(name, make());
    return made.get(name);
  }
  /** Another pass is about to run. */
  function drop() {
    const { last } = live;
    live.last = null;
    if (last && !readers.get(last.trace)) last.trace.free();
  }
  /** All numbers of the pass; it runs again if another came between. @returns {Trace} */
  function trace() {
    if (live.last?.pass === pass) return live.last.trace;
    drop();
    live.last = { pass, trace: model.trace(text) };
    return live.last.trace;
  }
  /** A tensor of a layer. @param {string} name @returns {Float32Array} */
  const tensor = (name) => once(name, () => trace().tensor(`${stack}.layers.${name}`).data);
  const pass = {
    ...{ live, text, once, trace, tensor, stack: /** @type {'encoder' | 'decoder'} */ (stack) },
    layers: Number(layers),
    heads: Number(heads),
    neurons: Number(neurons),
    isCausal: stack === 'decoder',
    words: asWritten(text, Array.from(ids, wordOf)),
    wordOf,
    ids: /** @type {number[]} */ (ids),
    /** [words, words] flat, 1 where the mask hides a key. */
    hidden: Uint8Array.from({ length: ids.length ** 2 }, (_, at) =>
      Number(stack === 'decoder' && at % ids.length > Math.floor(at / ids.length)),
    ),
    /** Runs the pass again, where a page may have run others with its model, which then holds this one. */
    hold() {
      if (live.isFed) drop();
      trace();
    },
    /** [heads, words, words] flat. @param {number} layer */
    weights: (layer) => tensor(`${layer}.self_attn.weights`),
    /** [words, neurons] flat. @param {number} layer */
    activations: (layer) => tensor(`${layer}.ffn.${ffn === 'gated' ? 'product' : 'activation'}`),
    /** The logits at a word; null: the model has no output. @param {number} row @returns {Float32Array | null} */
    logits: (row) =>
      once(`logits ${row}`, () => (model.config.head === 'none' ? null : trace().tensor({ name: 'logits', row }).data)),
    /**
     * The logits at a word of a pass with patches.
     * @param {number} row @param {any[]} patches @returns {Float32Array}
     */
    changed(row, patches) {
      drop();
      const { data, shape } = /** @type {any} */ (model.forward(text, { patches })).logits;
      return data.slice(row * shape.at(-1), (row + 1) * shape.at(-1));
    },
    /** Keeps the trace until the computation is over. @template T @param {(trace: Trace) => Promise<T>} compute */
    async read(compute) {
      const own = trace();
      readers.set(own, (readers.get(own) ?? 0) + 1);
      try {
        return await compute(own);
      } finally {
        readers.set(own, Number(readers.get(own)) - 1);
        if (!readers.get(own) && live.last?.trace !== own) own.free();
      }
    },
    /** @param {number} layer @param {number} head */
    head(layer, head) {
      const size = pass.words.length ** 2;
      return once(`${layer}.${head}`, () => pass.weights(layer).subarray(head * size, (head + 1) * size));
    },
  };
  tensor('0.self_attn.weights'); // now, so that a text that is too long is refused
  return pass;
}

/**
 * Tokens as the text has them: vocabularies keep small letters.
 * @param {string} text @param {string[]} tokens @returns {string[]}
 */
function asWritten(text, tokens) {
  const lower = text.toLowerCase();
  let from = 0;
  return tokens.map((token) => {
    const at = lower.length === text.length ? lower.indexOf(token.toLowerCase(), from) : -1;
    if (at < 0) return token;
    from = at + token.length;
    return text.slice(at, from);
  });
}
