// The checkpoints of tests/checkpoints: `npm run checkpoints`, and what their cases do not have.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { savedOf, writeTorch } from './js/torch-writer.js';

const temporary = mkdtempSync(join(tmpdir(), 'checkpoints-'));
after(() => rmSync(temporary, { recursive: true }));

test('every case holds in both variants, from its folder, as a pytorch_model.bin, from a hub, in 16 bits', () => {
  const { status, stdout } = spawnSync(process.execPath, ['tests/checkpoints.mjs'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  assert.match(stdout, /\n2558 passed, 0 failed\n$/, stdout);
  assert.equal(status, 0);
});

test('cases whose weights are only .bin, whole or split, open from their folder and by name', () => {
  const tensors = [...savedOf(readFileSync(new URL('checkpoints/gpt2-2l/model.safetensors', import.meta.url)))];
  const shards = [0, 1].map((i) => writeTorch(new Map(tensors.filter((_, at) => at % 2 === i))));
  const weight_map = Object.fromEntries(tensors.map(([name], at) => [name, `pytorch_model-0000${at % 2}.bin`]));
  /** @type {Record<string, Record<string, string | Buffer>>} */
  const cases = {
    whole: { 'pytorch_model.bin': writeTorch(new Map(tensors)) },
    split: {
      'pytorch_model.bin.index.json': JSON.stringify({ weight_map }),
      'pytorch_model-00000.bin': shards[0],
      'pytorch_model-00001.bin': shards[1],
    },
  };
  for (const [name, files] of Object.entries(cases)) {
    const at = join(temporary, name);
    cpSync(fileURLToPath(new URL('checkpoints/gpt2-2l', import.meta.url)), at, { recursive: true });
    rmSync(join(at, 'model.safetensors'));
    for (const [file, bytes] of Object.entries(files)) writeFileSync(join(at, file), bytes);
  }
  const { status, stdout } = spawnSync(process.execPath, ['tests/checkpoints.mjs', temporary], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  for (const name of Object.keys(cases)) {
    for (const how of ['from its folder', 'from its name', 'as bf16', 'as f16'])
      assert.match(stdout, new RegExp(`${name} \\(simd\\) ${how}: (\\d+) of \\1,`), stdout);
  }
  assert.match(stdout, /\n\d+ passed, 0 failed\n$/, stdout);
  assert.equal(status, 0);
});

test('a folder without cases fails', () => {
  const { status, stdout } = spawnSync(process.execPath, ['tests/checkpoints.mjs', 'tests/js'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
  });
  assert.match(stdout, /no case\n0 passed, 1 failed\n$/);
  assert.equal(status, 1);
});
