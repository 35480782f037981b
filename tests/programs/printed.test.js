// Five programs of the reference: short, and they print what is promised.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const folder = new URL('.', import.meta.url);
const run = promisify(execFile);

/** The lines that a program prints. @param {string} name */
async function printed(name) {
  const { stdout, stderr } = await run(process.execPath, [fileURLToPath(new URL(name, folder))]);
  assert.equal(stderr, '');
  return stdout.trimEnd().split('\n');
}

/** @type {Record<string, (lines: string[]) => void>} */
const PROMISED = {
  'attention.mjs'(lines) {
    assert.equal(lines.length, 14);
    assert.match(lines[12], /^it → creek 0\.9\d$/);
    for (const line of lines) assert.match(line, /^\S+ → \S+ [01]\.\d\d$/);
  },
  'train.mjs'(lines) {
    const parts = lines.map((line) => /^step (\d+): loss (\d\.\d{3}), (\d+\.\d) % of the rows right$/.exec(line));
    const shares = parts.map((part) => Number(part?.[3]));
    assert.ok(shares[0] < 10 && /** @type {number} */ (shares.at(-1)) >= 99, String(lines));
    assert.ok(Number(parts.at(-1)?.[1]) <= 400);
    assert.ok(Number(parts[0]?.[2]) > 2 && Number(parts.at(-1)?.[2]) < 0.1);
  },
  'generate.mjs'(lines) {
    assert.equal(lines.length, 4);
    for (const line of lines) assert.match(line, /^… an? .* \. so the fox was sad \. the end$/);
    assert.equal(new Set(lines).size, 4);
  },
  'ablate.mjs'(lines) {
    const [whole, without] = lines.map(
      (line) => /^\d heads off: it = (\w+), p = (0\.\d{3})$/.exec(line)?.slice(1) ?? [],
    );
    assert.equal(whole[0], 'rabbit');
    assert.notEqual(without[0], 'rabbit');
    assert.ok(Number(whole[1]) > 0.8 && Number(without[1]) < 0.5, String(lines));
  },
  'resume.mjs'(lines) {
    assert.match(lines[0], /^resumed from \d{6} bytes, now at step 100$/);
    assert.equal(lines[1], 'the same weights: true');
  },
};

for (const [name, check] of Object.entries(PROMISED)) {
  test(`${name}: at most 15 lines, and what it prints`, async () => {
    const code = readFileSync(new URL(name, folder), 'utf8');
    assert.ok(code.trimEnd().split('\n').length <= 15, name);
    check(await printed(name));
  });
}
