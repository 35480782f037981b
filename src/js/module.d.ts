// The type of an import of simd.wasm or relaxed.wasm in a bundler or workerd that compiles it.
import type { WasmModule } from './globals.js';
declare const module: WasmModule;
export default module;
