// JSON of a reader's file: what anybody may have made.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ownName } from '../../../web/app/own/files.js';
import { parseJson } from '../../../src/js/formats/json.js';

test('what JSON.parse reads is read, brackets in texts are none', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.string(), (text, inside) => {
      assert.deepEqual(parseJson(text), JSON.parse(text));
      const said = JSON.stringify({ a: `${'['.repeat(200)}"${'\\{'.repeat(200)}${inside}` });
      assert.deepEqual(parseJson(said), JSON.parse(said));
    }),
  );
});

test('brackets without end are refused before they are parsed', () => {
  const nested = (/** @type {number} */ depth) => '['.repeat(depth) + ']'.repeat(depth);
  assert.equal(JSON.stringify(parseJson(nested(127))), nested(127));
  for (const text of [nested(128), '['.repeat(5e6), '{"":'.repeat(200), `["\\"",${'[{"a":'.repeat(100)}`]) {
    assert.throws(() => parseJson(text), { message: 'nested too deep' });
  }
  assert.throws(() => parseJson('{"a"'), SyntaxError);
});

test('a header of more tensors than any model has is refused before its samples are read', async () => {
  const entries = Array.from({ length: 20_001 }, (_, i) => `"${i}":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}`);
  const header = Buffer.from(`{${entries}}`);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const weights = new File([length, header, new Uint8Array(8)], 'many.safetensors');
  await assert.rejects(ownName({ title: 'many', weights, parts: [] }), { message: /lists 20,001 tensors/ });
});
