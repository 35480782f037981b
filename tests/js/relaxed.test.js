// A Node whose relaxed SIMD is behind a flag runs the tests of the numbers with it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const runsAnyway = WebAssembly.validate(readFileSync(new URL('../../dist/relaxed.wasm', import.meta.url)));

for (const name of ['ops', 'generate', 'large-scores']) {
  test(`${name} holds in the relaxed build too`, { skip: runsAnyway && 'that test runs it itself' }, () => {
    const env = { ...process.env };
    delete env.NODE_TEST_CONTEXT; // else the child reports to our runner
    const path = fileURLToPath(new URL(`${name}.test.js`, import.meta.url));
    const { status, stdout } = spawnSync(process.execPath, ['--experimental-wasm-relaxed-simd', path], {
      env,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /\((simd, )?relaxed\)/);
  });
}
