import { readSettings } from './config.js';
import { operationsReader } from './cost.js';
import { Engine } from './engine.js';
import { GlassformerError } from '../errors.js';
import { LISTED, Memory, STRUCT_BYTES } from '../arrays/memory.js';
import { any, choice, optional, readOptions, refuseType } from '../arrays/tensor.js';

/** @typedef {'simd' | 'relaxed'} Variant */

/**
 * The forms in which a module can be given. A promise of one also works, such as `fetch(url)`.
 * @typedef {import('../formats/source.js').FileSource | import('../globals.js').WasmModule} WasmSource
 */

/**
 * One running module, as the rest of this package knows it.
 * @typedef {object} Core
 * @property {import('../arrays/memory.js').Functions} functions the gf_* exports (src/wasm/api.h)
 * @property {Memory} memory
 * @property {number} struct pointer to what the core reports, kept so that no step allocates
 * @property {number} words pointer to a configuration, kept likewise
 * @property {import('./config.js').Setting[]} settings with the defaults of the first kind
 * @property {Variant} variant
 * @property {string} reason
 * @property {WebAssembly.Module} module
 * @property {number} limit multiply-adds that a call may take
 * @property {typeof import('../entries/files.js').files} [files] where an entry has methods for them
 * @property {() => Promise<{train: typeof import('./train.js').train}>} train runs a loop of steps
 * @property {import('../worker/slices.js').Slices} [slices] in a worker: cut large passes over threads
 */

/** Options that need an engine in a worker. @type {Record<string, import('../arrays/tensor.js').Reader<void>>} */
const ELSEWHERE = {
  worker(value, name) {
    const why = 'no worker can be started here: load of glassformer does so in pages, Node, Deno and Bun';
    if (value) throw new GlassformerError('unsupported', name, undefined, why);
    if (value !== undefined && value !== false) refuseType(name, value, 'true, false, a script or a worker');
  },
  threads(value, name) {
    if (value === undefined || value === 1) return;
    throw new GlassformerError(
      'unsupported',
      name,
      value,
      'needs worker: true, as in load({ worker: true, threads: 2 })',
    );
  },
};

/**
 * @param {object} options
 * @returns {{variant: Variant | 'auto', wasm: unknown, maxOperations: number}}
 */
export function readLoad(options) {
  return readOptions(options, {
    variant: optional(choice(/** @type {const} */ (['auto', 'simd', 'relaxed'])), 'auto'),
    wasm: any,
    maxOperations: operationsReader(),
    ...ELSEWHERE,
  });
}

/** A function of one SIMD instruction. */
const SIMD = /* @__PURE__ */ new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 9, 1, 7, 0, 65, 0, 253, 15, 26, 11,
]);

/** @param {string} message @returns {never} */
function unsupported(message) {
  throw new GlassformerError('unsupported', 'WebAssembly', undefined, message);
}

/** Refuses an engine without WebAssembly. */
export function checkEngine() {
  if (typeof WebAssembly !== 'object') {
    unsupported('this engine has none, or it is off (lockdown mode, enhanced security): turn it on');
  }
}

/** Refuses a place where no module of ours can be compiled, before one is fetched. */
export function checkPlatform() {
  checkEngine();
  if (!WebAssembly.validate(SIMD)) {
    unsupported('this engine has no SIMD: Chrome 91, Firefox 89, Safari 16.4 and Node 20 or later have it');
  }
  try {
    new WebAssembly.Module(SIMD);
  } catch (error) {
    unsupported(
      "compiling is forbidden here: a page's Content-Security-Policy needs 'wasm-unsafe-eval' in script-src, another " +
        `host load of 'glassformer/core' with a WebAssembly.Module as wasm (${error})`,
    );
  }
}

/** Also one of another realm, as edge runtimes give it. @param {any} source @returns {source is WebAssembly.Module} */
export function isModule(source) {
  try {
    return Boolean(WebAssembly.Module.exports(source));
  } catch {
    return false;
  }
}

/**
 * @param {Uint8Array} bytes of a module
 * @returns {Promise<WebAssembly.Module>}
 */
export async function compiled(bytes) {
  try {
    return await WebAssembly.compile(bytes.slice()); // V8 takes no view of memory that is shared
  } catch (error) {
    const message = `does not compile in this engine (relaxed.wasm needs relaxed SIMD): ${error}`;
    throw new GlassformerError('format', 'wasm', undefined, message);
  }
}

/**
 * @param {WebAssembly.Module} module
 * @param {Omit<ReturnType<typeof readLoad>, 'wasm'> & Pick<Core, 'files'> & {train?: Core['train']}} wanted
 * @param {string} [reason] why it is this module, where the caller has not named its variant
 * @returns {Promise<Engine>}
 */
export async function start(module, { variant: requested, maxOperations: limit, files, train = files?.train }, reason) {
  // Nothing to do on growth: Memory sees it.
  const env = { emscripten_notify_memory_growth() {} };
  let exports;
  try {
    ({ exports } = await WebAssembly.instantiate(module, { env }));
  } catch (error) {
    throw new GlassformerError('format', 'wasm', undefined, `does not start: ${error}`);
  }
  const functions = /** @type {import('../arrays/memory.js').Functions} */ (exports);
  if (!(exports.memory instanceof WebAssembly.Memory && functions._initialize && functions.gf_tile)) {
    throw new GlassformerError('format', 'wasm', undefined, 'is not a module of glassformer');
  }
  functions._initialize();
  // The module itself tells what it is: the tallest unrolled tile has six rows in the relaxed one (src/wasm/api.h).
  const variant = functions.gf_tile(0) === 6 ? 'relaxed' : 'simd';
  if (requested !== 'auto' && requested !== variant) {
    const message = `the module given as wasm is ${variant}: leave variant out`;
    throw new GlassformerError('range', 'variant', requested, message);
  }
  functions.gf_tile(tileFor(globalThis));
  reason = requested === 'auto' ? (reason ?? `The caller gave ${variant}.wasm.`) : `The caller asked for ${requested}.`;
  const memory = new Memory(exports.memory, functions);
  /** @type {Core} */
  const core = {
    module,
    functions,
    memory,
    struct: memory.allocate(LISTED * STRUCT_BYTES),
    words: memory.allocate(4 * functions.gf_config_count()),
    settings: [],
    variant,
    reason,
    limit,
    files,
    train: /** @type {Core['train']} */ (train),
  };
  core.settings = readSettings(core, 0);
  return new Engine(core);
}

/** The V8 from which on six unrolled rows of a product at a time are faster than four. */
const SIX_ROWS_FROM = 13;

/**
 * The register tile of products (gf_tile in src/wasm/api.h) that suits the JavaScript engine, by what it says of
 * itself: timing it at the start would measure how it warms up. Measurements: src/kernel/tile.c.
 * @param {{process?: any, navigator?: any}} world globalThis
 * @returns {0 | 4 | 6}
 */
export function tileFor({ process, navigator }) {
  const { v8, bun } = process?.versions ?? {};
  // Bun names a V8 for Node's sake, but is JavaScriptCore. Chromium 130 has V8 13.0.
  const agent = bun ? 'AppleWebKit' : (navigator?.userAgent ?? '');
  const version = bun ? 0 : parseInt(v8) || Number(/Chrome\/(\d+)/.exec(agent)?.[1]) / 10;
  if (version) return version < SIX_ROWS_FROM ? 4 : 0;
  return /Firefox/.test(agent) ? 0 : /AppleWebKit/.test(agent) ? 6 : 4;
}
