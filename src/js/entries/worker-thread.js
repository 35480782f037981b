// Runs an engine in the worker and makes its calls one after the other, in the order in which they come.
import { GlassformerError } from '../errors.js';
import { unpack } from '../engine/embedded.js';
import { files as own } from './files.js';
import { unknownTo } from '../engine/known.js';
import { forwardCut, Model, handleOf } from '../engine/model.js';
import { loadModel, modelOfZeros } from '../files/open-model.js';
import { coreOf, Engine } from '../engine/engine.js';
import { serve } from '../worker/serve.js';
import { compute } from '../worker/shard.js';
import { Slices, takePart } from '../worker/slices.js';
import { toModule } from '../engine/given.js';
import { checkPlatform, readLoad, start } from '../engine/start.js';
import { orderOf } from '../engine/patches.js';
import { selected } from '../engine/selector.js';
import { Trace } from '../engine/trace.js';
import { Trainer } from '../engine/trainer.js';
import { choose, maddHere } from '../engine/variant.js';

/** Read piece by piece, with progress and an ear for the signal; nothing can be fetched from here. */
const files = { ...own, loadModel };

const STAY = [Engine, Model, Trace, Trainer];

/** Methods that handle a signal themselves. */
const HEARS = ['generate', 'decided', 'loadModel'];

/** @type {import('../engine/start.js').Core} */
let core;

/** The owner's copy of an object's facts. @type {WeakMap<object, Record<string, unknown>>} */
const known = new WeakMap();

/** @type {Promise<unknown>} */
let last = Promise.resolve();

/** @param {any} target @param {string} method @param {any[]} args */
function make(target, method, args) {
  if (!method) return target(...args);
  if (method === 'view') {
    throw new GlassformerError('unsupported', 'view', undefined, 'a worker shares no memory: use tensor()');
  }
  if (method === 'generateSync') {
    throw new GlassformerError('unsupported', method, undefined, 'a worker computes at the side: use generate()');
  }
  if (method === 'fill') {
    const [config, tensors] = args;
    const model = modelOfZeros(target, config, tensors);
    const handle = handleOf(model);
    return {
      model,
      put: (/** @type {string} */ name, /** @type {Float32Array} */ data) => handle.put(handle.get(name), data),
      end: (/** @type {any} */ checkpoint) => void (handle.checkpoint = checkpoint),
    };
  }
  if (method === 'placesOf') {
    return args[0].map((/** @type {any} */ { selector, parameter }) => {
      const { name, region, role, facts } = selected(handleOf(target), selector, parameter);
      return { facts: { ...facts, name, region, role }, order: orderOf(handleOf(target), name) };
    });
  }
  if (method === 'attributionAt') {
    const [token, options, at] = args;
    return import('../engine/lens.js').then((lens) => lens.attributionAt(target, token, options, at));
  }
  if (method === 'unknownTo') return unknownTo(handleOf(target), args[0]);
  if (method === 'labelsOf') return handleOf(target).texts.labels;
  if (method === 'steps') {
    const [name, ...given] = args;
    const steps = target[name](...given)[Symbol.asyncIterator]();
    return (/** @type {'next' | 'return'} */ how, /** @type {any} */ given) => steps[how](given?.answer);
  }
  // It was asked before, where the method has no ear for it.
  for (const [i, each] of HEARS.includes(method) ? [] : args.entries()) {
    if (!each?.signal?.throwIfAborted) continue;
    delete each.signal;
    if (i > 0 && Object.keys(each).length === 0) args.pop();
  }
  if (core?.slices && target instanceof Model && method === 'forward') {
    return forwardCut(target, args[0], args[1], core.slices);
  }
  return target[method](...args);
}

serve(
  {
    /** The embedded module to send; nothing where the caller brings one. @param {object} options */
    choose(options) {
      const { variant, wasm } = readLoad(options);
      if (wasm !== undefined) return {};
      checkPlatform();
      return choose(variant, maddHere());
    },
    /** @param {any} options @param {{reason?: string}} choice @param {string} [base64] */
    async load(options, { reason }, base64) {
      const { wasm, ...wanted } = readLoad(options);
      const module = await toModule(base64 ? unpack(base64) : asResponse(wasm));
      const engine = await start(module, { ...wanted, files }, reason);
      core = coreOf(engine);
      return engine;
    },
    /**
     * Large passes are cut over this thread and others.
     * @param {import('../worker/threads.js').Place & {control: MessagePort}} place
     */
    join({ ports, control, least }) {
      core.slices = new Slices(core, ports, control, least);
    },
    /** This is one of the others. @param {import('../worker/threads.js').Place} place */
    slice({ index, ports }) {
      void takePart(index, ports);
    },
    /**
     * A copy of a model, to compute gradients of shards with.
     * @param {WebAssembly.Module} module
     * @param {import('../engine/config.js').Settings} config
     * @param {import('../engine/trainer.js').Sharded['settings']} settings
     */
    async helper(module, config, settings) {
      const gf = await start(module, { variant: 'auto', maxOperations: Infinity });
      const model = gf.createModel(config);
      model.trainer(settings);
      /** @type {Float32Array[]} */
      const free = [];
      return (/** @type {import('../worker/shards.js').Job & {buffers: Float32Array[]}} */ job) => {
        const { buffers, steps, shards, count } = job;
        const handle = handleOf(model);
        handle.functions.gf_trainer_resume(handle.id, steps);
        handle.block(0).set(buffers[0]);
        for (const buffer of buffers) free.push(buffer);
        return compute(handle, shards, count, free);
      };
    },
  },
  {
    describe,
    invoke(target, method, args, signal) {
      const call = last.then(() => {
        signal.throwIfAborted();
        return make(target, method, args.map(asResponse));
      });
      last = call.catch(() => {});
      return call;
    },
  },
);

/**
 * Names of methods, and the properties that have changed since the last answer.
 * @param {any} object
 */
function describe(object) {
  if (!STAY.some((each) => object instanceof each)) return undefined;
  /** @type {string[]} */
  const methods = [];
  /** @type {Record<string, unknown>} */
  const facts = {};
  const before = known.get(object) ?? {};
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (name === 'constructor') continue;
      try {
        if (typeof value === 'function') {
          if (!methods.includes(name)) methods.push(name); // a subclass has its own
        } else if (!(name in before && Object.is(before[name], object[name]))) facts[name] = object[name];
      } catch {
        // such as the steps of a trainer whose model was freed
      }
    }
  }
  known.set(object, { ...before, ...facts });
  return { methods, facts };
}

/** Restores `arrayBuffer` of a Response that the caller's side took apart. @param {any} given */
function asResponse(given) {
  const was = typeof given === 'object' && given !== null && 'bodyUsed' in given && 'ok' in given;
  return was ? { ...given, arrayBuffer: async () => given.bytes } : given;
}
