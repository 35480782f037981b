// tests/run.mjs: its exit code, its order, the summary at the end, and which files npm test leaves out.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { LONG, SHORT, isLong } from '../long.js';

const RUN = fileURLToPath(new URL('../run.mjs', import.meta.url));
const FILES = {
  'tests/js/small.test.js': "require('node:test')('small passes', () => {});",
  'tests/js/large.test.js': `require('node:test')('large passes', () => {});${' '.repeat(100)}`,
  'tests/web/page.test.js': "require('node:test')('page passes', () => {});",
  'tests/web/tour/firefox.test.js': "require('node:test')('tour passes', () => {});",
  'tests/web/opens.test.js': "require('node:test')('browser passes', useBrowser); function useBrowser() {}",
  'tests/js/fails.test.js': "require('node:test')('fails', () => { throw new Error('no'); });",
  'tests/js/todo.test.js': "require('node:test')('later', { todo: true }, () => { throw new Error('not yet'); });",
  'tests/js/exits.test.js': 'process.exit(3);',
};
const GOOD = ['tests/js/small.test.js', 'tests/js/large.test.js', 'tests/web/page.test.js'];

let folder = '';
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'glassformer-'));
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
});
after(() => rmSync(folder, { recursive: true }));

/** @param {string[]} files */
function runFiles(...files) {
  const env = { ...process.env };
  delete env.NODE_TEST_CONTEXT; // else it takes itself for a test file
  const { status, stdout } = spawnSync(process.execPath, [RUN, ...files], { cwd: folder, env, encoding: 'utf8' });
  return { status, stdout };
}

test('all pass: exit 0, the summary last, the tour first, then the page, then by size', () => {
  const { status, stdout } = runFiles(...GOOD, 'tests/web/tour/firefox.test.js');
  assert.equal(status, 0, stdout);
  assert.deepEqual(
    [...stdout.matchAll(/(\w+) passes/g)].map(([, name]) => name),
    ['tour', 'page', 'large', 'small'],
  );
  assert.match(stdout.trimEnd().split('\n').slice(-8).join('\n'), /^ℹ tests 4\n[^]*ℹ pass 4\nℹ fail 0\n/);
});

test('of the short ones alone those that open a browser', () => {
  const { status, stdout } = runFiles('--short', '--browser');
  assert.equal(status, 0, stdout);
  assert.match(stdout, /✔ browser passes[^]*ℹ tests 1\n/);
});

test('one that fails, or a file that ends before its tests, makes the exit code 1', () => {
  for (const bad of ['tests/js/fails.test.js', 'tests/js/exits.test.js']) {
    const { status, stdout } = runFiles(...GOOD, bad);
    assert.equal(status, 1, bad);
    assert.match(stdout, /ℹ fail 1\n/);
  }
});

test('one that is still to do fails nothing', () => {
  assert.equal(runFiles('tests/js/todo.test.js').status, 0);
});

test('a file that is not there is an error', () => {
  assert.notEqual(runFiles(...GOOD, 'tests/js/nowhere.test.js').status, 0);
});

test('each line of the long tests begins a file, each line of the short ones a file that were long', () => {
  const files = readdirSync(fileURLToPath(new URL('../../tests', import.meta.url)), {
    recursive: true,
    encoding: 'utf8',
  })
    .map((path) => `tests/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.js') && !path.includes('node_modules'));
  const begun = (/** @type {string} */ line) => files.filter((file) => file.startsWith(line));
  assert.deepEqual(
    [...LONG, ...SHORT].filter((line) => !begun(line).length),
    [],
  );
  assert.deepEqual(
    SHORT.filter((line) => !LONG.some((each) => line.startsWith(each))),
    [],
  );
  assert.ok(files.some(isLong) && files.some((file) => !isLong(file)));
});
