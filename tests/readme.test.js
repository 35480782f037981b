// The README is short. What it names exists: tests/docs/names.test.js; its programs run: tests/docs/guides.test.js.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { programsOf } from './docs/examples.js';

test('README.md is read in three minutes, its programs have at most 13 lines', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  assert.ok(readme.split('\n').length <= 150);
  for (const code of programsOf(readme)) assert.ok(code.trim().split('\n').length <= 13);
});
