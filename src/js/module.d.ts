// What a bundler or workerd that compiles it makes of an import of simd.wasm or relaxed.wasm.
import type { WasmModule } from './globals.js';
declare const module: WasmModule;
export default module;
