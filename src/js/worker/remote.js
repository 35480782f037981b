import { embedded } from '../engine/embedded.js';
import { connect } from './connect.js';
import { GlassformerError } from '../errors.js';
import { awaitedOrLooped } from '../arrays/object.js';
import { isNamed } from '../arrays/names.js';
import { openEither, readTokenizer, remoteFills } from '../files/kind.js';
import { spawn } from './platform.js';
import {
  calls,
  engines,
  knownWords,
  lendTexts,
  lent,
  namedInput,
  opened,
  textsOf,
  withoutTexts,
} from '../engine/named.js';
import { endsOf, promptIds, promptInput, writerOf } from '../engine/prompt.js';

/** @typedef {(method: string, ...args: any[]) => Promise<any>} Call */

/**
 * Methods that take more than a call and its answer. `changes` weights or training: once begun it is done, and its
 * promise says so. `reads` an input as its first argument, whose texts become ids on this side; `cuts` them at the
 * model's limit. `steps`: awaited, or looped over.
 */
const WAYS = {
  changes: ['step', 'initialize', 'loadWeights', 'restore', 'resume', 'free'],
  reads: ['forward', 'forwardBytes', 'trace', 'embed', 'classify', 'classifyTokens', 'step', 'loss', 'gradients'],
  cuts: ['embed', 'classify', 'classifyTokens'],
  steps: ['decided'],
};

/** @param {object} self @param {string} method @param {any[]} given */
function withIds(self, method, given) {
  const known = WAYS.reads.includes(method) ? lent.get(self) : undefined;
  return known ? [namedInput(known, given[0], given[1], WAYS.cuts.includes(method))] : given;
}

/**
 * Of the worker one step after the other, each when the loop asks for it.
 * @param {Call} call
 * @param {string} method
 * @param {any[]} args
 * @returns {AsyncGenerator<any, any, any>}
 */
async function* stepsOf(call, method, args) {
  const { signal } = args.find((each) => isNamed(each) && each.signal) ?? {};
  const step = await call('steps', method, ...args);
  /** @type {unknown} */
  let answer;
  try {
    for (;;) {
      const { done, value } = await step('next', { signal, answer });
      if (done) return value;
      answer = yield value;
    }
  } finally {
    step('return').catch(() => {}); // of a worker that has ended
  }
}

/** @param {Call} call @param {string} method @param {any[]} args */
const stepped = (call, method, args) =>
  awaitedOrLooped(
    () => call(method, ...args),
    () => stepsOf(call, method, args),
  );

/**
 * Tokens of the worker with their text, which this side knows; at a text of `stop` this side ends a row.
 * @param {Call} call
 * @param {{tokenizer: any, texts: string[], prompt: (row: number) => ArrayLike<number>, args: any[]}} given
 */
async function* written(call, { tokenizer, texts, prompt, args }) {
  const { withText, writer } = await import('../engine/written.js');
  /** @type {ReturnType<typeof writer>[]} */
  const writers = [];
  const of = (/** @type {number} */ row) => (writers[row] ??= writer(tokenizer, prompt(row), texts));
  const steps = stepsOf(call, 'generate', args);
  try {
    for (let answer; ;) {
      const { done, value } = await steps.next(answer);
      if (done) {
        const last = (/** @type {any} */ each, row = 0) =>
          each.beams ? withText(tokenizer, each) : of(row).result(each);
        return Array.isArray(value) ? value.map(last) : last(value);
      }
      const token = value.candidates ? value : of(value.row).token(value);
      yield token;
      answer = token.endedBy;
    }
  } finally {
    await steps.return(undefined);
  }
}

/** @param {any} tokenizer @param {any} results */
async function resultsWith(tokenizer, results) {
  const { withText } = await import('../engine/written.js');
  return Array.isArray(results) ? results.map((each) => withText(tokenizer, each)) : withText(tokenizer, results);
}

/**
 * Methods that take more than a message there and back.
 * @type {Record<string, (call: Call, ...args: any[]) => any>}
 */
