// One row of one head, to its end: its scores on their way to weights, and the vector that each head of the layer
// adds to that token. The row alone, because all rows of a long text are many megabytes.

/**
 * The part of an engine and of a model, whose last pass it reads, that it needs.
 * @typedef {{
 *   gf: {matmul: (a: any, b: any, options?: any) => any, vectorNorm: (x: any) => {data: any}},
 *   model: {tensor: (name: any) => {data: any}, tensors: () => readonly {name: string, shape: readonly number[]}[]},
 * }} Read
 *
 * @param {Read} context
 * @param {string} prefix of the attention, 'encoder.layers.0.self_attn'
 * @param {string} head
 * @param {string} row beyond the last: the last
 */
export function headShare({ gf, model }, prefix, head, row) {
  // No views, which may be written through: after one the model computes all of a text again.
  const read = (/** @type {string} */ name, part = {}) =>
    /** @type {Float32Array} */ (model.tensor({ name: `${prefix}.${name}`, ...part }).data);
  const [, heads, rows] = model.tensors().find(({ name }) => name === `${prefix}.weights`)?.shape ?? [1, 1, 1];
  const at = Math.min(Number(row), rows - 1);
  const rowOf = (/** @type {string} */ name) => read(name, { head: Number(head), row: at });

  const concat = read('concat', { row: at });
  const width = concat.length;
  const size = width / heads;
  // Row by row the output of one head among zeros.
  const alone = new Float32Array(heads * width);
  for (let i = 0; i < width; i++) alone[Math.floor(i / size) * width + i] = concat[i];
  const out = read('out_proj.weight'); // from the heads' width, which need not be the stream's
  const parts = gf.matmul(
    { data: alone, shape: [heads, width] },
    { data: out, shape: [out.length / width, width] },
    { transposeB: true },
  );
  return {
    scores: rowOf('scores'),
    scaled: rowOf('scaled'),
    masked: rowOf('masked'),
    weights: rowOf('weights'),
    output: concat.slice(Number(head) * size, (Number(head) + 1) * size),
    norms: gf.vectorNorm(parts).data,
  };
}
