import js from '@eslint/js';
import globals from 'globals';

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
  // Prettier leaves comments, strings and templates as long as they are. web/ follows once its lines are broken.
  {
    files: ['src/**', 'tests/**', '**/*.mjs', '*.config.js', '.*.cjs'],
    rules: { 'max-len': ['error', { code: 120, ignoreUrls: true }] },
  },
  // The package runs in pages, workers and Node, so it may name only what they share.
  { files: ['src/**/*.js'], languageOptions: { globals: globals['shared-node-browser'] } },
  { files: ['web/**/*.js'], languageOptions: { globals: { ...globals.browser, ...globals.worker } } },
  {
    // What prettier does not wrap: templates, strings and comments.
    files: ['web/draw/**', 'web/elements/**', 'web/export/**', 'web/explore/*/*view.js'],
    rules: { 'max-len': ['error', { code: 120 }] },
  },
  {
    // Tests hand functions to a page, so they name both worlds.
    files: ['tests/**', '**/*.mjs', '*.config.js', '.*.cjs'],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
];
