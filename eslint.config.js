import js from '@eslint/js';
import globals from 'globals';

// CONTRIBUTING.md's glossary has the standard names.
const RETIRED = `
  deed deeds lab told wayOf station stations wish wishes wants shelf sheetOf tellDrawn photograph
  likeness Deed DeedsData Picture RouteData StackRoute SheetData KeepData makeSheet onLook
  room rooms roomOf roomFor makeRoom remoteRooms withRoom hasRoom labelRoom columnRoom askForRoom carry
  carried wished isTold looked looks lookingAt lookAtAll courses createCourse stageStyle
`
  .trim()
  .split(/\s+/);

export default [
  { ignores: ['dist/', '**/node_modules/'] },
  js.configs.recommended,
  {
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-unused-vars': ['error', { argsIgnorePattern: '^_', caughtErrors: 'none' }],
      'no-var': 'error',
      'object-shorthand': 'error',
      'prefer-const': 'error',
    },
  },
  // Prettier leaves comments, strings and templates as long as they are.
  { rules: { 'max-len': ['error', { code: 120, ignoreUrls: true }] } },
  { files: ['src/**', 'web/**'], rules: { 'max-lines-per-function': ['error', 100] } },
  // A comment names its subject: a clause such as "What it holds" leaves readers to find it.
  {
    rules: {
      'no-warning-comments': [
        'error',
        { terms: ['what', 'who', 'whose', 'how'], location: 'start', decoration: ['*', '/'] },
      ],
    },
  },
  // An engine takes some 120,000 arguments: a list of any length must not become arguments.
  {
    files: ['src/**/*.js', 'web/{app,engine,models,train/run}/**/*.js'],
    ignores: ['src/js/text/backtracking.js', 'web/app/service-worker.js'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          "[callee.object.name='Math']",
          '[callee.property.name=/^(push|unshift|splice|of|fromCharCode|fromCodePoint|concat)$/]',
        ].map((callee) => ({
          selector: `CallExpression${callee} > SpreadElement`,
          message: 'The list may be long: loop or reduce.',
        })),
      ],
    },
  },
  { rules: { 'id-denylist': ['error', ...RETIRED] } },
  // The package runs in pages, workers and Node, so it may name only what they share.
  { files: ['src/**/*.js'], languageOptions: { globals: globals['shared-node-browser'] } },
  { files: ['web/**/*.js'], languageOptions: { globals: { ...globals.browser, ...globals.worker } } },
  {
    // Tests hand functions to a page, so they name both worlds.
    files: ['tests/**', '**/*.mjs', '*.config.js', '.*.cjs'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
];
