// Each public function, class and member has an example, and each runs and gives what it says.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { BEFORE, ENGINE, all, checked, documented, entries, examplesIn, needsPage } from './examples.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Both sides of a worker, which no example of a few lines shows. */
const PAIR = ['connect', 'serve'];

describe('examples', () => {
  const folder = mkdtempSync(join(root, 'dist', 'examples-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/glassformer')); // as npm installs it
  process.chdir(folder);
  after(() => {
    process.chdir(root);
    rmSync(folder, { recursive: true });
  });
  let count = 0;
  /** @param {string} before @param {string} example */
  const run = async (before, example) => {
    const file = join(folder, `${count++}.mjs`);
    const head = "import { is as $is, throws as $throws } from '../../tests/docs/check.js';\n";
    writeFileSync(file, head + before + checked(example));
    await import(pathToFileURL(file).href);
  };

  test('one that says something else fails', async () => {
    await run('', "1 / 3; // → 0.33\n[1, 'a', { b: [true] }]; // → [1, 'a', { b: [true] }]");
    await assert.rejects(run('', '1 / 3; // → 0.34'));
    await assert.rejects(run('', '[1, 2]; // → [1]'));
    await assert.rejects(run('', '1; // throws type'));
    await assert.rejects(run(ENGINE, 'gf.relu(); // throws type'));
    await run(ENGINE, 'gf.relu(); // throws missing');
  });

  test('there are some in every entry', () => {
    assert.ok(entries.length >= 3);
    assert.deepEqual(
      documented('/** A. */\nexport declare class A {\n    /** b */\n    get b(): 1;\n    c(): void;\n}').map(
        ({ name, comment }) => [name, comment.trim()],
      ),
      [
        ['A', '/** A. */'],
        ['get b', '/** b */'],
        ['c', ''],
      ],
    );
  });

  for (const { path, owner, name, comment } of all) {
    const examples = examplesIn(comment);
    test(`${path}: ${owner && owner !== name ? `${owner}.` : ''}${name}`, async (t) => {
      if (PAIR.includes(name)) return t.skip('takes two files: tests/js/worker.test.js');
      assert.ok(examples.length > 0, 'has no example');
      for (const example of examples) {
        if (needsPage({ path })) t.diagnostic('runs in tests/docs/site.test.js');
        else await run(name === owner ? '' : (BEFORE[owner] ?? ''), example);
      }
    });
  }
});