const WRAPPED = {
  async loadModel(call, source, ...rest) {
    const { portable, settle } = await import('./portable.js');
    const file = async (/** @type {any} */ given) => {
      const read = await call('loadModel', await portable(given, 'file'), ...rest);
      const { Vocabulary } = await import('../text/vocabulary.js');
      for (const name in read) {
        const { words, level, maxLength } = (/okenizer$/.test(name) && read[name]) || {};
        if (words) read[name] = Object.assign(new Vocabulary(words, { level }), { maxLength });
      }
      const { family, config } = Object(JSON.parse(read.metadata.get('glassformer.checkpoint') ?? '{}'));
      if (family) opened.set(read.model, { family, config });
      const json = read.tokenizer ? undefined : read.metadata.get('tokenizer');
      const { unread, ...words } = json === undefined ? {} : await readTokenizer(json);
      const { endIds, rules } = read;
      lendTexts(read.model, textsOf(read.model.config, { ...Object.assign(read, words), unread, endIds, rules }));
      return read;
    };
    return openEither(await settle(source, 'file'), file, async (given) => {
      const there = /** @type {any} */ ({});
      remoteFills.set(there, call.bind(0, 'fill'));
      return (await import('../files/load-checkpoint.js')).loadCheckpoint(there, given, ...rest);
    });
  },

  /** Its words stay here, too. */
  async createModel(call, config) {
    const { once, texts } = withoutTexts(config);
    const model = await call('createModel', once);
    lendTexts(model, textsOf(model.config, texts));
    return model;
  },

  /** @this {any} */
  async trainer(call, ...given) {
    const trainer = await call('trainer', ...given);
    lent.set(trainer, lent.get(this) ?? { config: this.config, texts: {} });
    return trainer;
  },

  /** Of what this side knows of the model: the worker's script does without. @this {any} */
  async save(call, options) {
    const { format, ...others } = Object(options);
    if (format === 'huggingface') return (await import('../files/save-checkpoint.js')).saveCheckpoint(this, others);
    if (format === 'onnx') return (await import('../files/onnx-file.js')).ofRemote(this, others);
    return call('save', { ...(lent.has(this) && knownWords(/** @type {any} */ (lent.get(this)))), ...options });
  },

  /** @this {any} */
  async clone(call, ...given) {
    const copy = await call('clone', ...given);
    lendTexts(copy, lent.get(this)?.texts ?? {});
    opened.set(copy, opened.get(this));
    return copy;
  },

  /** A dictionary of features stays on this side: the trace says what leads from its place to the logit. @this {any} */
  async attribution(call, ...given) {
    const { features, at } = /** @type {any} */ (Object(given[1]));
    if (features === undefined && at === undefined) return call('attribution', ...given);
    const { withFeatures } = await import('../engine/feature-effects.js');
    return withFeatures(this, given[1], (options, place) => call('attributionAt', given[0], options, place));
  },

  /** The words are on this side. @this {any} */
  async answer(call, question, text, options) {
    if (typeof question !== 'string') return call('answer', question, text, options);
    const { askedOf, withAnswer } = await import('../engine/question.js');
    const known = /** @type {any} */ (lent.get(this) ?? { config: this.config, texts: {} });
    const answer = await call('answer', askedOf(known, question, text, options));
    return withAnswer(known.texts.tokenizer, answer);
  },

  /** Keys the gradients by the caller's own objects. */
  async gradients(call, input, options) {
    const found = await call('gradients', input, options);
    if (!found.gradients) return found; // of a trainer
    const of = options?.of ?? input.of;
    return { ...found, gradients: new Map([...found.gradients.values()].map((each, i) => [of[i], each])) };
  },

  /** @this {any} */
  generate(call, input, options) {
    const known = lent.get(this) ?? { config: this.config, texts: {} };
    const tokenizer = writerOf(known);
    const isText = (/** @type {unknown} */ each) => tokenizer && typeof each === 'string' && each;
    const read = () => {
      const given = promptInput(known, input, options);
      const { unread, rules: own } = /** @type {any} */ (known).texts;
      const { stop: ends, endId = endsOf(known), rules = own } = Object(given);
      if (isNamed(given)) Object.assign(given, { endId, rules });
      if (unread && [ends].flat().some((each) => typeof each === 'string')) throw unread;
      const stop = isText(ends) ? [ends] : ends;
      const texts = Array.isArray(stop) ? stop.filter(isText) : [];
      if (texts.length) given.stop = stop.filter((/** @type {unknown} */ each) => !isText(each));
      return { tokenizer, texts, prompt: (/** @type {number} */ row) => promptIds(known, given, row), args: [given] };
    };
    const finish = async () => {
      const given = read();
      if (!given.texts.length) return resultsWith(tokenizer, await call('generate', ...given.args));
      const steps = written(call, given);
      let step = await steps.next();
      while (!step.done) step = await steps.next();
      return step.value;
    };
    const loop = async function* () {
      return yield* written(call, read());
    };
    return awaitedOrLooped(finish, loop, true);
  },

  /** A trace's numbers are on this side: they go, too. @this {any} */
  async free(call) {
    await call('free');
    if (!('output' in this)) return;
    const get = () => {
      throw new GlassformerError('freed', 'trace', undefined, 'was freed');
    };
    for (const name of Object.keys(this)) Object.defineProperty(this, name, { get });
  },

  async train(call, batches, options) {
    const take = (/** @type {any} */ batch, /** @type {any} */ signal) =>
      call('step', signal ? { ...batch, signal } : batch);
    return (await import('../engine/train.js')).train(take, batches, options);
  },
};

/** Objects of workers: their numbers. @type {WeakMap<object, {to: bigint, connection: unknown}>} */
const remotes = new WeakMap();

/**
 * `load` of an engine in a worker.
 * @param {Record<string, any>} options
 * @returns {Promise<any>}
 */
