// Allowed imports: the table of src/docs/guides/architecture.md, for JavaScript. `npm run dependencies` checks it.
// tests/structure.test.js checks the includes of C. Types that JSDoc names are not seen: dependency-cruiser would need
// TypeScript's former API for them.
//
// A rule forbids an import from a module that matches `from` of one that matches `to`; $1 is what the parentheses in
// `from` matched. Paths are seen from the top of the tree, those of packages begin with node_modules, and what no file
// stands for (the package by its own name, modules made by the build) keeps the name by which it is imported.

/** Built files, existing or not: before the build the name as it is written. */
const BUILT = '^([.][.]/)*dist/';
/** The WebAssembly modules, which lie above the scripts that the package bundles. */
const WASM = '^[.][.]/((simd|relaxed)[.]wasm([.]js|[?]module)?|worker-thread[.]text[.]js)$';
const ERRORS = '^src/js/errors[.]js$';
const JSON_READER = '^src/js/formats/json[.]js$';
/** The addresses of the hub and the names of the families, for the box that opens a model by its name. */
const HUB = '^src/js/files/(hub|families/index)[.]js$';
/** The words whose swap is tried where somebody asks what decided: without an engine. */
const SWAPS = '^src/js/engine/swaps[.]js$';
/** The rules of a model's files on what it writes. */
const RULES = '^src/js/engine/rules[.]js$';
/** The tokenizers of a Marian, for the worker that cuts texts. */
const PIECES = '^src/js/files/load-pieces[.]js$';
/** Where the largest values stand. */
const LARGEST = '^src/js/arrays/arrays[.]js$';
/** Code that the elements fetch beside a model: it opens its file, and makes attributions and lenses. */
const BESIDE_MODEL = '^src/js/(files/opening|engine/lens)[.]js$';
const VOCABULARY = '^src/js/text/vocabulary[.]js$';
/** Where a vocabulary cuts a text. */
const CUTS = '^src/js/text/cuts[.]js$';
const LIT = '^node_modules/lit-html/';
/** Parts of the kit for workers: nothing of the page. */
const KIT_OF_WORKERS = '^web/kit/(client|in-words|letters|trap|turn)[.]js$';
/** The worker of Train. */
const TRAIN_WORKER = '^web/train/run/';
/** The one build of that package that browsers take; see the option enhancedResolveOptions. */
/** The worker of Claims. */
const CLAIMS_WORKER = '^web/claims/(worker|related)[.]js$';
/** The mathematics of a lesson that is a claim, too. */
const TOY = '^src/claims/shared/toy[.]js$';
/** The parts of the claims that it imports: their list, how a model of theirs is opened, the cells of their maps. */
const CLAIMS = '^src/claims/(index|shared/(own-model|boundary))[.]js$';
const PACKAGE = '^glassformer(/|$)';
/** An entry of the build's bundler, which its exports alone name. */
const MINIFIER = '^rolldown/utils$';

/**
 * The modules of a part may import these and nothing else.
 * @param {string} name @param {string} comment @param {string} path @param {string[]} allowed
 */
