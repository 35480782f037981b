// The judge of mutants in JavaScript: of the thresholds of a share's text some are killed, and survivors are shown.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('mutants of a file are made, tried with the tests that pass them, and counted', () => {
  const cwd = fileURLToPath(new URL('../..', import.meta.url));
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined }; // else the tests of a mutant only report to this one
  const args = [
    'tests/mutants/run.mjs',
    '--js',
    'web/draw/numbers.js',
    '--sample',
    '6',
    '--tests',
    'tests/web/draw/color',
  ];
  const [first, second] = [0, 1].map(() => execFileSync('node', args, { cwd, env, encoding: 'utf8' }));
  const [, tried, killed, survived] = /, (\d+) tried, seed 1\n(\d+) killed, (\d+) survived: /.exec(first) ?? [];
  assert.equal(Number(tried), 6);
  assert.ok(Number(killed) > 0, first);
  assert.equal(Number(killed) + Number(survived), 6);
  assert.equal(first.match(/ SURVIVED/g)?.length ?? 0, Number(survived));
  // Without the time, and what npm says where it installs the instrumenter first.
  const timeless = (/** @type {string} */ text) => text.replace(/\n\d+ s,/, '').replace(/^\s*added .*\s+/, '\n');
  assert.equal(timeless(second), timeless(first), 'the same seed draws the same mutants');
});
