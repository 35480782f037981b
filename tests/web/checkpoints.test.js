// The checkpoints of tests/checkpoints in each engine: `node tests/checkpoints-engines.mjs`.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engines } from './engines.js';

const FOLDER = new URL('../checkpoints/', import.meta.url);
const cases = readdirSync(FOLDER).filter((name) => existsSync(new URL(`${name}/case.json`, FOLDER)));

test('each folder gives PyTorch’s numbers, tokens and texts in each engine', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['tests/checkpoints-engines.mjs'], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  });
  assert.equal(status, 0, stdout + stderr);
  assert.equal(stdout.match(/: (\d+) of \1$/gm)?.length, engines().present.length * cases.length);
  assert.match(stdout, /\n[1-9]\d* passed, 0 failed\n$/);
});
