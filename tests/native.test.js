// Each tests/ROOM/NAME.c is a program of asserts, built under AddressSanitizer and UBSan as dist/native/ROOM/NAME.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = ['kernel', 'op', 'model', 'train', 'wasm'].flatMap((folder) => {
  let files = [];
  try {
    files = readdirSync(`${root}tests/${folder}`);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
  return files.filter((name) => name.endsWith('.c')).map((name) => `${folder}/${name.slice(0, -2)}`);
});

/** Fewer random courses of the ABI: 1,000 take 20 s, and `npm run fuzz -- abi` runs thousands. @type {any} */
const ARGUMENTS = { 'wasm/abi': ['300'] };

test('there are native tests', () => assert.notEqual(programs.length, 0));

for (const program of programs) {
  test(`native ${program}`, () => {
    const given = ARGUMENTS[program] ?? [];
    const { error, status, signal, stdout, stderr } = spawnSync(`${root}dist/native/${program}`, given, {
      cwd: root,
      encoding: 'utf8',
      timeout: 300_000,
    });
    assert.ifError(error);
    assert.equal(status, 0, `exit ${status ?? signal}\n${stdout}${stderr}`);
  });
}
