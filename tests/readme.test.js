// What the README names exists. Its programs run in tests/docs/guides.test.js.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('README.md is read in three minutes, its programs have at most 13 lines', () => {
  assert.ok(readme.split('\n').length <= 150);
  for (const [, code] of readme.matchAll(/^```js\n([^]*?)^```$/gm)) assert.ok(code.trim().split('\n').length <= 13);
});

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
