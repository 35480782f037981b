// node --import ./tests/checked.mjs SCRIPT: runs it with modules that check each access of memory and the depth of the
// stack (dist/checked, by `npm run check-heap`), where it loads dist/simd.wasm or dist/relaxed.wasm. At the end it
// prints the deepest stack.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const PAINT = 0x5eed5eed;

/** @type {{variant: string, shipped: Buffer, checked: WebAssembly.Module}[]} */
const variants = ['simd', 'relaxed'].flatMap((variant) => {
  const bytes = readFileSync(`${dist}checked/${variant}.wasm`);
  if (!WebAssembly.validate(bytes)) return []; // an engine without relaxed SIMD
  const shipped = readFileSync(`${dist}${variant}.wasm`);
  return [{ variant, shipped, checked: new WebAssembly.Module(bytes) }];
});

/** @param {string} what */
const fault = (what) => () => {
  throw new Error(`${what} in WebAssembly memory`);
};
const faults = { segfault: fault('an access out of place'), alignfault: fault('an access off its alignment') };

/** Sets the stack's limits and fills it. @param {any} exports */
function paint(exports) {
  exports.emscripten_stack_init();
  const [base, end] = [exports.emscripten_stack_get_base(), exports.emscripten_stack_get_end()];
  exports.__set_stack_limits(base, end);
  new Uint32Array(exports.memory.buffer, end, (exports.emscripten_stack_get_current() - end) >> 2).fill(PAINT);
}

/** Bytes of the stack that were written. @param {any} exports */
function depth(exports) {
  const [base, end] = [exports.emscripten_stack_get_base(), exports.emscripten_stack_get_end()];
  const words = new Uint32Array(exports.memory.buffer, end, (base - end) >> 2);
  return { used: base - end - 4 * words.findIndex((word) => word !== PAINT), size: base - end };
}

const { compile, instantiate } = WebAssembly;
/** @type {{variant: string, exports: any}[]} */ const running = [];

WebAssembly.compile = async (/** @type {any} */ bytes) =>
  variants.find(({ shipped }) => shipped.equals(bytes))?.checked ?? compile(bytes);
WebAssembly.instantiate = async (/** @type {any} */ module, /** @type {any} */ imports) => {
  const found = variants.find(({ checked }) => checked === module);
  if (!found) return instantiate(module, imports);
  const instance = await instantiate(module, { env: { ...imports.env, ...faults } });
  paint(instance.exports);
  running.push({ variant: found.variant, exports: instance.exports });
  return instance;
};

// The checks bite: a write to address 0, and a stack of 16 bytes.
for (const { variant, checked } of variants) {
  const env = { emscripten_notify_memory_growth() {}, ...faults };
  const exports = /** @type {any} */ (new WebAssembly.Instance(checked, { env }).exports);
  exports._initialize();
  paint(exports);
  const base = exports.emscripten_stack_get_base();
  const pointer = exports.gf_alloc(64);
  for (const [what, call] of /** @type {const} */ ([
    ['a write to address 0', () => exports.gf_row_norm(0, pointer, 1, 1)],
    ['a stack of 16 bytes', () => exports.gf_matmul(pointer, pointer + 16, pointer + 32, 1, 1, 1, 1, 0, 0)],
  ])) {
    let caught = false;
    exports.__set_stack_limits(base, what.includes('stack') ? base - 16 : exports.emscripten_stack_get_end());
    try {
      call();
    } catch {
      caught = true;
    }
    if (!caught) throw new Error(`${variant}: ${what} is not seen`);
  }
}

process.on('exit', () => {
  for (const { variant } of variants) {
    const depths = running.filter((one) => one.variant === variant).map(({ exports }) => depth(exports));
    const used = Math.max(...depths.map((one) => one.used));
    // A process that only tried its variants has used a few bytes.
    if (used > 64) console.log(`checked ${variant}: deepest stack ${used} of ${depths[0].size} bytes`);
  }
});