const only = (name, comment, path, allowed) => ({
  name,
  comment,
  severity: 'error',
  from: { path, pathNot: '[.]mjs$' },
  to: { pathNot: allowed },
});

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    only('src-js', 'The npm module imports itself only, and the WebAssembly modules beside it.', '^src/js/', [
      '^src/js/',
      WASM,
      // for the entry node.js alone: see the rule web-node
      '^(node:)?(fs|url|worker_threads)$',
    ]),
    only('src-tasks', 'Tasks are data without an engine; they share its error and vocabulary.', '^src/tasks/', [
      '^src/tasks/',
      ERRORS,
      VOCABULARY,
      CUTS,
    ]),
    only('src-js-arrays', 'What callers give, and results: no engine, no files.', '^src/js/arrays/', [
      '^src/js/arrays/',
      ERRORS,
    ]),
    only('src-js-text', 'Texts to ids and back: of a vocabulary, of a tokenizer.json.', '^src/js/text/', [
      '^src/js/(arrays|text)/',
      ERRORS,
    ]),
    only('src-js-formats', 'Bytes to values and back: JSON, safetensors, PyTorch, ONNX.', '^src/js/formats/', [
      '^src/js/(arrays|formats)/',
      ERRORS,
    ]),
    only('src-js-engine', 'Calls into the module.', '^src/js/engine/', [
      '^src/js/(arrays|engine)/',
      '^src/js/formats/(json|source)[.]js$',
      WASM,
      ERRORS,
    ]),
    only('src-js-derivatives', 'Derivatives of operations and models.', '^src/js/derivatives/', [
      '^src/js/(arrays|engine|derivatives)/',
      ERRORS,
    ]),
    only('src-js-files', 'Models and checkpoints as files, here or on a hub.', '^src/js/files/', [
      '^src/js/(arrays|text|formats|engine|files)/',
      ERRORS,
    ]),
    only('src-js-features', 'Dictionaries of features: opening, computing and training them.', '^src/js/features/', [
      '^src/js/(arrays|formats|engine|files|features)/',
      ERRORS,
    ]),
    only('src-js-worker', 'An engine in a worker.', '^src/js/worker/', [
      '^src/js/(arrays|text|formats|engine|files|worker)/',
      WASM,
      ERRORS,
    ]),
    {
      name: 'src-scripts',
      comment: 'What builds, packs and serves needs Node, src and packages of the build alone.',
      severity: 'error',
      from: { path: '^src/(tools|docs)/.*[.]mjs$' },
      to: {
        pathNot: ['^src/', '^node_modules/(esbuild|@gfx/zopfli|sirv|subset-font|rolldown|typescript)/', MINIFIER],
        dependencyTypesNot: ['core'],
      },
    },

    only('kit', 'What every place is composed of knows no place.', '^web/kit/', [
      '^web/(kit|draw)/',
      LIT,
      PACKAGE, // see the rules package and package-worker
    ]),
    only('draw', 'Pixels know no data.', '^web/draw/', ['^web/draw/', LIT]),
    only('elements', 'Published without dependencies but the package, whose engine comes late.', '^web/elements/', [
      ERRORS,
      LARGEST,
      BESIDE_MODEL,
      '^web/(elements|draw)/',
      '^web/kit/turn[.]js$',
      '^dist/generated/settings[.]js$',
      PACKAGE, // see the rule package
      '^elements[a-z-]*[.]css$', // their style sheets, made by src/tools/build.mjs
      LIT,
    ]),
    only(
      'export',
      'Pictures, tables and files are made of drawings and of pure modules of the engine.',
      '^web/export/',
      ['^web/(export|kit|draw)/', '^web/engine/(?!worker[.]js)', LIT],
    ),
    only('lessons', 'Lessons are data and judge plain facts; the places that show them give these.', '^web/lessons/', [
      '^web/(lessons|kit|draw)/',
      TOY,
      '^web/engine/(plan|interventions)[.]js$',
      LIT,
    ]),
    {
      name: 'lessons-late',
      comment: 'The first opening must not fetch them.',
      severity: 'error',
      from: { path: '^web/(app|kit|explore/(?!shared/(book|facts)[.]))' },
      to: { path: ['^web/lessons/', '^web/explore/shared/(book|facts)[.]js$'], dependencyTypesNot: ['dynamic-import'] },
    },
    only('feature-file', 'A feature is a file and knows no other feature.', '^web/explore/(features/[^/]+)[.]js$', [
      '^web/explore/($1[.]css$|shared/)',
      '^web/(kit|draw|export|models)/',
      '^web/engine/(?!worker[.]js)',
      '^web/app/schema[.]js$',
      LIT,
    ]),
    only('derived', 'What the worker computes for a feature.', '^web/explore/derived/', [
      '^web/explore/(derived|shared)/',
      '^web/(models)/',
      '^web/draw/(active-features|head-share|neuron-vectors|pooled)[.]js$',
      '^web/engine/(?!worker[.]js)',
      SWAPS,
      RULES,
    ]),
    only('explore-shared', 'What several features of Explore need knows none of them.', '^web/explore/shared/', [
      LARGEST,
      '^web/explore/shared/',
      '^web/(kit|draw|export|lessons|models)/',
      '^web/engine/(?!worker[.]js)',
      '^web/app/schema[.]js$',
      LIT,
    ]),
    only('explore', 'The indexes list features.', '^web/explore/[^/]+$', [
      '^web/(explore|kit|draw|export|models)/',
      '^web/engine/(?!worker[.]js)',
      '^web/app/schema[.]js$',
      LIT,
    ]),
    only('engine', 'The engine knows of features what they derive, by their index.', '^web/engine/', [
      '^web/(engine|models)/',
      KIT_OF_WORKERS,
      '^web/explore/derived[.]js$',
      '^dist/generated/settings[.]js$',
      PACKAGE, // see the rule package
    ]),
    {
      name: 'package',
      comment: 'Only the worker computes, so only it imports the package, by its published name.',
      severity: 'error',
      from: {
        path: '^web/',
        pathNot: [
          '^web/(engine/(worker|dictionaries)|elements/(opened|parts/(tasks|features)))[.]js$',
          CLAIMS_WORKER,
          TRAIN_WORKER,
          '[.]mjs$',
        ],
      },
      to: { path: PACKAGE, pathNot: '^glassformer/(worker|tokenizers)$' },
    },
    {
      name: 'package-tokenizers',
      comment: 'A worker cuts texts for a checkpoint, as its tokenizer may take long: the page imports none of it.',
      severity: 'error',
      from: { path: '^web/', pathNot: ['^web/app/own/tokenizer-worker[.]js$', '[.]mjs$'] },
      to: { path: '^glassformer/tokenizers$' },
    },
    {
      name: 'package-worker',
      comment: 'A place calls its worker by the one client.',
      severity: 'error',
      from: {
        path: '^web/',
        pathNot: [
          '^web/kit/client[.]js$',
          '^web/(engine/|app/own/tokenizer-|train/run/|claims/)worker[.]js$',
          '[.]mjs$',
        ],
      },
      to: { path: '^glassformer/worker$' },
    },
    {
      name: 'app',
      comment: 'The app knows the place that shows the features, and none of them.',
      severity: 'error',
      from: { path: '^web/app/' },
      to: { path: '^web/explore/', pathNot: '^web/explore/place[.]js$' },
    },
    only('train', 'The place Train; its worker alone brings the package.', '^web/train/', [
      '^web/(train|kit|draw|export|lessons)/',
      CUTS,
      LIT,
      PACKAGE, // see the rules package and package-worker
    ]),
    only(
      'train-feature',
      'A feature of Train is a file and knows no other feature.',
      '^web/train/(features/[^/]+)[.]js$',
      [
        '^web/train/($1[.]css$|(keep|life|settings)/)',
        '^web/train/(choices|comparison|facts|neurons-alone|own-text|pace|schema|state|tasks|winner)[.]js$',
        '^web/(kit|draw|export|lessons)/',
        LIT,
      ],
    ),
    {
      name: 'late-rows',
      comment: 'What Train and Claims fetch late has load on its row of the index, and nothing else does.',
      severity: 'error',
      from: { path: '^web/(train|claims)/', pathNot: ['^web/(train|claims)/index[.]js$', CLAIMS_WORKER, TRAIN_WORKER] },
      to: { dependencyTypes: ['dynamic-import'] },
    },
    {
      name: 'train-late',
      comment: 'The first opening must not fetch it.',
      severity: 'error',
      from: { pathNot: '^web/train/' },
      to: { path: '^web/train/', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'train-worker',
      comment: 'What runs in the worker of Train brings package and tasks, so the page imports none of it.',
      severity: 'error',
      from: { path: '^web/train/', pathNot: TRAIN_WORKER },
      to: { path: TRAIN_WORKER },
    },
    only('claims', 'The place Claims; its worker alone brings the package and the claims.', '^web/claims/', [
      '^web/(claims|kit|draw|export)/',
      CLAIMS, // see the rule claims-worker
      LIT,
      PACKAGE, // see the rules package and package-worker
    ]),
    only('claims-feature', 'A feature of Claims knows no other one.', '^web/claims/(features/[^/]+)[.]js$', [
      '^web/claims/($1[.]css$|pictures/|(?!claims|index|link|runs|worker|related)[^/]+[.]js$)',
      '^web/(kit|draw|export)/',
      LIT,
    ]),
    {
      name: 'claims-late',
      comment: 'The first opening must not fetch it.',
      severity: 'error',
      from: { pathNot: '^web/claims/' },
      to: { path: '^web/claims/', dependencyTypesNot: ['dynamic-import'] },
    },
    {
      name: 'claims-worker',
      comment: 'The worker of Claims brings package and claims; of figures and links it sends plain data to the page.',
      severity: 'error',
      from: { path: '^web/claims/', pathNot: CLAIMS_WORKER },
      to: { path: ['^src/claims/', CLAIMS_WORKER] },
    },
    only(
      'src-claims',
      'Claims are published: functions that are given an engine, and know nothing of the page.',
      '^src/claims/',
      ['^src/claims/', '^glassformer/(features|tasks)$'],
    ),
    only('claim', 'A claim stands alone in its file: what two need is in shared.', '^src/claims/(?!index)[^/]+[.]js$', [
      '^src/claims/shared/',
      '^glassformer/tasks$',
    ]),
    only('claims-shared', 'What claims share knows none of them.', '^src/claims/shared/', [
      '^src/claims/shared/',
      '^glassformer/(features|tasks)$',
    ]),
    {
      name: 'claim-scripts',
      comment: 'The script that runs the claims reads its command line as those of the models do.',
      severity: 'error',
      from: { path: '^src/claims/.*[.]mjs$' },
      to: { pathNot: ['^src/(claims|models)/', PACKAGE], dependencyTypesNot: ['core'] },
    },
    only('models', 'Shipped models are data.', '^web/models/', ['^web/models/']),
    {
      name: 'model-scripts',
      comment: 'Scripts that make the shipped models run the built package in Node.',
      severity: 'error',
      from: { path: '^src/models/.*[.]mjs$' },
      to: { pathNot: ['^src/models/', BUILT, PACKAGE], dependencyTypesNot: ['core'] },
    },

    {
      name: 'web-inside',
      comment:
        'The page uses the public package, not its sources, tests or built files, but for what few modules share.',
      severity: 'error',
      from: { path: '^web/', pathNot: '[.]mjs$' },
      to: {
        path: '^(src|tests|dist)/',
        // for the worker of Claims: see the rule claims-worker
        pathNot: [
          '^dist/generated/settings[.]js$',
          ERRORS,
          JSON_READER,
          HUB,
          CUTS,
          LARGEST,
          BESIDE_MODEL,
          SWAPS,
          RULES,
          PIECES,
          CLAIMS,
          TOY,
        ],
      },
    },
    {
      name: 'web-node',
      comment: 'Browsers have no node: modules.',
      severity: 'error',
      from: { path: '^(web|src/js)/', pathNot: ['[.]mjs$', '^src/js/entries/node[.]js$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-cycle',
      comment: 'Modules that need each other cannot be understood, tested or deleted one by one.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphan',
      comment: 'Nothing imports it, and it imports nothing: it is left over.',
      severity: 'error',
      from: { orphan: true, pathNot: ['[.]d[.]ts$', '[.]mjs$', '^web/app/service-worker[.]js$'] },
      to: {},
    },
    {
      name: 'no-unlisted-package',
      comment: 'Packages are those of package.json.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-missing-file',
      comment: 'There is no such file.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: [PACKAGE, '^elements[a-z-]*[.]css$', WASM, BUILT, MINIFIER] },
    },
  ],
  options: {
    doNotFollow: { path: '^(node_modules|dist)/' },
    moduleSystems: ['es6'],
    // Without exports the package's own name stays a name, whether it is built or not.
    enhancedResolveOptions: { exportsFields: [], mainFields: ['module', 'main'] },
  },
};
