// The short form of the random walk over the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { replay, run } from './api.js';

test('10,000 calls of the API, good, bad, odd and re-entrant: no trap, no other error, no change unasked', async () => {
  const { calls, accepted, repeated, hooks, refused } = await run({ count: 10_000, seed: 1 });
  assert.ok(calls >= 8000, `${calls} calls`);
  // The walk is worth its time: good calls are taken, bad ones refused for many reasons, getters make calls.
  assert.ok(accepted > calls / 4 && repeated > calls / 10 && hooks > 100, `${accepted} ${repeated} ${hooks}`);
  for (const code of [
    'type',
    'shape',
    'range',
    'unknown',
    'missing',
    'dtype',
    'token',
    'config',
    'state',
    'freed',
    'own',
  ])
    assert.ok(refused[code] > 0, code);
});

test('a sequence is played again from its numbers', async () => {
  const sequence = { variant: 'simd', seed: 1, calls: [3, 4, 5, 6, 7, 8, 9] };
  const said = await replay(sequence);
  assert.match(said, /^call 3:\n[^]*passed$/);
  assert.equal(await replay(sequence), said);
});