export async function loadRemote({ worker: given, threads = 1, least, ...options }) {
  if (!(Number.isInteger(threads) && threads > 0 && threads <= 64)) {
    throw new GlassformerError('range', 'threads', threads, 'must be an integer from 1 to 64');
  }
  /** @type {ReturnType<typeof connect> | undefined} */
  let connection;
  /** @type {Map<number, WeakRef<any>>} */
  const held = new Map();
  const dropped = new FinalizationRegistry((/** @type {number} */ to) => {
    held.delete(to);
    connection?.drop(to);
  });

  /** @type {any} */
  let engineThere;

  /** @param {{$object: bigint, methods?: string[], facts?: object}} made */
  function remote({ $object, methods, facts }) {
    const to = Number($object);
    /** @type {Call} */
    const call = async (method, ...args) => {
      let given = withIds(object, method, args);
      if (Array.isArray(given[0]?.patches) && given[0].patches.some((/** @type {any} */ each) => each?.of)) {
        const { withoutFeatures } = await import('./feature-patches.js');
        given = await withoutFeatures(object, call, method, given);
      }
      return /** @type {any} */ (connection).call(method, given, { to, whole: WAYS.changes.includes(method) });
    };
    /** @type {any} */
    const object = methods ? { ...facts } : (/** @type {any[]} */ ...args) => call('', ...args);
    const define = (/** @type {PropertyKey} */ name, /** @type {unknown} */ value) =>
      Object.defineProperty(object, name, { value });
    for (const method of methods ?? []) {
      define(method, (/** @type {any[]} */ ...args) =>
        Object.hasOwn(WRAPPED, method)
          ? WRAPPED[method].call(object, call, ...args)
          : WAYS.steps.includes(method)
            ? stepped(call, method, args)
            : call(method, ...args),
      );
    }
    if (object.createModel) {
      engineThere = object;
      const over = new GlassformerError('freed', 'worker', undefined, 'was terminated');
      define('terminate', () => connection?.terminate(over));
    }
    const end = object.terminate ?? object.free;
    for (const name of end ? ['dispose', 'asyncDispose'] : []) {
      define(/** @type {any} */ (Symbol)[name] ?? Symbol.for(`Symbol.${name}`), async () => end());
    }
    dropped.register(object, to);
    held.set(to, new WeakRef(object));
    remotes.set(object, { to: $object, connection });
    calls.set(object, call);
    engines.set(object, () => engineThere);
    return object;
  }

  /** @param {any} value @param {Record<string, object>} [facts] what has changed, by object @returns {any} */
  function unpack(value, facts = {}) {
    for (const [to, changed] of Object.entries(facts)) Object.assign(held.get(Number(to))?.deref() ?? {}, changed);
    if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
    if (typeof value.$object === 'bigint') return remote(value);
    if (value instanceof Map) for (const [key, each] of value) value.set(key, unpack(each));
    else if (!Array.isArray(value) || typeof value[0] === 'object') {
      for (const key of Object.keys(value)) value[key] = unpack(value[key]);
    }
    return value;
  }

  /** @param {object} value */
  function referTo(value) {
    const known = remotes.get(value);
    if (!known || known.connection === connection) return known?.to;
    throw new GlassformerError('foreign', 'this', value, 'is of another worker');
  }

  const begin = () => spawn(given);

  try {
    if ('wasm' in options) options.wasm = await (await import('./portable.js')).portable(options.wasm, 'wasm');
    let end = () => {};
    connection = connect(await begin(), { unpack, referTo, ended: () => end() });
    const choice = await connection.call('choose', [options]);
    const { variant } = choice;
    const engine = await connection.call('load', [options, choice, variant && (await embedded(variant))]);
    if (threads > 1 && !given?.postMessage) {
      end = await (await import('./threads.js')).join(connection, begin, threads - 1, least);
    }
    return engine;
  } catch (error) {
    connection?.terminate(error);
    const hasEnded = error instanceof GlassformerError && error.code === 'freed' && error.parameter === 'worker';
    if (error instanceof GlassformerError && !hasEnded) throw error;
    throw notStarted(error, given);
  }
}

/**
 * The error that explains why a worker did not start, and the remedy.
 * @param {unknown} error
 * @param {unknown} given as `worker`
 */
function notStarted(error, given) {
  const isTyped = /TrustedScriptURL|Trusted Types?/i.test(`${error}`);
  if (!isTyped && (typeof given === 'string' || given instanceof URL)) {
    const why = `its script did not start: is it there, is it JavaScript, may the page load it? (${error})`;
    return new GlassformerError('unsupported', 'worker', `${given}`, why, error);
  }
  const copy = 'the text of glassformer/worker-thread on the site as a file';
  const address = "'/worker-thread.js'";
  const policy = `trustedTypes.createPolicy('glassformer', { createScriptURL: String }).createScriptURL(${address})`;
  const way = isTyped
    ? `under require-trusted-types-for 'script', name ${copy} by a policy: load({ worker: ${policy} })`
    : `where a page's Content-Security-Policy has no blob: in worker-src, put ${copy}: load({ worker: ${address} })`;
  return new GlassformerError('unsupported', 'worker', undefined, `could not be started; ${way} (${error})`, error);
}
