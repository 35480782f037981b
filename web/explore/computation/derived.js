// One row of one head, to its end: its scores on their way to weights, and what each head of the layer
// adds to that token. The row alone, because all rows of a long text are many megabytes.

/**
 * @param {import('../../engine/derived.js').Context} context
 * @param {string} prefix of the attention, 'encoder.layers.0.self_attn'
 * @param {string} head
 * @param {string} row beyond the last: the last
 */
export function headShare({ gf, model }, prefix, head, row) {
  /** @param {string} name */
  const view = (name) => /** @type {Float32Array} */ (model.view(`${prefix}.${name}`));
  const [, heads, rows, keys] = model.tensors().find(({ name }) => name === `${prefix}.weights`)?.shape ?? [1, 1, 1, 1];
  const at = Math.min(Number(row), rows - 1);
  const start = (Number(head) * rows + at) * keys;
  /** @param {string} name */
  const rowOf = (name) => view(name).slice(start, start + keys);

  const width = view('concat').length / rows;
  const size = width / heads;
  const concat = view('concat').slice(at * width, (at + 1) * width);
  const matrix = view('out_proj.weight').slice();
  const norm = (/** @type {Float32Array} */ data) => gf.vectorNorm({ x: { data, shape: [1, data.length] } }).data[0];
  const parts = Array.from({ length: heads }, (_, each) => {
    const output = { data: concat.subarray(each * size, (each + 1) * size), shape: [1, size] };
    const columns = Float32Array.from(
      { length: width * size },
      (_, i) => matrix[Math.floor(i / size) * width + each * size + (i % size)],
    );
    return gf.matmul({ a: output, b: { data: columns, shape: [width, size] }, transposeB: true }).data;
  });
  return {
    scores: rowOf('scores'),
    scaled: rowOf('scaled'),
    masked: rowOf('masked'),
    weights: rowOf('weights'),
    output: concat.slice(Number(head) * size, (Number(head) + 1) * size),
    norms: Float32Array.from(parts, norm),
    whole: norm(view('out').slice(at * width, (at + 1) * width)),
  };
}
