// The short form of the hostile files.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { run } from './files.js';

test('1,000 hostile files: no other error, nothing executed, no other model changed, memory given back', async () => {
  const { opened, refused } = await run({ count: 1000, seed: 1 });
  assert.ok(opened > 50, `${opened} opened`);
  for (const code of ['format', 'type', 'unknown', 'missing', 'shape', 'range', 'config', 'number'])
    assert.ok(refused[code] > 0, `${code}: ${JSON.stringify(refused)}`);
});
