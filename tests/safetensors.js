// Reads a safetensors file without the package, whose reader rounds what PyTorch computed in double.

/** @typedef {{dtype: string, shape: number[], bytes: Buffer}} Tensor */

/** @param {Buffer} file @returns {[string, Tensor][]} */
export function entriesOf(file) {
  const start = 8 + Number(file.readBigUInt64LE(0));
  const header = JSON.parse(file.toString('utf8', 8, start));
  delete header.__metadata__;
  return Object.entries(header).map(([name, { dtype, shape, data_offsets: ends }]) => {
    const [from, to] = ends.map((/** @type {number} */ at) => start + at);
    return [name, { dtype, shape, bytes: file.subarray(from, to) }];
  });
}
