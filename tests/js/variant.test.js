// Which build and which tile an engine gets, by what its multiply-add does and what it says of
// itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { tileFor } from '../../src/js/engine/start.js';
import { choose, maddHere } from '../../src/js/engine/variant.js';
import { loadWrapped } from './wrapped.js';

const LINUX = 'Mozilla/5.0 (X11; Linux x86_64)';
const browser = (userAgent) => ({ navigator: { userAgent } });

test('each engine gets its tile: the tallest unrolled one, but V8 below 13 and JavaScriptCore', () => {
  for (const [world, rows] of /** @type {[any, number][]} */ ([
    [{ process: { versions: { node: '22.23.3', v8: '12.4.254.21-node.57' } } }, 4],
    [
      { process: { versions: { node: '24.21.0', v8: '13.6.233.17-node.53' } }, navigator: { userAgent: 'Node.js/24' } },
      0,
    ],
    [{ process: { versions: { deno: '2.5.0', v8: '14.0.365.5-rusty' } }, navigator: { userAgent: 'Deno/2.5.0' } }, 0],
    [{ process: { versions: { bun: '1.2.0', v8: '13.6.233.10-node.18' } }, navigator: { userAgent: 'Bun/1.2.0' } }, 6],
    [browser(`${LINUX} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36`), 0],
    [browser(`${LINUX} AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/130.0.0.0 Safari/537.36`), 0],
    [browser(`${LINUX} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36 Edg/129.0.0.0`), 4],
    [browser('Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'), 0],
    [browser(`${LINUX} AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15`), 6],
    [
      browser(
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ' +
          'CriOS/140.0.0.0',
      ),
      6,
    ],
    [browser(''), 4],
    [{}, 4],
    [{ process: {} }, 4],
    [{ process: { versions: {} }, navigator: {} }, 4],
    [{ process: { versions: {} }, ...browser(`${LINUX} Chrome/141.0.0.0`) }, 0], // a bundler's process
  ]))
    assert.equal(tileFor(world), rows, JSON.stringify(world));
});

test('what the multiply-add does is asked of this engine', () => {
  const { Module, Instance } = WebAssembly;
  assert.equal(
    maddHere() === 'missing',
    !WebAssembly.validate(readFileSync(new URL('../../dist/relaxed.wasm', import.meta.url))),
  );
  try {
    WebAssembly.Module = /** @type {any} */ (class {});
    for (const [f, expected] of [
      [(x, y) => Math.fround(Math.fround(x * x) + y), 'not fused'],
      [(x, y) => Math.fround(x * x + y), 'fused'],
    ]) {
      WebAssembly.Instance = /** @type {any} */ (
        class {
          exports = { f };
        }
      );
      assert.equal(maddHere(), expected);
    }
  } finally {
    Object.assign(WebAssembly, { Module, Instance });
  }
});

test('relaxed is chosen where its multiply-add is fused, unless the caller decides', () => {
  assert.deepEqual(choose('auto', 'fused'), {
    variant: 'relaxed',
    reason: 'The multiply-add of relaxed SIMD is fused in this engine.',
  });
  for (const madd of /** @type {const} */ (['missing', 'not fused'])) {
    const reason = `The multiply-add of relaxed SIMD is ${madd} in this engine.`;
    assert.deepEqual(choose('auto', madd), { variant: 'simd', reason });
  }
  for (const madd of /** @type {const} */ (['missing', 'not fused', 'fused']))
    assert.equal(choose('simd', madd).variant, 'simd');
  assert.equal(choose('relaxed', 'not fused').variant, 'relaxed');
  assert.throws(() => choose('relaxed', 'missing'), { code: 'unsupported', parameter: 'variant' });
});

test('both builds have the tile of this engine; each says what it is by its tallest unrolled one', async () => {
  for (const variant of maddHere() === 'missing' ? ['simd'] : ['simd', 'relaxed']) {
    /** @type {number[][]} */
    const calls = [];
    const noted = (tile) => (rows) => calls.push([rows, tile(rows)]) && calls.at(-1)[1];
    await loadWrapped((it, name) => (name === 'gf_tile' ? noted(it) : it), variant);
    const tallest = variant === 'simd' ? 4 : 6;
    const rows = tileFor(globalThis);
    assert.deepEqual(calls, [
      [0, tallest],
      [rows, rows || tallest],
    ]);
  }
});

test('no bit of a product depends on the tile', async () => {
  for (const variant of maddHere() === 'missing' ? ['simd'] : ['simd', 'relaxed']) {
    /** @type {(rows: number) => number} */
    let tile = () => 0;
    const gf = await loadWrapped((it, name) => (name === 'gf_tile' ? (tile = it) : it), variant);
    const floats = (count, seed) => Float32Array.from({ length: count }, (_, i) => Math.sin(seed + i * i));
    // Depths that are odd, one, and beyond one block of k; panels and bands that are not full.
    for (const [M, K, N] of [
      [6, 1, 8],
      [24, 64, 16],
      [19, 65, 21],
      [30, 513, 40],
      [20, 1027, 9],
    ]) {
      for (const transposeB of [false, true]) {
        const a = { data: floats(M * K, 1), shape: [M, K] };
        const b = { data: floats(K * N, 2), shape: transposeB ? [N, K] : [K, N] };
        const [four, six, tallest] = [4, 6, 0].map((rows) => {
          tile(rows);
          return gf.matmul(a, b, { transposeB }).data;
        });
        assert.deepEqual(six, four, `${variant} ${M}x${K}x${N}, 6 rows`);
        assert.deepEqual(tallest, four, `${variant} ${M}x${K}x${N}, the tallest`);
      }
    }
  }
});
