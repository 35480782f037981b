// The corpora of the shipped models.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

test('the corpora are what their script makes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  execFileSync(process.execPath, [fileURLToPath(new URL('../../../src/models/corpus.mjs', import.meta.url)), folder]);
  for (const name of ['creek', 'translate', 'continue'].map((each) => `${each}.corpus.json`)) {
    assert.equal(
      readFileSync(join(folder, name), 'utf8'),
      readFileSync(new URL(`../../../web/models/${name}`, import.meta.url), 'utf8'),
    );
  }
  rmSync(folder, { recursive: true });
});
