// Each tests/ROOM/NAME.c is a program of asserts, built under AddressSanitizer and UBSan as dist/native/ROOM/NAME.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Those that take longest, which npm test leaves to test:all: random courses, whole trainings. */
const LONG = [
  'model/block',
  'model/slice',
  'model/tensors_train',
  'op/attention_backward',
  'wasm/abi',
  'wasm/allocations',
];

/** Fewer random courses of the ABI: 1,000 take 20 s, and `npm run fuzz -- abi` runs thousands. @type {any} */
const ARGUMENTS = { 'wasm/abi': ['300'] };

/** A test for each program, of the long ones or of the others. @param {{long: boolean}} which */
export function testPrograms({ long }) {
  const folders = ['kernel', 'op', 'model', 'train', 'wasm'].filter((folder) => existsSync(`${root}tests/${folder}`));
  const programs = folders.flatMap((folder) =>
    readdirSync(`${root}tests/${folder}`)
      .filter((name) => name.endsWith('.c'))
      .map((name) => `${folder}/${name.slice(0, -2)}`),
  );
  test('there are native tests', () => {
    assert.deepEqual(
      LONG.filter((name) => !programs.includes(name)),
      [],
    );
    assert(programs.length > LONG.length);
  });
  for (const program of programs.filter((name) => LONG.includes(name) === long)) {
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
}
