// What a bundler or workerd that compiles it makes of an import of simd.wasm or relaxed.wasm.
declare const module: WebAssembly.Module;
export default module;
