// The short form of the hostile models by name.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { run } from './hub.js';

test('700 models by name: 500 and more refused for what is wrong, nobody else asked, nothing run', async () => {
  const { opened, refused } = await run({ count: 700, seed: 1 });
  assert.ok(opened > 40, `${opened} opened`);
  const counts = Object.values(refused);
  assert.ok(counts.length === 10 && Math.min(...counts) > 30, JSON.stringify(refused));
  assert.ok(counts.reduce((sum, each) => sum + each) >= 500, JSON.stringify(refused));
});
