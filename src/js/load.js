import { readSettings } from './config.js';
import { Engine } from './engine.js';
import { GlassformerError } from './errors.js';
import { Memory, STRUCT_BYTES } from './memory.js';
import { choice, optional, readOptions, refuseType } from './tensor.js';
import { choose, maddHere, tileFor } from './variant.js';

/** @typedef {import('./variant.js').Variant} Variant */

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

/**
 * Starts an engine with a memory of its own.
 * @param {{variant?: 'auto' | 'simd' | 'relaxed',
 *   wasm?: BufferSource | WebAssembly.Module | Response}} [options] variant: `auto` (default) takes
 *   relaxed SIMD where the WebAssembly engine has it with a fused multiply-add; only `simd` gives the
 *   same bits everywhere. wasm: this module instead of the built-in one; with `auto` it counts as simd
 * @returns {Promise<Engine>}
 * @throws {GlassformerError} unsupported where this engine cannot run the
 *   variant, format for a module that is none of ours, type, range, unknown
 */
export async function load(options = {}) {
  const { variant: requested, wasm } = readOptions(options, {
    variant: optional(choice(/** @type {const} */ (['auto', 'simd', 'relaxed'])), 'auto'),
    wasm: (value) => value,
  });
  if (typeof WebAssembly !== 'object') {
    throw new GlassformerError('unsupported', 'WebAssembly', undefined, 'this engine has none');
  }
  const madd = maddHere();
  if (requested === 'relaxed' && madd === 'missing') {
    throw new GlassformerError(
      'unsupported',
      'variant',
      requested,
      'this engine has no relaxed SIMD; simd and auto work',
    );
  }
  const given = wasm !== undefined;
  const chosen = choose({ requested, madd, given });
  const source = given ? await toSource(wasm) : (beside(chosen.variant) ?? (await builtIn(chosen.variant)));
  return new Engine(await start(await compile(source, given), chosen));
}

/**
 * The module's file beside this one, where it is Node that runs it from its package: read in .7 ms,
 * where the carried one takes 8. Undefined where there is no such file, as in a bundle.
 * @param {Variant} variant
 * @returns {Uint8Array | undefined}
 */
function beside(variant) {
  const { process, Deno } = /** @type {any} */ (globalThis);
  if (Deno) return undefined; // which may stop and ask whether that is permitted
  try {
    // No second argument of URL, or bundlers would take it for an asset of theirs.
    return process
      .getBuiltinModule('node:fs')
      .readFileSync(new URL(import.meta.url.replace(/[^/]*$/, `${variant}.wasm`)));
  } catch {
    return undefined;
  }
}

/**
 * The module that the package carries: gzip in base64, which every bundler takes as it is.
 * @param {Variant} variant
 * @returns {Promise<BufferSource>}
 */
async function builtIn(variant) {
  // Two literal imports, because bundlers follow no computed one. The files exist in dist/ only.
  const { default: base64 } = variant === 'simd' ? await import('./simd.wasm.js') : await import('./relaxed.wasm.js');
  // Node has both steps at hand, where the machinery of its streams takes 40 ms to start. A call, so
  // that no bundler looks for these modules.
  const { process } = /** @type {any} */ (globalThis);
  const zlib = process?.getBuiltinModule?.('node:zlib');
  if (zlib) return zlib.gunzipSync(process.getBuiltinModule('node:buffer').Buffer.from(base64, 'base64'));
  const zipped =
    /** @type {any} */ (Uint8Array).fromBase64?.(base64) ??
    Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const { body } = new Response(zipped);
  return new Response(body?.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
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
 * @param {boolean} given our own is well-formed: where it does not compile, there is no SIMD, or a
 *   policy is against it
 * @returns {Promise<WebAssembly.Module>}
 */
async function compile(source, given) {
  if (source instanceof WebAssembly.Module) return source;
  try {
    return await WebAssembly.compile(source);
  } catch (error) {
    const [code, parameter] = given
      ? /** @type {const} */ (['format', 'wasm'])
      : /** @type {const} */ (['unsupported', 'WebAssembly']);
    throw new GlassformerError(code, parameter, undefined, `does not compile: ${error}`);
  }
}

/**
 * @param {WebAssembly.Module} module
 * @param {ReturnType<typeof choose>} choice
 * @returns {Promise<Core>}
 */
async function start(module, { variant, reason }) {
  // Nothing to do on growth: Memory sees it.
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
  if (variant === 'relaxed') functions.gf_tile(tileFor(globalThis));
  const memory = new Memory(exports.memory, functions);
  /** @type {Core} */
  const core = { functions, memory, struct: memory.allocate(STRUCT_BYTES), settings: [], variant, reason };
  core.settings = readSettings(core, 0);
  return core;
}
