// Limits of what a user downloads, in bytes: gzipped, the package packed. They stand 2 % above what was measured
// on 2026-11-29; a commit that raises one says why.

/** @type {Record<string, number>} */
export const MOST_BYTES = {
  'simd.wasm': 57_600, // 1.1 kB are the passes in slices, .7 top-k and data sets, .8 relative positions
  'relaxed.wasm': 57_600,
  'load of glassformer': 37_000, // .8 kB are top-k, data sets and features, .9 rules and beams, .4 words of errors
  'all of glassformer': 42_400, // .2 kB are labels of rows and the types of a head for classes
  'all of glassformer/core': 45_200, // .3 kB are heads for classes
  'load of glassformer/core': 37_000, // .1 kB are labels of rows
  'the script of glassformer/worker': 76_300, // 2.5 kB are adapters, 1.8 spans, 1.3 classes, .9 files in 8 bits
  'load of glassformer/worker, without its script': 7_800, // .1 kB are answers, whose words are on this side
  'glassformer/elements': 15_200, // 3.2 kB are <glass-model> and its pass, .8 parts, .5 models by property, .3 order
  'a part of a model': 12_288, // 12 KiB; <glass-why> has all steps of Explore's Why
  'the packed package': 1_485_000, // API.md in full, adapters and heads that train, <glass-why>, tasks
  'the first opening': 340_000,
};
