// The short form of `npm run fuzz -- workers`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { run } from './workers.js';

test('workers that end at ten random moments: nothing hangs, and one code says so', async () => {
  const figures = await run({ count: 10, seed: 2 });
  assert(figures.engines && figures.trainers && figures.refused, JSON.stringify(figures));
});
