// Every program of README.md and of the guides runs, word for word, in an empty folder with nothing but the package
// installed, ends by itself, and each of its lines gives or prints what it says.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { blocksOf, checked, programsOf } from './examples.js';
import { install } from './installed.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = readdirSync(join(root, 'src/docs/guides')).map((name) => `src/docs/guides/${name}`);
const pages = ['README.md', 'src/docs/intro.md', ...guides].map((page) => ({
  page,
  text: readFileSync(join(root, page), 'utf8'),
}));
const run = promisify(execFile);

let folder = '';
before(() => {
  folder = install();
  copyFileSync(join(root, 'tests/docs/check.js'), join(folder, 'check.mjs'));
  for (const { text } of pages) {
    for (const [, names] of text.matchAll(/^npm install glassformer (.+)$/gm)) {
      for (const name of names.split(' '))
        symlinkSync(join(root, 'tests/onnx/node_modules', name), join(folder, 'node_modules', name));
    }
  }
});
after(() => rmSync(folder, { recursive: true }));

/** @param {string} name @param {string} code @returns {Promise<string>} what it prints */
async function printed(name, code) {
  const head = "import { is as $is, prints as $prints, throws as $throws } from './check.mjs';\n";
  writeFileSync(join(folder, name), head + checked(code));
  const { stdout, stderr } = await run(process.execPath, [name], { cwd: folder, timeout: 120_000 });
  assert.equal(stderr, '');
  return stdout;
}

/** The output of README.md's programs where a comment cannot say it, in their order. */
const PRINTED = [/^\[ 2, 3, 3 \]\n(1|0\.9[5-9]\d*)\n$/, /^The creek was cold and the dog wanted\n$/, /^creek\n$/];

describe('from the packed package', { concurrency: availableParallelism() }, () => {
  for (const { page, text } of pages) {
    for (const [i, code] of programsOf(text).entries()) {
      test(`${page}: program ${i + 1}`, async () => {
        const output = await printed(`${page.replaceAll('/', '-')}-${i}.mjs`, code);
        assert.match(output, page === 'README.md' ? PRINTED[i] : /^$/);
      });
    }
  }

  test('a line that gives or prints something else fails', async () => {
    await printed('right.mjs', "1 / 3; // → 0.33\nconsole.log('a', [1]); // a [1]\nconsole.log(2); // a share: > 1\n");
    await assert.rejects(printed('gives.mjs', '1 / 3; // → 0.34\n'), /0\.33\d* is not 0\.34/);
    await assert.rejects(printed('prints.mjs', 'console.log([1, 2]); // [1, 3]\n'), /prints \[1,2\], not \[1, 3\]/);
    await assert.rejects(printed('less.mjs', 'console.log(1); // a share: > 1\n'), /prints 1, not a share: > 1/);
  });
});

test('each block of code says what it is, and there are programs', () => {
  assert.equal(programsOf(pages[0].text).length, PRINTED.length);
  assert.ok(guides.length >= 3 && pages.every(({ page }) => /\.md$/.test(page)));
  const kinds = ['js', 'js fragment', 'html', 'html fragment', 'py fragment', 'sh'];
  for (const { page, text } of pages) {
    const fences = text.match(/^```/gm) ?? [];
    const blocks = blocksOf(text);
    assert.equal(fences.length, 2 * blocks.length, `${page}: a block without a language`);
    for (const { info } of blocks) assert.ok(kinds.includes(info), `${page}: ${info}`);
  }
});
