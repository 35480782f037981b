// The README's code runs as printed, and prints what a reader is led to expect.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('the first lines of the API run as printed', () => {
  const code = /```js\n([\s\S]*?)```/.exec(readme)?.[1];
  assert.ok(code, 'README.md has a js block');
  const lines = code.split('\n').filter((line) => line.trim() !== '');
  assert.ok(lines.length <= 15, `${lines.length}`);
  // below the package's own folder, so that its published name resolves as it does for a user
  const folder = mkdtempSync(join(root, 'dist', 'readme-'));
  try {
    const file = join(folder, 'readme.mjs');
    writeFileSync(file, code);
    const out = execFileSync(process.execPath, [file], { encoding: 'utf8' });
    assert.match(out, /^(simd|relaxed) - \S/);
    assert.match(out, /\[ 3, 8 \] \[ 2, 3, 3 \] Float32Array\(9\) \[\s*1,\s*0,\s*0,/, out);
    assert.match(out, /\[ 1, 4, 3, 3 \]/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the lines on your own model run as printed', () => {
  const code = /```js\n([^`]*tests\/checkpoints[^`]*)```/.exec(readme)?.[1];
  assert.ok(code, 'README.md has a js block with tests/checkpoints');
  assert.ok(code.trim().split('\n').length <= 10);
  const folder = mkdtempSync(join(root, 'dist', 'readme-'));
  try {
    const file = join(folder, 'own.mjs');
    writeFileSync(file, code);
    const out = execFileSync(process.execPath, [file], { encoding: 'utf8', cwd: root });
    assert.match(out, /^gpt2 \[\n.*2 buffers.*\n\] T he Ġc reek Ġwas Ġc old \[ 1, 4, 7, 7 \]/);
    assert.match(out, /\nThe creek was cold.+\n/);
    assert.match(out, /\[ 1, 6, 84 \] \[ '\[CLS\]', 'the', '\[MASK\]', 'was', 'cold', '\[SEP\]' \]/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('the lines on ONNX run as printed, in onnxruntime-web', () => {
  const code = /```js\n([^`]*exportOnnx[^`]*)```/.exec(readme)?.[1];
  assert.ok(code, 'README.md has a js block with exportOnnx');
  const folder = mkdtempSync(join(root, 'dist', 'readme-'));
  try {
    symlinkSync(join(root, 'tests/onnx/node_modules'), join(folder, 'node_modules'));
    const file = join(folder, 'onnx.mjs');
    writeFileSync(file, code);
    const out = execFileSync(process.execPath, [file], { encoding: 'utf8' });
    const [, got, shape] = /^(\[ 1, \d+, \d+ \]) (\[.*\])$/m.exec(out) ?? [];
    assert.ok(got && got === shape, out);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('every command that the README names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const named = [
    ...readme.matchAll(
      /npm (?:run )?(start|test|golden|checkpoints|lint|train|score|tasks|claims|onnx|bench|smoke)\b/g,
    ),
  ].map((m) => m[1]);
  assert.ok(named.length >= 4);
  for (const name of named) assert.ok(scripts[name], `package.json has the script ${name}`);
});

test('every file that the README links to or shows is tracked', () => {
  const tracked = new Set(execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n'));
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((m) => m[1]);
  assert.ok(links.length > 0);
  for (const link of links) assert.ok(tracked.has(link), `${link} is in the repository`);
});
