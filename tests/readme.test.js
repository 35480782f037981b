// The README's code runs as printed, and prints what a reader is led to expect.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** What each program of README.md prints, in their order. */
const PRINTED = [
  /^\[ 2, 3, 3 \]\n(1|0\.9[5-9]\d*)\n.+ the end/,
  /^creek\n$/,
  /^rabbit 0\.8\d+\n(?!rabbit)\w+ 0\.\d+\n$/,
  /^11\n$/,
  /^\[\n\s*'T',[^]*\] \[ 1, 4, 7, 7 \]\nThe creek was cold.+\n$/,
];
const programs = [...readme.matchAll(/^```js\n([^]*?)^```$/gm)].map(([, code]) => code);

test('README.md is read in three minutes', () => {
  assert.ok(readme.split('\n').length <= 150);
  assert.equal(programs.length, PRINTED.length);
});

for (const [i, code] of programs.entries()) {
  test(`program ${i + 1} runs as printed`, () => {
    assert.ok(code.trim().split('\n').length <= 13);
    // below the package's own folder, so that its published name resolves as it does for a user
    const folder = mkdtempSync(join(root, 'dist', 'readme-'));
    try {
      const file = join(folder, 'readme.mjs');
      writeFileSync(file, code);
      assert.match(execFileSync(process.execPath, [file], { encoding: 'utf8', cwd: root }), PRINTED[i]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test('every command that the README names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [
    ...readme.matchAll(
      /npm (?:run )?(start|test|golden|checkpoints|lint|train|score|tasks|claims|onnx|bench|smoke)\b/g,
    ),
  ].map((m) => m[1]);
  assert.ok(named.length >= 3);
  for (const name of named) assert.ok(scripts[name], `package.json has the script ${name}`);
});

test('every file that the README links to or shows is tracked', () => {
  const tracked = new Set(execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n'));
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((m) => m[1]);
  assert.ok(links.length > 0);
  for (const link of links) assert.ok(tracked.has(link), `${link} is in the repository`);
});
