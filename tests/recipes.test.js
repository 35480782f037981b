// The recipes of CONTRIBUTING.md that recipes.js follows: their edits touch only files that the recipe names; in a copy
// of the repository that is built with all of them the tests pass that such a change may break.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { RECIPES } from './recipes.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'glassformer-recipes-'));
after(() => rmSync(scratch, { recursive: true }));

/** Runs a program in the copy; a failure shows what it prints. @param {string} program @param {string[]} args */
function run(program, ...args) {
  // Else tests of the copy would report to this process.
  const env = { ...process.env, NODE_TEST_CONTEXT: undefined };
  try {
    return execFileSync(program, args, { cwd: scratch, env, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 28 });
  } catch (error) {
    const { stdout, stderr } = /** @type {any} */ (error);
    const lines = `${stdout}${stderr}`.split('\n');
    const failing = lines.findIndex((line) => /failing tests:/.test(line));
    throw new Error(`${program} ${args.join(' ')}\n${lines.slice(failing < 0 ? -60 : failing).join('\n')}`);
  }
}

/**
 * Files in a recipe, as patterns: a name without a folder is beside the one before it.
 * @param {string} title
 */
function namedIn(title) {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const start = text.search(new RegExp(`^(- )?(\\*\\*)?${title}\\b`, 'm'));
  assert.ok(start >= 0, `there is no recipe: ${title}`);
  const [paragraph] = text.slice(start).split(/\n\n|\n- /);
  /** @type {RegExp[]} */
  const found = [];
  let folder = '';
  for (const [, name] of paragraph.matchAll(/`([\w./*-]+(?:\.\w+|\/))`/g)) {
    if (name.includes('/')) folder = name.replace(/[^/]*$/, '');
    const path = name.includes('/') || /^[A-Z]+\.md$/.test(name) ? name : folder + name;
    const form = path.replace(/[.]/g, '\\.').replace(/\*/g, '[^/]*').replace(/NAME/g, '[\\w-]+');
    found.push(new RegExp(`^${form}${path.endsWith('/') ? '[^/]+' : ''}$`));
  }
  return found;
}

before(() => {
  const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  const copied = { recursive: true, preserveTimestamps: true };
  for (const path of tracked) cpSync(join(root, path), join(scratch, path), copied);
  const filter = (/** @type {string} */ path) =>
    !/\/dist\/(native|coverage|checked|docs|obj\/(plain|coverage))/.test(path);
  cpSync(join(root, 'dist'), join(scratch, 'dist'), { ...copied, filter });
  symlinkSync(join(root, 'node_modules'), join(scratch, 'node_modules'));
  for (const { edits } of Object.values(RECIPES)) edits.forEach(apply);
  run('git', 'init', '-q');
  run('git', 'add', '-A'); // tests ask which files there are
  const native = Object.values(RECIPES).flatMap(({ native: some = [] }) => some.map((name) => `dist/native/${name}`));
  run('make', '-f', 'emscripten.mk', 'build', ...native);
});

/** @param {import('./recipes.js').Edit} edit */
function apply([path, ...how]) {
  const file = join(scratch, path);
  if (how.length === 1) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, how[0]);
    return;
  }
  const [anchor, text] = /** @type {[string, string]} */ (how);
  const before = readFileSync(file, 'utf8');
  assert.equal(before.split(anchor).length, 2, `${path}: ${anchor}`);
  writeFileSync(file, before.replace(anchor, text));
}

for (const [title, { edits, checks, native = [], commands = [] }] of Object.entries(RECIPES)) {
  test(`${title}: the recipe names every file`, () => {
    const named = namedIn(title);
    const missing = edits
      .map(([path]) => posix.normalize(path))
      .filter((path) => !named.some((each) => each.test(path)));
    assert.deepEqual([...new Set(missing)], []);
  });
  test(`${title}: its checks pass`, () => {
    for (const [program, ...args] of commands) run(program, ...args);
    for (const name of native) run(`dist/native/${name}`);
    run('node', '--test', '--test-reporter=spec', ...checks);
  });
}
