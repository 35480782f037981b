// One pass of a model over a text: the words, and numbers that are read when a part asks for them.

import { GlassformerError } from '../../src/js/errors.js';

/** @typedef {import('./opened.js').Live} Live */
/** @typedef {import('./opened.js').Trace} Trace */
/** @typedef {ReturnType<typeof viewOf>} Pass with one kind of attention */
/** @typedef {'self' | 'encoder' | 'decoder' | 'cross'} Attention the first where a model has no other */

/** Computations under way that read a trace. @type {WeakMap<Trace, number>} */
const readers = new WeakMap();

const LONGEST = 64; // tokens of a translation

/**
 * `row` words ask and `column` words answer: of a decoder that reads a source, rows are what it says there.
 * @typedef {{words: string[], ids: number[]}} Tokens
 * @typedef {{
 *   attention: Attention, title: string, stack: 'encoder' | 'decoder', part: string, layers: number, rows: Tokens,
 *   columns: Tokens, isMasked: boolean,
 * }} Kind
 */

/**
 * @param {Live} live
 * @param {string} text
 * @throws {GlassformerError} missing, token: an empty text, a word that the model does not know
 */
export function createPass(live, text) {
  const { model, tokenizer } = live;
  const { kind: stack } = model.config;
  const { ids: given, unknown } = tokenizer.encode(text);
  if (unknown?.length)
    throw new GlassformerError('token', 'text', unknown[0].word, 'has a word the model does not know');
  if (!given.length) throw new GlassformerError('missing', 'text', text, 'has no words');
  const ids = Array.from(given, Number);
  const words = asWritten(text, ids.map(wordsBy(tokenizer)));
  const source = { words, ids };
  const isPair = stack === 'encoder-decoder';
  const target = isPair ? translated(live, ids) : null;
  /** @type {Kind[]} the first is the default */
  const kinds = target
    ? pairKinds(source, target, wordsBy(live.targetTokenizer ?? tokenizer), model.config)
    : [
        {
          ...{ attention: 'self', title: 'Attention', stack: /** @type {any} */ (stack), part: 'self_attn' },
          ...{ layers: Number(model.config.layers), rows: source, columns: source, isMasked: stack === 'decoder' },
        },
      ];
  const run = createRun(live, target ? { sourceIds: ids, targetIds: target.slice(0, -1) } : text);
  const views = kinds.map((each) => viewOf(live, text, run, each, isPair));
  views[0].tensor(`0.${kinds[0].part}.weights`); // now, so that a text that is too long is refused
  return {
    text,
    views,
    /** @param {Attention | undefined} attention undefined: the default @returns {Pass} */
    of: (attention) => views.find((view) => view.attention === attention) ?? views[0],
  };
}

/** The words of ids for people: a space is ␣. @param {any} tokenizer @returns {(id: number) => string} */
const wordsBy = (tokenizer) => (id) => tokenizer.label?.(id) ?? tokenizer.token(id);

/** The model's own translation, with its start token. @param {Live} live @param {number[]} ids @returns {number[]} */
function translated(live, ids) {
  drop(live);
  return [.../** @type {any} */ (live.model).generateSync({ sourceIds: ids }, { maxTokens: LONGEST }).ids];
}

/**
 * The attentions of an encoder–decoder. Its decoder reads all but the last token, and says all but the first.
 * @param {Tokens} source @param {number[]} target @param {(id: number) => string} wordOf
 * @param {{layers?: number, decoderLayers?: number}} counts
 * @returns {Kind[]}
 */
function pairKinds(source, target, wordOf, { layers, decoderLayers }) {
  const [said, read] = [target.slice(1), target.slice(0, -1)].map((ids) => ({ ids, words: ids.map(wordOf) }));
  const decoder = { stack: /** @type {const} */ ('decoder'), layers: Number(decoderLayers), rows: said };
  return [
    {
      ...decoder,
      attention: 'cross',
      title: 'Cross-attention',
      part: 'multihead_attn',
      columns: source,
      isMasked: false,
    },
    {
      ...decoder,
      attention: 'decoder',
      title: 'Decoder self-attention',
      part: 'self_attn',
      columns: read,
      isMasked: true,
    },
    {
      ...{ attention: 'encoder', title: 'Encoder self-attention', stack: 'encoder', part: 'self_attn' },
      ...{ layers: Number(layers), rows: source, columns: source, isMasked: false },
    },
  ];
}

