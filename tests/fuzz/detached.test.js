// Calls after which V8's optimizer read the length that an array had before a getter detached it.
import { test } from 'node:test';

import { run } from './api.js';

test('what a getter detached is refused, also once the check is optimized', () =>
  run({ count: 2600, seed: 3, first: 803 }));
