// Every program of README.md and of the guides runs, and each of its lines gives what it says.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { checked, programsOf } from './examples.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const guides = readdirSync(join(root, 'src/docs/guides')).map((name) => `src/docs/guides/${name}`);
const folder = mkdtempSync(join(root, 'dist', 'guides-'));
symlinkSync(join(root, 'tests/onnx/node_modules'), join(folder, 'node_modules'));
after(() => rmSync(folder, { recursive: true }));

for (const page of guides) {
  for (const [i, code] of programsOf(readFileSync(join(root, page), 'utf8')).entries()) {
    test(`${page}: program ${i + 1}`, async () => {
      const file = join(folder, `${page.replaceAll('/', '-')}-${i}.mjs`);
      const head = "import { is as $is, throws as $throws } from '../../tests/docs/check.js';\n";
      writeFileSync(file, head + checked(code));
      await import(pathToFileURL(file).href);
    });
  }
}

test('guides have programs, and a line that says something else would fail', () => {
  assert.ok(guides.length >= 3);
  assert.match(checked('1 / 3; // → 0.34'), /\$is\(await \(1 \/ 3\), "0.34"\)/);
});
