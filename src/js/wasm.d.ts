// The modules exist in dist/ only, one folder above the scripts.
declare module '*.wasm.js' {
  /** gzip, in base64 */
  const base64: string;
  export default base64;
}
declare module '*.text.js' {
  /** a script */
  const text: string;
  export default text;
}
declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
declare module '*.wasm?module' {
  const module: WebAssembly.Module;
  export default module;
}
// The parts that the entry for Node uses.
declare module 'node:fs' {
  export function readFileSync(path: string): Uint8Array;
}
declare module 'node:worker_threads' {
  export class Worker {
    constructor(script: string | URL, options?: { eval: boolean; execArgv: string[] });
    postMessage(message: any): void;
    terminate(): unknown;
  }
}
declare module 'node:url' {
  export function fileURLToPath(url: string): string;
}
