// Files of others: each odd one is read, or refused for the rule that it breaks.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import fc from 'fast-check';
import { GlassformerError, readSafetensors, writeSafetensors } from 'glassformer';
import { FILES } from './odd-files.js';

for (const [name, bytes, rule] of FILES) {
  test(`${rule ? 'refused' : 'read'}: ${name}`, () => {
    if (!rule) return assert.ok(readSafetensors(bytes).tensors.size >= 0);
    assert.throws(
      () => readSafetensors(bytes),
      (error) => {
        assert.ok(error instanceof GlassformerError, error?.stack);
        assert.equal(error.code, 'format');
        assert.match(error.message, rule);
        assert.ok(error.message.startsWith(`${error.parameter}: `) && error.message.length < 400);
        return true;
      },
    );
  });
}

const tensor = fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }).chain((shape) => {
  const length = shape.reduce((a, b) => a * b, 1);
  const size = { minLength: length, maxLength: length };
  const data = fc.oneof(
    fc.float32Array({ ...size, noNaN: true }),
    fc.int32Array(size),
    fc.uint8Array({ ...size, max: 255 }),
  );
  return data.map((values) => ({ data: values, shape }));
});
const name = fc.oneof(
  fc.constantFrom('', '__proto__', 'constructor', 'toString', '\0', '"\\', '\u2028', '🙂'),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const content = fc.record({
  tensors: fc.uniqueArray(fc.tuple(name, tensor), { selector: ([key]) => key, maxLength: 6 }),
  metadata: fc.uniqueArray(fc.tuple(name, fc.string({ unit: 'binary' })), { selector: ([key]) => key, maxLength: 3 }),
});

test('whatever is written is read, to the bit', () => {
  fc.assert(
    fc.property(content, ({ tensors, metadata }) => {
      const read = readSafetensors(writeSafetensors(new Map(tensors), { metadata: new Map(metadata) }));
      assert.deepEqual(new Map(read.tensors), new Map(tensors));
      assert.deepEqual(new Map(read.metadata), new Map(metadata));
    }),
  );
});

test('a file with bytes changed, cut or added is read or refused with an error of ours', () => {
  const edits = fc.array(
    fc.tuple(fc.nat(), fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]",:\\u0-.e ')))),
    { minLength: 1, maxLength: 5 },
  );
  fc.assert(
    fc.property(content, edits, fc.integer({ min: -9, max: 9 }), ({ tensors, metadata }, changes, longer) => {
      const base = writeSafetensors(new Map(tensors), { metadata: new Map(metadata) });
      const bytes = new Uint8Array(Math.max(0, base.length + longer));
      bytes.set(base.subarray(0, bytes.length));
      for (const [at, byte] of changes) if (bytes.length) bytes[at % bytes.length] = byte;
      try {
        for (const { data, shape } of readSafetensors(bytes).tensors.values()) {
          assert.equal(data.length, shape.reduce((a, b) => a * b, 1)); // prettier-ignore
        }
      } catch (error) {
        assert.ok(error instanceof GlassformerError && error.code === 'format', error?.stack);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a name that is no Unicode is not written', () => {
  // The reference has no way to: its names are UTF-8.
  for (const [tensors, metadata] of [
    [{ '\ud800': { data: [1], shape: [1] } }, {}],
    [{}, { '\udc00': 'a' }],
    [{}, { a: '\ude42\ud83d' }],
  ]) {
    assert.throws(() => writeSafetensors(tensors, { metadata }), { name: 'GlassformerError', code: 'type' });
  }
});
