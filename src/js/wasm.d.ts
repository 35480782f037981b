// The packed modules exist in dist/ only, beside the bundle.
declare module '*.wasm.js' {
  /** gzip, in base64 */
  const base64: string;
  export default base64;
}
