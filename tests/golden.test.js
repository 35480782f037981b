// The reference cases pass; that their runner would notice if they did not is in golden-runner.test.js.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const golden = fileURLToPath(new URL('golden/', import.meta.url));

/** @param {string} name */
function hasGradients(name) {
  const bytes = readFileSync(golden + name);
  const header = JSON.parse(bytes.toString('utf8', 8, 8 + Number(bytes.readBigUInt64LE(0))));
  return Object.keys(header).some((tensor) => tensor.startsWith('grad'));
}

test('every case of tests/golden passes in both variants, nothing is passed over', () => {
  const files = readdirSync(golden).filter((name) => name.endsWith('.safetensors'));
  const checks = 2 * (files.length + files.filter(hasGradients).length);
  assert(checks > 300, `only ${checks} checks`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${golden}../golden.mjs`], { encoding: 'utf8' });
  assert.equal(stdout.trimEnd().split('\n').at(-1), `${checks} passed, 0 failed`, stdout + stderr);
  assert.equal(status, 0);
  assert.doesNotMatch(stdout + stderr, /FAIL/);
});
