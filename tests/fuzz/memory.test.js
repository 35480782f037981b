// `npm run fuzz -- memory` is the long form.
import { test } from 'node:test';

import { about, run } from './memory.js';

test(about, async (t) => {
  const figures = await run({ count: 360, seed: 1 });
  t.diagnostic(JSON.stringify(figures));
});
