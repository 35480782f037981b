// The checkpoints of tests/checkpoints: `npm run checkpoints`, and what their cases do not have.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('every case holds in both variants, from its folder, as a pytorch_model.bin, from a hub, in 16 bits', () => {
  const { status, stdout } = spawnSync(process.execPath, ['tests/checkpoints.mjs'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  assert.match(stdout, /\n498 passed, 0 failed\n$/, stdout);
  assert.equal(status, 0);
});

test('a folder without cases fails', () => {
  const { status, stdout } = spawnSync(process.execPath, ['tests/checkpoints.mjs', 'tests/js'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  assert.match(stdout, /no case\n0 passed, 1 failed\n$/);
  assert.equal(status, 1);
});
