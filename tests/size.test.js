// What a user downloads: the budgets of README.md, as gzip has it.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

const BUDGET = { 'simd.wasm': 44_000, 'relaxed.wasm': 44_000, 'glassformer.js': 16_000 };

for (const [name, limit] of Object.entries(BUDGET)) {
  test(`${name} is at most ${limit} bytes`, (t) => {
    const bytes = gzipSync(readFileSync(new URL(`../dist/${name}`, import.meta.url)), { level: 9 }).length;
    t.diagnostic(`${bytes} bytes`);
    assert.ok(bytes <= limit, `${bytes}`);
  });
}
