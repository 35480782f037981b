// Times the bare inner loop of a product in an engine: written by hand in WebAssembly's text format, in a function of
// its own, in whole products with packing. The kernels could reach these speeds in this engine.
import wabt from 'wabt';

const PANEL = 8; // columns
const BLOCK = 128; // columns that are packed at once, as src/kernel/matmul.c has it
const TILES = [
  [4, 1],
  [4, 4],
  [6, 1],
  [6, 4],
];

/** @param {number} count @param {(i: number) => string} text */
const each = (count, text) => Array.from({ length: count }, (_, i) => text(i)).join('\n');

/**
 * c[0..rows) = a[0..rows) times a panel; k steps, a multiple of unroll. row: bytes from a row of a or c to the next.
 * @param {number} rows @param {number} unroll @param {boolean} fused
 */
function tile(rows, unroll, fused) {
  const add = (acc, column) =>
    fused
      ? `(local.set $${acc} (f32x4.relaxed_madd (local.get $x) (local.get $${column}) (local.get $${acc})))`
      : `(local.set $${acc} (f32x4.add (f32x4.mul (local.get $x) (local.get $${column})) (local.get $${acc})))`;
  return `
  (func $tile (param $a i32) (param $panel i32) (param $c i32) (param $row i32) (param $k i32)
    (local $x v128) (local $b0 v128) (local $b1 v128)
    ${each(rows, (r) => `(local $p${r} i32) (local $l${r} v128) (local $h${r} v128)`)}
    ${each(rows, (r) => `(local.set $p${r} (i32.add (local.get $a) (i32.mul (local.get $row) (i32.const ${r}))))`)}
    (loop $step
      ${each(
        unroll,
        (u) => `
      (local.set $b0 (v128.load offset=${32 * u} (local.get $panel)))
      (local.set $b1 (v128.load offset=${32 * u + 16} (local.get $panel)))
      ${each(
        rows,
        (r) => `
      (local.set $x (v128.load32_splat offset=${4 * u} (local.get $p${r})))
      ${add(`l${r}`, 'b0')} ${add(`h${r}`, 'b1')}`,
      )}`,
      )}
      ${each(rows, (r) => `(local.set $p${r} (i32.add (local.get $p${r}) (i32.const ${4 * unroll})))`)}
      (local.set $panel (i32.add (local.get $panel) (i32.const ${32 * unroll})))
      (br_if $step (local.tee $k (i32.sub (local.get $k) (i32.const ${unroll})))))
    ${each(
      rows,
      (r) => `
    (v128.store (local.get $c) (local.get $l${r}))
    (v128.store offset=16 (local.get $c) (local.get $h${r}))
    (local.set $c (i32.add (local.get $c) (local.get $row)))`,
    )})`;
}

/** product(a, b, c, packed, n): c = a b, all n x n; n a multiple of 128. Rows beyond a multiple of `rows` are left. */
const product = (/** @type {number} */ rows) => `
  (func $pack (param $b i32) (param $to i32) (param $row i32) (param $k i32)
    (loop $step
      (v128.store (local.get $to) (v128.load (local.get $b)))
      (v128.store offset=16 (local.get $to) (v128.load offset=16 (local.get $b)))
      (local.set $b (i32.add (local.get $b) (local.get $row)))
      (local.set $to (i32.add (local.get $to) (i32.const ${4 * PANEL})))
      (br_if $step (local.tee $k (i32.sub (local.get $k) (i32.const 1))))))
  (func (export "product") (param $a i32) (param $b i32) (param $c i32) (param $packed i32) (param $n i32)
    (local $row i32) (local $column i32) (local $panel i32) (local $m i32) (local $size i32)
    (local.set $row (i32.mul (local.get $n) (i32.const 4)))
    (local.set $size (i32.mul (local.get $n) (i32.const ${4 * PANEL})))
    (loop $block
      (local.set $panel (i32.const 0))
      (loop $packing
        (call $pack
          (i32.add (local.get $b) (i32.add (local.get $column) (i32.mul (local.get $panel) (i32.const ${4 * PANEL}))))
          (i32.add (local.get $packed) (i32.mul (local.get $panel) (local.get $size)))
          (local.get $row) (local.get $n))
        (br_if $packing (i32.lt_u (local.tee $panel (i32.add (local.get $panel) (i32.const 1)))
          (i32.const ${BLOCK / PANEL}))))
      (local.set $m (i32.const 0))
      (loop $band
        (local.set $panel (i32.const 0))
        (loop $across
          (call $tile
            (i32.add (local.get $a) (i32.mul (local.get $m) (local.get $row)))
            (i32.add (local.get $packed) (i32.mul (local.get $panel) (local.get $size)))
            (i32.add (i32.add (local.get $c) (i32.mul (local.get $m) (local.get $row)))
              (i32.add (local.get $column) (i32.mul (local.get $panel) (i32.const ${4 * PANEL}))))
            (local.get $row) (local.get $n))
          (br_if $across (i32.lt_u (local.tee $panel (i32.add (local.get $panel) (i32.const 1)))
            (i32.const ${BLOCK / PANEL}))))
        (br_if $band (i32.le_u (i32.add (local.tee $m (i32.add (local.get $m) (i32.const ${rows})))
          (i32.const ${rows})) (local.get $n))))
      (br_if $block (i32.lt_u (local.tee $column (i32.add (local.get $column) (i32.const ${4 * BLOCK})))
        (local.get $row)))))`;

/**
 * The modules, as pages can be given them.
 * @returns {Promise<{name: string, variant: 'simd' | 'relaxed', rows: number, base64: string}[]>}
 */
export async function probes() {
  const { parseWat } = await wabt();
  const features = { simd: true, relaxed_simd: true };
  return ['simd', 'relaxed'].flatMap((variant) =>
    TILES.map(([rows, unroll]) => {
      const parts = ['(memory (export "memory") 128)', tile(rows, unroll, variant === 'relaxed'), product(rows)];
      const text = `(module ${parts.join(' ')})`;
      const { buffer } = parseWat('probe.wat', text, features).toBinary({});
      const name = `${rows}×8${unroll > 1 ? `, by ${unroll}` : ''}`;
      return { name, variant: /** @type {'simd'} */ (variant), rows, base64: Buffer.from(buffer).toString('base64') };
    }),
  );
}
