// Which parts are lit by which, and runs of numbers as frames draw them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runs } from '../../../web/draw/marks.js';
import { isLit } from '../../../web/explore/highlight.js';

test('lit is what has a part in common and none that differs', () => {
  const values = [undefined, '0', '1'];
  const all = values.flatMap((row) => values.flatMap((key) => values.map((head) => ({ row, key, head }))));
  for (const own of all)
    for (const pointed of all) {
      const pairs = ['row', 'key', 'head'].map((part) => [own[part], pointed[part]]);
      const common = pairs.filter((pair) => !pair.includes(undefined));
      assert.equal(isLit(own, pointed), common.length > 0 && common.every(([a, b]) => a === b));
      assert.equal(isLit(own, pointed), isLit(pointed, own));
    }
});

test('runs of numbers: together they are the numbers, and no two touch', () => {
  for (let bits = 0; bits < 1 << 8; bits++) {
    const numbers = Array.from({ length: 8 }, (_, i) => i).filter((i) => bits & (1 << i));
    const found = runs(numbers);
    assert.deepEqual(
      found.flatMap(([first, length]) => Array.from({ length }, (_, i) => first + i)),
      numbers,
    );
    found.slice(1).forEach(([first], i) => assert(first > found[i][0] + found[i][1]));
  }
});