/** Another pass is about to run. @param {Live} live */
function drop(live) {
  const { last } = live;
  live.last = null;
  if (last && !readers.get(last.trace)) last.trace.free();
}

/**
 * The pass itself, which runs again if another came between.
 * @param {Live} live @param {any} input
 */
function createRun(live, input) {
  const { model } = live;
  /** @type {Map<string, any>} */
  const made = new Map();
  const run = {
    /** Makes a number of this pass when it is first asked for. @param {string} name @param {() => any} make */
    once(name, make) {
      if (!made.has(name)) made.set(name, make());
      return made.get(name);
    },
    /** All numbers of the pass. @returns {Trace} */
    trace() {
      if (live.last?.pass === run) return live.last.trace;
      drop(live);
      live.last = { pass: run, trace: model.trace(input) };
      return live.last.trace;
    },
    /** Runs the pass again, where a page may have run others with its model, which then holds this one. */
    hold() {
      if (live.isFed) drop(live);
      run.trace();
    },
    /**
     * The logits at a word of a pass with patches.
     * @param {number} row @param {any[]} patches @returns {Float32Array}
     */
    changed(row, patches) {
      drop(live);
      const { data, shape } = /** @type {any} */ (model.forward(input, { patches })).logits;
      return data.slice(row * shape.at(-1), (row + 1) * shape.at(-1));
    },
    /** Keeps the trace until the computation is over. @template T @param {(trace: Trace) => Promise<T>} compute */
    async read(compute) {
      const own = run.trace();
      readers.set(own, (readers.get(own) ?? 0) + 1);
      try {
        return await compute(own);
      } finally {
        readers.set(own, Number(readers.get(own)) - 1);
        if (!readers.get(own) && live.last?.trace !== own) own.free();
      }
    },
  };
  return run;
}

/**
 * A pass as the parts see it: with one kind of attention, whose rows are words of its stack.
 * @param {Live} live @param {string} text @param {ReturnType<typeof createRun>} run @param {Kind} kind
 * @param {boolean} isPair
 */
function viewOf(live, text, run, kind, isPair) {
  const { model, tokenizer } = live;
  const { heads, d_ff: neurons, ffn } = model.config;
  const { attention, title, stack, part, layers, rows, columns, isMasked } = kind;
  const size = rows.ids.length * columns.ids.length;
  const hasLogits = model.config.head !== 'none' && !(isPair && stack === 'encoder');
  /** @param {string} name @param {() => any} make */
  const once = (name, make) => run.once(`${attention} ${name}`, make);
  /** A tensor of a layer. @param {string} name @returns {Float32Array} */
  const tensor = (name) => once(name, () => run.trace().tensor(`${stack}.layers.${name}`).data);
  const view = {
    ...run,
    ...{ live, text, once, tensor, attention, title, stack, part, layers, isPair, hasLogits },
    heads: Number(heads),
    neurons: Number(neurons),
    /** A decoder alone, whose words are followed by what it says. */
    isCausal: isMasked && !isPair,
    isSelf: rows === columns,
    words: rows.words,
    ids: rows.ids,
    columnWords: columns.words,
    columnIds: columns.ids,
    wordOf: wordsBy(isPair ? (live.targetTokenizer ?? tokenizer) : tokenizer),
    /** [words, columns] flat, 1 where the mask hides a key. */
    hidden: Uint8Array.from({ length: size }, (_, at) =>
      Number(isMasked && at % columns.ids.length > Math.floor(at / columns.ids.length)),
    ),
    /** As the attribute of a model has it. @param {number} layer @param {number} head */
    headName: (layer, head) => `${isPair ? `${attention} ` : ''}${layer + 1}.${head + 1}`,
    /** [heads, words, columns] flat. @param {number} layer */
    weights: (layer) => tensor(`${layer}.${part}.weights`),
    /** [words, neurons] flat. @param {number} layer */
    activations: (layer) => tensor(`${layer}.ffn.${ffn === 'gated' ? 'product' : 'activation'}`),
    /** The logits at a word; null: the stack has no output. @param {number} row @returns {Float32Array | null} */
    logits: (row) => once(`logits ${row}`, () => (hasLogits ? run.trace().tensor({ name: 'logits', row }).data : null)),
    /** @param {number} layer @param {number} head @returns {Float32Array} */
    head: (layer, head) => once(`${layer}.${head}`, () => view.weights(layer).subarray(head * size, (head + 1) * size)),
  };
  return view;
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
