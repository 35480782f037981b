import { readSettings } from './config.js';
import { Engine } from './engine.js';
import { GlassformerError } from './errors.js';
import { Memory, STRUCT_BYTES } from './memory.js';
import { choice, optional, readOptions, refuseType } from './tensor.js';

/** @typedef {'simd' | 'relaxed'} Variant */

/**
 * One running module, as the rest of this package knows it.
 * @typedef {object} Core
 * @property {import('./memory.js').Functions} functions the gf_* exports (src/wasm/api.h)
 * @property {Memory} memory
 * @property {number} struct pointer to room for what the core tells, kept so that no step allocates
 * @property {import('./config.js').Setting[]} settings with the defaults of the first kind
 * @property {Variant} variant
 * @property {string} reason
 */

/** i32.const 0, i8x16.splat: a v128. */
const VECTOR = [65, 0, 253, 15];

/** One function that returns a v128: validates where the engine knows its instructions. */
const PROBES = {
  simd: probe(VECTOR),
  // f32x4.relaxed_madd, opcode 0x105
  relaxed: probe([...VECTOR, ...VECTOR, ...VECTOR, 253, 133, 2]),
};

/**
 * @param {number[]} code instructions that leave one v128
 * @returns {Uint8Array<ArrayBuffer>} a module
 */
function probe(code) {
  const body = [0, ...code, 11];
  const sections = [1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, body.length + 2, 1, body.length];
  return Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, ...sections, ...body);
}

/**
 * Whether this WebAssembly engine can run a variant.
 * @param {Variant} variant
 * @returns {boolean}
 */
function runs(variant) {
  return typeof WebAssembly === 'object' && WebAssembly.validate(PROBES[variant]);
}

/**
 * Starts an engine with a memory of its own.
 * @param {{variant?: 'auto' | 'simd' | 'relaxed',
 *   wasm?: BufferSource | WebAssembly.Module | Response}} [options] variant: `auto` (default) takes
 *   relaxed SIMD where the WebAssembly engine validates it; only `simd` gives the same bits
 *   everywhere. wasm: this module instead of the built-in one; with `auto` it counts as simd
 * @returns {Promise<Engine>}
 * @throws {GlassformerError} unsupported where this engine cannot run the
 *   variant, format for a module that is none of ours, type, range, unknown
 */
export async function load(options = {}) {
  const { variant: wish, wasm } = readOptions(options, {
    variant: optional(choice(/** @type {const} */ (['auto', 'simd', 'relaxed'])), 'auto'),
    wasm: (value) => value,
  });
  if (!runs('simd')) {
    throw new GlassformerError('unsupported', 'WebAssembly', undefined,
      'this engine has no WebAssembly SIMD');
  }
  const relaxed = runs('relaxed');
  if (wish === 'relaxed' && !relaxed) {
    throw new GlassformerError('unsupported', 'variant', wish,
      'this engine has no relaxed SIMD; simd and auto work');
  }
  const { variant, reason } = choose(wish, relaxed, wasm !== undefined);
  const module = await compile(wasm === undefined ? await builtIn(variant) : await toSource(wasm));
  return new Engine(await start(module, variant, reason));
}

/**
 * @param {Variant | 'auto'} wish
 * @param {boolean} relaxed whether it validates here
 * @param {boolean} given whether the caller brings the module
 * @returns {{variant: Variant, reason: string}}
 */
function choose(wish, relaxed, given) {
  if (wish !== 'auto') return { variant: wish, reason: `The caller asked for ${wish}.` };
  if (given) return { variant: 'simd', reason: 'The caller gave a module without naming its variant.' };
  return relaxed
    ? { variant: 'relaxed', reason: 'This engine validates relaxed SIMD.' }
    : { variant: 'simd', reason: 'This engine validates SIMD but not relaxed SIMD.' };
}

/**
 * The module that the package carries: gzip in base64, which every bundler takes as it is.
 * @param {Variant} variant
 * @returns {Promise<ArrayBuffer>}
 */
async function builtIn(variant) {
  // Two literal imports, because bundlers follow no computed one. The files exist in dist/ only.
  const { default: base64 } = variant === 'simd'
    ? await import('./simd.wasm.js')
    : await import('./relaxed.wasm.js');
  const zipped = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

/**
 * @param {unknown} wasm
 * @returns {Promise<BufferSource | WebAssembly.Module>}
 */
async function toSource(wasm) {
  // V8 takes no DataView, though it is a BufferSource.
  if (ArrayBuffer.isView(wasm)) return new Uint8Array(wasm.buffer, wasm.byteOffset, wasm.byteLength).slice();
  if (wasm instanceof WebAssembly.Module || wasm instanceof ArrayBuffer) return wasm;
  if (!(typeof Response === 'function' && wasm instanceof Response)) {
    refuseType('wasm', wasm, 'a BufferSource, WebAssembly.Module or Response');
  }
  if (!wasm.ok) throw new GlassformerError('format', 'wasm', wasm.status, 'the response is an error');
  return wasm.arrayBuffer();
}

/**
 * @param {BufferSource | WebAssembly.Module} source
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  try {
    return await WebAssembly.compile(source);
  } catch (error) {
    throw new GlassformerError('format', 'wasm', undefined, `does not compile: ${error}`);
  }
}

/**
 * @param {WebAssembly.Module} module
 * @param {Variant} variant
 * @param {string} reason
 * @returns {Promise<Core>}
 */
async function start(module, variant, reason) {
  // Nothing to do on growth: Memory looks at the buffer before each access.
  const env = { emscripten_notify_memory_growth() {} };
  let exports;
  try {
    ({ exports } = await WebAssembly.instantiate(module, { env }));
  } catch (error) {
    throw new GlassformerError('format', 'wasm', undefined, `does not start: ${error}`);
  }
  const functions = /** @type {import('./memory.js').Functions} */ (exports);
  if (!(exports.memory instanceof WebAssembly.Memory && functions._initialize && functions.gf_version)) {
    throw new GlassformerError('format', 'wasm', undefined, 'is not a module of glassformer');
  }
  functions._initialize();
  const memory = new Memory(exports.memory, functions);
  /** @type {Core} */
  const core = { functions, memory, struct: memory.allocate(STRUCT_BYTES), settings: [], variant, reason };
  core.settings = readSettings(core, 0);
  return core;
}
