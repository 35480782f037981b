// What is fetched late is the feature that its row of the list names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import '../table.js';

const { features } = await import('../../../../web/explore/index.js');

test('each late row fetches the feature of its name, which can be shown', async () => {
  const rows = features.filter((feature) => 'load' in feature);
  assert(rows.length > 10);
  for (const row of rows) {
    const feature = /** @type {any} */ (await row.load());
    assert.equal(feature?.name, row.name);
    assert(feature.render ?? feature.create, row.name);
  }
});
