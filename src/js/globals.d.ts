// Types that an environment may have, for programs that are compiled without the DOM's types as well.

/** An instance of a global class; never where there is no such class. */
export type Instance<N extends string> = typeof globalThis extends { [K in N]: { prototype: infer T } } ? T : never;

export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer T } } } ? T : never;
