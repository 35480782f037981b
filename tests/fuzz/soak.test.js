// `npm run fuzz -- soak` is the long form.
import { test } from 'node:test';

import { about, run } from './soak.js';

test(about, async (t) => {
  const figures = await run({ count: 1000, seed: 1 });
  t.diagnostic(JSON.stringify(figures));
});
