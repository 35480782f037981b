// The tests that npm test leaves to npm run test:all: the longest line with which a file's path begins decides.

/** Other engines; trainings and claims; random calls by the thousand; packing; most of the page in a browser. */
export const LONG = [
  'tests/claims/layers.',
  'tests/claims/models.',
  'tests/claims/outcomes.',
  'tests/claims/quick.',
  'tests/claims/training.',
  'tests/claims/turns.',
  'tests/fuzz/api.',
  'tests/fuzz/detached.',
  'tests/interop/',
  'tests/js/arranged.',
  'tests/js/failures.',
  'tests/js/hostile-checkpoints.',
  'tests/js/large-files.',
  'tests/js/onnx.',
  'tests/js/safetensors-stream.',
  'tests/js/shards.',
  'tests/js/shipped.',
  'tests/js/tokenizer.',
  'tests/js/tokenizer-grid.',
  'tests/js/tokenizer-today.',
  'tests/js/tokenizer-vocabulary.',
  'tests/mutants/',
  'tests/programs/programs.',
  'tests/recipes.',
  'tests/smoke/',
  'tests/tasks/creek-scores.',
  'tests/tasks/learned.',
  'tests/tasks/predict.',
  'tests/tasks/text.',
  'tests/tasks/translate.',
  'tests/tools/package.',
  'tests/types.',
  'tests/web/app/',
  'tests/web/claims/',
  'tests/web/draw/faces.',
  'tests/web/draw/formulas.',
  'tests/web/elements.',
  'tests/web/engine/kept-hub.',
  'tests/web/engine/tokens.',
  'tests/web/explore/',
  'tests/web/export/',
  'tests/web/layout.',
  'tests/web/lessons/lessons.',
  'tests/web/memory.',
  'tests/web/models/',
  'tests/web/monkey-long.',
  'tests/web/tour/',
  'tests/web/train/',
];

export const SHORT = [
  'tests/web/app/notices.',
  'tests/web/app/own-json',
  'tests/web/app/page.',
  'tests/web/app/places.',
  'tests/web/app/router.',
  'tests/web/app/schema.',
  'tests/web/claims/address.',
  'tests/web/claims/boundary.',
  'tests/web/claims/guess.',
  'tests/web/claims/indices.',
  'tests/web/claims/kept-answers.',
  'tests/web/claims/matching.',
  'tests/web/claims/numbers.',
  'tests/web/claims/page.',
  'tests/web/claims/search.',
  'tests/web/claims/textbook.',
  'tests/web/claims/turns.',
  'tests/web/explore/features/',
  'tests/web/tour/chromium.',
  'tests/web/train/carry',
  'tests/web/train/keep',
  'tests/web/train/run',
];

/** Long, in Node, and with the same numbers everywhere: trainings.mjs says when they may be left out. */
export const TRAININGS = [
  'tests/claims/layers.test.js',
  'tests/claims/outcomes.test.js',
  'tests/claims/quick.test.js',
  'tests/claims/training.test.js',
  'tests/claims/turns.test.js',
  'tests/tasks/creek-scores.test.js',
  'tests/tasks/learned.test.js',
  'tests/tasks/predict.test.js',
  'tests/tasks/text.test.js',
  'tests/tasks/translate.test.js',
];

/** @param {string} file */
export function isLong(file) {
  const longest = (/** @type {string[]} */ lines) =>
    Math.max(0, ...lines.filter((line) => file.startsWith(line)).map(({ length }) => length));
  return longest(LONG) > longest(SHORT);
}
