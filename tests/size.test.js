// What a user downloads: the budgets of README.md, as gzip has it; of the scripts, what a bundler makes of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * What esbuild makes of a program, without the modules that the package carries and what it fetches for ONNX, for
 * embeddings, for classes, for steps in shards, for passes over threads and for the first checkpoint.
 * @param {string} contents
 */
async function bundled(contents) {
  const { outputFiles, warnings } = await build({
    logLevel: 'silent',
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    tsconfigRaw: '{}', // whose paths lead to the sources
    // fetched when they are used
    external: [
      '*.wasm.js',
      '*.text.js',
      './onnx*',
      './file-*',
      './shards*',
      './threads-*',
      './embed-*',
      './classify-*',
      './checkpoints.js',
    ],
    write: false,
  });
  assert.deepEqual(
    warnings.map(({ text }) => text),
    [],
  );
  return outputFiles[0].contents;
}

const FILES = {
  'simd.wasm': [48_000, () => readFileSync(`${root}dist/simd.wasm`)],
  'relaxed.wasm': [48_000, () => readFileSync(`${root}dist/relaxed.wasm`)],
  'all of glassformer': [30_500, () => bundled("export * from 'glassformer'")],
  'all of glassformer/core': [30_100, () => bundled("export * from 'glassformer/core'")],
  'load of glassformer/core': [24_700, () => bundled("export { load } from 'glassformer/core'")],
  'the script of glassformer/worker': [46_400, () => readFileSync(`${root}dist/js/worker-thread.js`)],
  'load of glassformer/worker, without its script': [4_300, () => bundled("export { load } from 'glassformer/worker'")],
};

for (const [name, [limit, contents]] of Object.entries(FILES)) {
  test(`${name} is at most ${limit} bytes`, async (t) => {
    const bytes = gzipSync(await contents(), { level: 9 }).length;
    t.diagnostic(`${bytes} bytes`);
    assert.ok(bytes <= limit, `${bytes}`);
  });
}
