// Limits of what a user downloads, in bytes: gzipped, the package packed. They stand 2 % above what was measured
// on 2026-11-29; a commit that raises one says why.

/** @type {Record<string, number>} */
export const MOST_BYTES = {
  'simd.wasm': 57_600, // 1.1 kB are the passes in slices, .7 top-k and data sets, .8 relative positions
  'relaxed.wasm': 57_600,
  'load of glassformer': 36_500, // .8 kB are top-k, data sets and features, .9 rules and beams, .3 words of patches
  'all of glassformer': 41_700, // .1 kB are the ends of own vocabularies
  'all of glassformer/core': 44_200,
  'load of glassformer/core': 36_550,
  'the script of glassformer/worker': 67_200, // 1.3 kB are beam search, .6 attribution by feature, .6 the rules
  'load of glassformer/worker, without its script': 7_600,
  'glassformer/elements': 13_000, // 2.5 kB are <glass-model>, .6 the parts without what draws them, .4 the widget
  'a part of a model': 12_000,
  'the packed package': 1_420_000, // ten claims, features, beams, tokenizers, encoder–decoders, elements of a model
  'the first opening': 340_000,
};
