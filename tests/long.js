// What npm test leaves to npm run test:all. A test file is long whose path begins with a line of LONG, unless it begins
// with a longer one of SHORT.

/** Other engines; trainings; large or many files; packing; of the page what the short tour and these few leave. */
export const LONG = [
  'tests/claims/models.',
  'tests/js/hostile-checkpoints.',
  'tests/js/large-files.',
  'tests/js/safetensors-stream.',
  'tests/js/shipped.',
  'tests/js/tokenizer.',
  'tests/js/tokenizer-grid.',
  'tests/js/tokenizer-today.',
  'tests/js/tokenizer-vocabulary.',
  'tests/mutants/',
  'tests/smoke/',
  'tests/tasks/creek-scores.',
  'tests/tasks/learned.',
  'tests/tasks/predict.',
  'tests/tasks/text.',
  'tests/tasks/translate.',
  'tests/tools/package.',
  'tests/types.',
  'tests/web/app/access',
  'tests/web/app/anywhere',
  'tests/web/app/loading',
  'tests/web/app/offline',
  'tests/web/app/own-',
  'tests/web/app/own.',
  'tests/web/app/policy',
  'tests/web/app/reach',
  'tests/web/app/retrain',
  'tests/web/app/url',
  'tests/web/claims/code',
  'tests/web/claims/journey',
  'tests/web/claims/list',
  'tests/web/claims/own-model',
  'tests/web/claims/picture',
  'tests/web/claims/projector',
  'tests/web/draw/formulas.',
  'tests/web/elements.',
  'tests/web/engine/tokens.',
  'tests/web/explore/',
  'tests/web/export/',
  'tests/web/layout.',
  'tests/web/memory.',
  'tests/web/models/',
  'tests/web/monkey-long.',
  'tests/web/tour/',
  'tests/web/train/',
];

export const SHORT = [
  'tests/web/app/own-download',
  'tests/web/app/own-json',
  'tests/web/explore/answers',
  'tests/web/explore/features/',
  'tests/web/explore/highlight',
  'tests/web/tour/chromium.',
  'tests/web/train/carry',
  'tests/web/train/keep',
  'tests/web/train/place',
  'tests/web/train/run',
  'tests/web/train/watch',
];

/** @param {string} file */
export const isLong = (file) => {
  const begins = (/** @type {string} */ line) => file.startsWith(line);
  return LONG.some(begins) && !SHORT.some(begins);
};
