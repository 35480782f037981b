// Calls after which V8's optimizer read the length that an array had before a getter detached it.
import { test } from 'node:test';

import { Tally, walk } from './api/walk.js';

const [FIRST, LAST, COURSE] = [803, 815, 200];

test('what a getter detached is refused, also once the check is optimized', async () => {
  for (let i = FIRST; i <= LAST; i++) {
    const calls = Array.from({ length: COURSE }, (_, j) => i * COURSE + j);
    await walk({ variant: i % 2 ? 'relaxed' : 'simd', seed: 3, calls }, new Tally());
  }
});
