// One of each for the three places: one store, one codec of addresses, one follower of the address.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const web = fileURLToPath(new URL('../../../web', import.meta.url));
const files = readdirSync(web, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.js'))
  .map((name) => ({ name: name.replaceAll('\\', '/'), text: readFileSync(join(web, name), 'utf8') }));
/** @param {RegExp} pattern */
const filesWith = (pattern) => files.filter(({ text }) => pattern.test(text)).map(({ name }) => name);

test('one store, one codec, one link follower', () => {
  assert(files.length > 100);
  assert.deepEqual(filesWith(/function create(\w*Store|Undo|History)\(/), ['kit/store.js']);
  assert.deepEqual(filesWith(/Object\.assign\(state\b/), [], 'a state is never changed in place');
  assert.deepEqual(filesWith(/hashchange/), ['kit/link.js']);
  assert.deepEqual(filesWith(/\b(push|replace)State\b/), ['kit/link.js']);
  assert.deepEqual(filesWith(/function readParts\(/), ['kit/address.js']);
  const schemas = filesWith(/\breadParts\(/).filter((name) => name !== 'kit/address.js');
  assert.deepEqual(schemas.sort(), ['app/schema.js', 'claims/schema.js', 'train/schema.js']);
});
