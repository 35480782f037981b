// Writes what torch.save writes: a zip of stored entries with the sizes behind them, and a pickle of protocol 2.

import { entriesOf } from '../safetensors.js';

const SIZES = { DoubleStorage: 8, FloatStorage: 4, HalfStorage: 2, BFloat16Storage: 2, LongStorage: 8, IntStorage: 4 };

/**
 * @typedef {object} Saved a tensor as torch.save sees it
 * @property {string} [kind] class of its storage
 * @property {string} [key] name of its storage, which others may share
 * @property {Uint8Array} bytes of the whole storage
 * @property {number[]} shape
 * @property {number[]} [strides] by default those of rows
 * @property {number} [offset]
 * @property {boolean} [isParameter]
 */

const int32 = (/** @type {number} */ value) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
export const text = (/** @type {string} */ value) => {
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from('X'), int32(bytes.length), bytes]);
};
export const int = (/** @type {number} */ value) =>
  value >= 0 && value < 2 ** 31
    ? value < 256
      ? Buffer.from([0x4b, value])
      : Buffer.concat([Buffer.from('J'), int32(value)])
    : Buffer.concat([Buffer.from([0x8a, 8]), Buffer.from(BigInt64Array.of(BigInt(value)).buffer)]);
export const global = (/** @type {string} */ module, /** @type {string} */ name) =>
  Buffer.from(`c${module}\n${name}\n`);
export const tuple = (/** @type {Uint8Array[]} */ ...items) =>
  Buffer.concat([Buffer.from('('), ...items, Buffer.from('t')]);
const DICT = Buffer.concat([global('collections', 'OrderedDict'), Buffer.from(')R')]);

/** @param {number[]} shape */
const rowsOf = (shape) => shape.map((_, axis) => shape.slice(axis + 1).reduce((product, size) => product * size, 1));

/** @param {string} key @param {Saved} tensor */
export function storage(key, { kind = 'FloatStorage', bytes }, extra = Buffer.alloc(0)) {
  const count = bytes.length / (SIZES[/** @type {keyof typeof SIZES} */ (kind)] ?? 1);
  const parts = [text('storage'), global('torch', kind), text(key), text('cpu'), int(count), extra];
  return Buffer.concat([tuple(...parts), Buffer.from('Q')]);
}

/** @param {string} key @param {Saved} tensor @param {Buffer} [extra] */
function tensorOf(key, tensor, extra) {
  const { shape, strides = rowsOf(shape), offset = 0, isParameter } = tensor;
  const args = [storage(key, tensor, extra), int(offset), tuple(...shape.map(int)), tuple(...strides.map(int))];
  const whole = tuple(...args, Buffer.from([0x89]), DICT);
  const made = Buffer.concat([global('torch._utils', '_rebuild_tensor_v2'), whole, Buffer.from('R')]);
  if (!isParameter) return made;
  const parameter = tuple(made, Buffer.from([0x88]), DICT);
  return Buffer.concat([global('torch._utils', '_rebuild_parameter'), parameter, Buffer.from('R')]);
}

/** The pickle of a state_dict. @param {Map<string, Saved>} tensors @param {Buffer} [extra] of each storage */
export function pickleOf(tensors, extra) {
  const items = [...tensors].map(([name, tensor], i) =>
    Buffer.concat([text(name), tensorOf(tensor.key ?? String(i), tensor, extra)]),
  );
  const metadata = Buffer.concat([Buffer.from('}'), text('_metadata'), DICT, Buffer.from('sb')]);
  return Buffer.concat([
    Buffer.from([0x80, 2]),
    DICT,
    Buffer.from('('),
    ...items,
    Buffer.from('u'),
    metadata,
    Buffer.from('.'),
  ]);
}

/**
 * A zip as PyTorch's writer makes it: sizes stand behind the bytes, which are aligned to 64.
 * @param {[string, Uint8Array][]} files
 * @param {{zip64?: boolean, method?: number, flags?: number}} [options]
 */
export function zipOf(files, { zip64 = false, method = 0, flags = 0x0808 } = {}) {
  const parts = [];
  const directory = [];
  let at = 0;
  const put = (/** @type {Uint8Array} */ bytes) => {
    parts.push(bytes);
    at += bytes.length;
  };
  for (const [name, bytes] of files) {
    const encoded = Buffer.from(name);
    const header = Buffer.alloc(30);
    const start = at;
    const padding = Buffer.alloc(4 + ((128 - ((at + 34 + encoded.length) % 64)) % 64), 'Z');
    padding.write('FB');
    padding.writeUInt16LE(padding.length - 4, 2);
    header.writeUInt32LE(0x04034b50);
    header.writeUInt16LE(flags, 6);
    header.writeUInt16LE(method, 8);
    header.writeUInt16LE(encoded.length, 26);
    header.writeUInt16LE(padding.length, 28);
    for (const part of [header, encoded, padding, bytes]) put(part);
    put(Buffer.concat([Buffer.from('PK\x07\x08'), int32(0), int32(bytes.length), int32(bytes.length)]));
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    for (const [offset, value] of [
      [20, bytes.length],
      [24, bytes.length],
      [42, start],
    ]) {
      entry.writeUInt32LE(zip64 ? 0xffffffff : value, offset);
    }
    const long = Buffer.alloc(zip64 ? 28 : 0);
    if (zip64) {
      long.writeUInt16LE(1);
      long.writeUInt16LE(24, 2);
      [bytes.length, bytes.length, start].forEach((value, i) => long.writeBigUInt64LE(BigInt(value), 4 + 8 * i));
    }
    entry.writeUInt16LE(encoded.length, 28);
    entry.writeUInt16LE(long.length, 30);
    directory.push(Buffer.concat([entry, encoded, long]));
  }
  const start = at;
  directory.forEach(put);
  const length = at - start;
  if (zip64) {
    const end = Buffer.alloc(76);
    end.writeUInt32LE(0x06064b50);
    const fields = { 4: 44, 24: files.length, 32: files.length, 40: length, 48: start };
    for (const [offset, value] of Object.entries(fields)) end.writeBigUInt64LE(BigInt(value), Number(offset));
    end.writeUInt32LE(0x07064b50, 56);
    end.writeBigUInt64LE(BigInt(at), 64);
    put(end);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(zip64 ? 0xffff : files.length, 8);
  end.writeUInt16LE(zip64 ? 0xffff : files.length, 10);
  end.writeUInt32LE(zip64 ? 0xffffffff : length, 12);
  end.writeUInt32LE(zip64 ? 0xffffffff : start, 16);
  put(end);
  return Buffer.concat(parts);
}

/**
 * The files in a checkpoint.
 * @param {Map<string, Saved>} tensors @param {Uint8Array} [pickle]
 * @returns {[string, Uint8Array][]}
 */
export const filesOf = (tensors, pickle = pickleOf(tensors)) => [
  ['archive/data.pkl', pickle],
  ['archive/byteorder', Buffer.from('little')],
  ...[...new Map([...tensors.values()].map(({ key, bytes }, i) => [key ?? String(i), bytes]))].map(
    ([key, bytes]) => /** @type {[string, Uint8Array]} */ ([`archive/data/${key}`, bytes]),
  ),
  ['archive/version', Buffer.from('3\n')],
];

/** A pytorch_model.bin. @param {Map<string, Saved>} tensors @param {Parameters<typeof zipOf>[1]} [options] */
export const writeTorch = (tensors, options) => zipOf(filesOf(tensors), options);

const KINDS = {
  F32: 'FloatStorage',
  F16: 'HalfStorage',
  BF16: 'BFloat16Storage',
  U8: 'ByteStorage',
  BOOL: 'BoolStorage',
};

/** A safetensors file in the form that torch.save takes. @param {Buffer} file @returns {Map<string, Saved>} */
export const savedOf = (file) =>
  new Map(
    entriesOf(file).map(([name, { dtype, shape, bytes }]) => [
      name,
      { kind: KINDS[/** @type {keyof typeof KINDS} */ (dtype)], shape, bytes },
    ]),
  );

/** The same as before PyTorch 1.6. @param {Map<string, Saved>} tensors @param {Buffer} [list] of the storages */
export function writeLegacy(tensors, list) {
  const storages = new Map([...tensors.values()].map(({ key, kind, bytes }, i) => [key ?? String(i), { kind, bytes }]));
  const start = Buffer.from([0x80, 2]);
  const magic = Buffer.from([0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19]);
  const system = [Buffer.from('}('), text('protocol_version'), Buffer.from('M\xe9\x03', 'latin1')];
  system.push(text('little_endian'), Buffer.from([0x88]), Buffer.from('u'));
  const stop = Buffer.from('.');
  const keys = list ? [list] : [Buffer.from(']('), ...[...storages.keys()].map(text), Buffer.from('e')];
  const data = [...storages.values()].flatMap(({ kind = 'FloatStorage', bytes }) => {
    const count = bytes.length / (SIZES[/** @type {keyof typeof SIZES} */ (kind)] ?? 1);
    return [Buffer.from(BigInt64Array.of(BigInt(count)).buffer), bytes];
  });
  return Buffer.concat([
    ...[start, magic, stop, start, Buffer.from('M\xe9\x03', 'latin1'), stop, start, ...system, stop],
    pickleOf(tensors, Buffer.from('N')),
    ...[start, ...keys, stop, ...data],
  ]);
}
